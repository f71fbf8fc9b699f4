// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/Error.h"

#include "llvm/Support/raw_ostream.h"

namespace reprise {

char InputError::ID = 0;

void InputError::log(llvm::raw_ostream &os) const {
  if (!file.empty())
    os << file << ": ";
  os << text;
}

std::error_code InputError::convertToErrorCode() const {
  return std::make_error_code(std::errc::invalid_argument);
}

llvm::Error makeInputError(const llvm::Twine &text) {
  return llvm::make_error<InputError>(std::string(), text.str());
}

llvm::Error inFile(llvm::StringRef file, llvm::Error error) {
  return llvm::handleErrors(
      std::move(error), [&](const InputError &inner) -> llvm::Error {
        if (!inner.getFile().empty())
          return llvm::make_error<InputError>(inner.getFile(), inner.getText());
        return llvm::make_error<InputError>(file.str(), inner.getText());
      });
}

} // namespace reprise
