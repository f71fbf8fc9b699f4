// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans whose arena fits the budget, not only the bytes that are live.

#ifndef REPRISE_PLANNER_ARENAPLANNER_H
#define REPRISE_PLANNER_ARENAPLANNER_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// Plans \p problem so that the arena of the plan, with offsets that are
/// multiples of \p alignment, and the graph's inputs and initializers together
/// fit the budget. Fails like plan().
llvm::Expected<PlanResult> planWithArena(const Problem &problem,
                                         const PlanOptions &options,
                                         int64_t alignment);

} // namespace reprise

#endif // REPRISE_PLANNER_ARENAPLANNER_H
