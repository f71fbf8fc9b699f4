// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moments at which a plan is short of memory most.

#ifndef REPRISE_PLANNER_MOMENTSCAN_H
#define REPRISE_PLANNER_MOMENTSCAN_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// The largest bound of the extra cost at single moments that is found with
/// limited effort: at all nodes of a small graph, else at nodes of \p path, a
/// path through the graph. Infinite when nothing fits the budget. Stops at a
/// bound of \p target.
double bestMoment(const Problem &problem, llvm::ArrayRef<NodeId> path,
                  double target);

} // namespace reprise

#endif // REPRISE_PLANNER_MOMENTSCAN_H
