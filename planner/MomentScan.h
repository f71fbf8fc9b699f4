// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moments at which a plan is short of memory most.

#ifndef REPRISE_PLANNER_MOMENTSCAN_H
#define REPRISE_PLANNER_MOMENTSCAN_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// A bound of the extra cost, and the node at whose first run it holds.
struct BestMoment {
  double cost = 0; ///< infinite when nothing fits the budget
  NodeId node = kNone;
};

/// The largest bound at single moments that is found with limited effort: at
/// all nodes of a small graph, else at nodes of \p path, a path through the
/// graph. Stops at a bound of \p target.
BestMoment bestMoment(const Problem &problem, llvm::ArrayRef<NodeId> path,
                      double target, const std::atomic<bool> *stop = nullptr);

} // namespace reprise

#endif // REPRISE_PLANNER_MOMENTSCAN_H
