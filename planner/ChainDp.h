// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategy `chainDp` for several budgets at once.

#ifndef REPRISE_PLANNER_CHAINDP_H
#define REPRISE_PLANNER_CHAINDP_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// What chainDp finds for each of \p budgetBytes, in their order, from one
/// table; the budget of \p problem plays no part. A budget that nothing fits
/// gets the sequence with the smallest peak that was found for it.
std::vector<RunSequence> chainDpCurve(const Problem &problem,
                                      llvm::ArrayRef<int64_t> budgetBytes,
                                      const std::atomic<bool> *stop = nullptr);

} // namespace reprise

#endif // REPRISE_PLANNER_CHAINDP_H
