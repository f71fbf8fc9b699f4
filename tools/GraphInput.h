// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph argument that all commands share.

#ifndef REPRISE_TOOLS_GRAPHINPUT_H
#define REPRISE_TOOLS_GRAPHINPUT_H

#include "reprise/io/GraphReader.h"

#include "llvm/ADT/ArrayRef.h"

namespace reprise {

/// Reads the graph \p path ("-": standard input) with the bindings \p dims,
/// "NAME=VALUE" each, for symbolic dimensions, and the nodes \p derivedNodes
/// that a schedule adds to it, if any. Fails with an InputError.
llvm::Expected<LoadedGraph>
loadGraph(llvm::StringRef path, llvm::ArrayRef<std::string> dims,
          const std::vector<NodeRecord> *derivedNodes = nullptr);

} // namespace reprise

#endif // REPRISE_TOOLS_GRAPHINPUT_H
