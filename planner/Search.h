// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local search over whole sequences of runs.

#ifndef REPRISE_PLANNER_SEARCH_H
#define REPRISE_PLANNER_SEARCH_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// Improves \p start within the budget of \p problem, or, while nothing fits,
/// towards it. The result is never dearer than \p start if that fits. \p work
/// bounds the effort (units of RunList::work()); the same work gives the same
/// result on every machine and with any number of threads.
/// \p options.timeLimitSeconds and \p options.stop end it early.
RunSequence improve(const Problem &problem, llvm::ArrayRef<NodeId> start,
                    const PlanOptions &options, uint64_t work);

/// The effort that suits a graph when the user names no limit.
uint64_t defaultWork(const Graph &graph);

} // namespace reprise

#endif // REPRISE_PLANNER_SEARCH_H
