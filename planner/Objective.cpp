// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Objective.h"

#include <algorithm>

namespace reprise {

Objective defaultObjective(const Graph &graph) {
  return graph.isTimed() ? Objective::Seconds : Objective::Flops;
}

llvm::StringRef objectiveName(Objective objective) {
  return objective == Objective::Seconds ? "seconds" : "flops";
}

std::vector<double> nodeCosts(const Graph &graph, Objective objective) {
  std::vector<double> costs(graph.numNodes());
  for (NodeId n = 0; n < costs.size(); ++n)
    costs[n] = std::max(0.0, objective == Objective::Seconds
                                 ? graph.seconds(n)
                                 : graph.flops(n));
  return costs;
}

} // namespace reprise
