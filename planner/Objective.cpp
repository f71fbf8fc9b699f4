// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

double commonCostUnit(llvm::ArrayRef<double> costs) {
  constexpr double kExact = double(int64_t(1) << 53);
  double sum = 0;
  int64_t unit = 0;
  for (double cost : costs) {
    sum += cost;
    if (sum >= kExact || cost != std::floor(cost))
      return 0;
    unit = std::gcd(unit, int64_t(cost));
  }
  return double(unit);
}

} // namespace reprise
