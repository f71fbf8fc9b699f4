// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last steps that the readers of all graph formats share. Private to io/.

#ifndef REPRISE_IO_GRAPHASSEMBLY_H
#define REPRISE_IO_GRAPHASSEMBLY_H

#include "reprise/io/GraphReader.h"
#include "reprise/operators/Completion.h"

namespace reprise {

/// \p loaded, whose graph is what the file itself says, with the operator
/// table's part filled in to \p extent and the derived nodes of \p options
/// added. Fails with an InputError without a file.
llvm::Expected<LoadedGraph> assembleGraph(LoadedGraph loaded,
                                          const GraphReadOptions &options,
                                          Completion extent);

/// SHA-256 of \p bytes in lower-case hex.
std::string hashBytes(llvm::StringRef bytes);

} // namespace reprise

#endif // REPRISE_IO_GRAPHASSEMBLY_H
