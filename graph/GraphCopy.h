// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building a graph from another one: the same constants, nodes and outputs,
// with changes and additions in between.

#ifndef REPRISE_GRAPH_GRAPHCOPY_H
#define REPRISE_GRAPH_GRAPHCOPY_H

#include "reprise/graph/GraphBuilder.h"

namespace reprise {

/// Describes the nodes of a graph, one at a time, in the words in which
/// GraphBuilder takes them.
class NodeDescriber {
public:
  explicit NodeDescriber(const Graph &graph) : graph(graph) {}

  /// The description of \p n, to be changed at will; it lives as long as the
  /// graph and until the next call.
  NodeDescription describe(NodeId n);

private:
  using NamePairs = std::vector<std::pair<llvm::StringRef, llvm::StringRef>>;

  const Graph &graph;
  std::vector<llvm::StringRef> inputs, outputs;
  std::vector<int64_t> bytes;
  NamePairs alias, inplace;
};

/// Adds the name, the initializers and the inputs of \p graph to \p builder.
llvm::Error copyConstants(const Graph &graph, GraphBuilder &builder);

/// Adds the outputs of \p graph to \p builder.
llvm::Error copyOutputs(const Graph &graph, GraphBuilder &builder);

} // namespace reprise

#endif // REPRISE_GRAPH_GRAPHCOPY_H
