// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/Utf8.h"

#include "llvm/Support/ConvertUTF.h"

namespace reprise {

/// Bytes of the character at the start of \p text; 0 where there is none.
static size_t characterSize(llvm::StringRef text) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  if (*begin < 0x80)
    return 1;
  return llvm::isLegalUTF8Sequence(begin, begin + text.size())
             ? llvm::getNumBytesForUTF8(*begin)
             : 0;
}

bool isUtf8(llvm::StringRef text) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  return llvm::isLegalUTF8String(&begin, begin + text.size());
}

std::string fixUtf8(llvm::StringRef text) {
  std::string fixed;
  while (!text.empty()) {
    size_t size = characterSize(text);
    if (size == 0)
      fixed += "\xef\xbf\xbd";
    else
      fixed += text.take_front(size);
    text = text.drop_front(std::max<size_t>(size, 1));
  }
  return fixed;
}

} // namespace reprise
