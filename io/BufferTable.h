// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers as comma-separated values, in the format of minimalloc
// (docs/formats.md).

#ifndef REPRISE_IO_BUFFERTABLE_H
#define REPRISE_IO_BUFFERTABLE_H

#include "reprise/planner/Arena.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace reprise {

/// The rows of such a file.
struct BufferTable {
  std::vector<std::string> ids;
  std::vector<ArenaBuffer> buffers;
};

/// Reads the file \p path; "-" is the standard input. Fails with an InputError
/// that names the file, the line and the column.
llvm::Expected<BufferTable> readBufferTable(const std::string &path);

/// Reads \p text, as a file has it.
llvm::Expected<BufferTable> parseBufferTable(llvm::StringRef text);

/// The text of \p table with a column of offsets, one per buffer.
std::string writeBufferTable(const BufferTable &table,
                             llvm::ArrayRef<int64_t> offsets);

} // namespace reprise

#endif // REPRISE_IO_BUFFERTABLE_H
