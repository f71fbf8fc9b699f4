// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error class of everything that reads what somebody else wrote.

#ifndef REPRISE_GRAPH_ERROR_H
#define REPRISE_GRAPH_ERROR_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace reprise {

/// A fault in what the user gave: a file, an option, a graph built in memory.
/// `message()` is one line, lower case, without a final period; it starts with
/// the place ("node conv1: memory: ...") and, once a reader has added it, with
/// the file.
class InputError : public llvm::ErrorInfo<InputError> {
public:
  static char ID;

  InputError(std::string file, std::string text)
      : file(std::move(file)), text(std::move(text)) {}

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

  const std::string &getFile() const { return file; }
  const std::string &getText() const { return text; }

private:
  std::string file; ///< empty for a graph that was built in memory
  std::string text; ///< "node conv1: memory: expected ..."
};

/// An InputError without a file. \p text names the place and what is wrong.
llvm::Error makeInputError(const llvm::Twine &text);

/// Puts \p file in front of every InputError in \p error that has none.
llvm::Error inFile(llvm::StringRef file, llvm::Error error);

} // namespace reprise

#endif // REPRISE_GRAPH_ERROR_H
