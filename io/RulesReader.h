// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file of options (docs/formats.md): which nodes are kept, and so on.

#ifndef REPRISE_IO_RULESREADER_H
#define REPRISE_IO_RULESREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace reprise {

/// One pattern of a file of options.
struct FileRule {
  std::string key; ///< one of the keys that were asked for
  std::string pattern;
};

/// The patterns of the JSON object in \p path ("-": standard input), each of
/// whose members is one of \p keys and a list of strings. Fails with an
/// InputError for anything else: an option that is misspelled would be one
/// that has no effect.
llvm::Expected<std::vector<FileRule>>
readRules(llvm::StringRef path, llvm::ArrayRef<llvm::StringRef> keys);

} // namespace reprise

#endif // REPRISE_IO_RULESREADER_H
