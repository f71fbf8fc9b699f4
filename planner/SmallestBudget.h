// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The question turned round: not the cheapest plan within a budget, but the
// smallest budget for which a plan is cheap enough.

#ifndef REPRISE_PLANNER_SMALLESTBUDGET_H
#define REPRISE_PLANNER_SMALLESTBUDGET_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// "At any price".
inline constexpr double kNoOverheadLimit =
    std::numeric_limits<double>::infinity();

/// A plan of the smallest peak that is found whose cost is at most
/// (1 + \p maxOverhead) times the baseline's; its peak is the budget that its
/// lower bound is for. The budget of \p problem plays no part. Never fails for
/// a sound graph: the baseline has no overhead.
llvm::Expected<PlanResult>
planSmallestBudget(const Problem &problem, const PlanOptions &options,
                   double maxOverhead = kNoOverheadLimit);

} // namespace reprise

#endif // REPRISE_PLANNER_SMALLESTBUDGET_H
