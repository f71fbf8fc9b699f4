// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing results, whole or not at all.

#ifndef REPRISE_IO_OUTPUTFILE_H
#define REPRISE_IO_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace reprise {

/// Writes \p text to the file \p path, or to standard output for "-". A
/// regular file is replaced in one piece: whoever reads it sees the old or the
/// new text, and on failure the old one stays. An existing file keeps its
/// permissions. Devices, pipes and the like are written to directly. Fails
/// with an InputError that names the path.
llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef text);

/// Removes the file that a writeOutput() in progress has not finished, if any.
/// May be called in a signal handler, by a process that is about to end.
void removeUnfinishedOutput();

/// Tells early, and without changing anything, what writeOutput() would fail
/// for: no such directory, no permission, a directory in the place.
llvm::Error checkWritable(llvm::StringRef path);

} // namespace reprise

#endif // REPRISE_IO_OUTPUTFILE_H
