// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which moments to look at when there is not enough time for all: nodes along
// a path through the graph.

#ifndef REPRISE_PLANNER_PATHSCAN_H
#define REPRISE_PLANNER_PATHSCAN_H

#include "reprise/graph/Graph.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace reprise {

/// The nodes of a longest path, by number of nodes: the trunk of a network,
/// forward and back.
std::vector<NodeId> longestPath(const Graph &graph);

/// The nodes of a longest path among those that lead through \p node.
std::vector<NodeId> longestPathThrough(const Graph &graph, NodeId node);

/// Bytes that a step of \p node takes by itself: what it reads, what it makes,
/// its workspace.
int64_t stepBytes(const Graph &graph, NodeId node);

/// At most \p count of \p nodes: of each of as many equal stretches the one
/// with the largest step, or one of \p kept if there is one.
std::vector<NodeId> sampleNodes(const Graph &graph, llvm::ArrayRef<NodeId> nodes,
                                size_t count, llvm::ArrayRef<NodeId> kept = {});

/// The value of a node; adds to its second argument what it took.
using NodeValue = llvm::function_ref<double(NodeId, uint64_t &)>;

/// Looks for the largest value among \p nodes: at all of them if \p maxWork
/// allows; else evenly spread ones with half of it, halving the distance from
/// round to round, then climbs from the best. Stops at \p target.
double scanNodes(llvm::ArrayRef<NodeId> nodes, uint64_t maxWork, double target,
                 NodeValue valueAt);

} // namespace reprise

#endif // REPRISE_PLANNER_PATHSCAN_H
