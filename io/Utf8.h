// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in model files may hold any bytes; JSON text must be UTF-8.

#ifndef REPRISE_IO_UTF8_H
#define REPRISE_IO_UTF8_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace reprise {

/// Is \p text whole UTF-8, without surrogates and overlong forms?
bool isUtf8(llvm::StringRef text);

/// \p text with U+FFFD in the place of each byte that is not part of a
/// character.
std::string fixUtf8(llvm::StringRef text);

} // namespace reprise

#endif // REPRISE_IO_UTF8_H
