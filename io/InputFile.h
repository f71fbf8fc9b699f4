// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading files and streams, whole.

#ifndef REPRISE_IO_INPUTFILE_H
#define REPRISE_IO_INPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace reprise {

/// The most bytes that are read from a pipe or a device, which may never end.
inline constexpr size_t kMostStreamBytes = size_t(1) << 32;

/// The bytes of \p path ("-": standard input), in memory of their size. They
/// are read and not mapped, so that a disk that fails or a file that shrinks
/// is an error and not a signal. Fails with an InputError that names the file.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openInput(llvm::StringRef path);

} // namespace reprise

#endif // REPRISE_IO_INPUTFILE_H
