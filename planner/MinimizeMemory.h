// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest budget that a plan can be found for.

#ifndef REPRISE_PLANNER_MINIMIZEMEMORY_H
#define REPRISE_PLANNER_MINIMIZEMEMORY_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// What minimizeMemory() found.
struct SmallestPlan {
  RunSequence runs;
  bool isProven = false; ///< no sequence has a smaller peak
};

/// A sequence of as small a peak as is found, starting from \p start, whose
/// cost does not matter. The budget of \p problem is ignored.
SmallestPlan minimizeMemory(const Problem &problem,
                            llvm::ArrayRef<NodeId> start,
                            const PlanOptions &options);

} // namespace reprise

#endif // REPRISE_PLANNER_MINIMIZEMEMORY_H
