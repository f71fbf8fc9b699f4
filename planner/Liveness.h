// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tensors die. A sequence of runs decides everything else of a plan: a
// residency of a tensor begins when its node runs and is best ended right
// after the last run that reads it before the node runs again.
//
//   runs   f1   f2   f3   b3   f1   b2
//   a1     [make read]         [make read]      two residencies of a1

#ifndef REPRISE_PLANNER_LIVENESS_H
#define REPRISE_PLANNER_LIVENESS_H

#include "reprise/planner/Plan.h"

namespace reprise {

/// Tensors to free after each run: row k belongs to run k. Graph outputs stay
/// from their last making on; what a run overwrites in place is not freed.
/// Linear in the reads and makings of \p runs.
Rows freesAfterRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs);

/// The plan of \p runs with every free at the earliest place.
Plan planFromRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs);

/// The runs of \p plan.
RunSequence runsOf(const Plan &plan);

/// Drops every run whose outputs nobody reads before they are made again,
/// first runs excepted: such a run is work for nothing. Repeats until none is
/// left, as the reads of a dropped run may have been the last of others.
RunSequence withoutIdleRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs);

} // namespace reprise

#endif // REPRISE_PLANNER_LIVENESS_H
