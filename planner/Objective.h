// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a plan is charged for one run of a node.

#ifndef REPRISE_PLANNER_OBJECTIVE_H
#define REPRISE_PLANNER_OBJECTIVE_H

#include "reprise/graph/Graph.h"

#include <vector>

namespace reprise {

/// The unit of every cost of a plan.
enum class Objective : uint8_t {
  Flops,  ///< floating-point operations
  Seconds ///< measured seconds
};

/// Seconds where every node has a measured time, else FLOPs.
Objective defaultObjective(const Graph &graph);

/// "flops" or "seconds", as the schedule format spells it.
llvm::StringRef objectiveName(Objective objective);

/// Cost of one run of each node, indexed by NodeId, in the unit of
/// \p objective. A node without a figure costs 0.
std::vector<double> nodeCosts(const Graph &graph, Objective objective);

/// The largest number that all costs are whole multiples of; 0 when there is
/// none, or when their sum is not exact in a double.
double commonCostUnit(llvm::ArrayRef<double> costs);

} // namespace reprise

#endif // REPRISE_PLANNER_OBJECTIVE_H
