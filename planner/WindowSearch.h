// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short stretches of a plan, solved again by the exact method.

#ifndef REPRISE_PLANNER_WINDOWSEARCH_H
#define REPRISE_PLANNER_WINDOWSEARCH_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// Runs that take the place of the runs [\p from, \p to) of \p runs, which
/// fit: cheaper, within the budget, and with all that the runs behind them
/// read. None where there are no such runs, or none are found within \p limit
/// units of RunList::work(); what was done is added to \p work.
std::optional<RunSequence> solveWindow(const Problem &problem,
                                       llvm::ArrayRef<NodeId> runs, size_t from,
                                       size_t to, uint64_t limit,
                                       uint64_t &work,
                                       const std::atomic<bool> *stop = nullptr);

/// Slides a window over \p runs, which fit, and replaces what can be cheaper,
/// for \p limit units of work.
RunSequence improveWindows(const Problem &problem, RunSequence runs,
                           uint64_t limit,
                           const std::atomic<bool> *stop = nullptr);

} // namespace reprise

#endif // REPRISE_PLANNER_WINDOWSEARCH_H
