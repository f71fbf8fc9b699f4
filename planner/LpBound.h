// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lower bound that takes its time: a linear relaxation.

#ifndef REPRISE_PLANNER_LPBOUND_H
#define REPRISE_PLANNER_LPBOUND_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// No plan of \p problem within its budget costs less. From the relaxed stage
/// formulation along paths of a dozen moments and more. Takes up to a minute, or \p options.timeLimitSeconds; ended early
/// by \p options.stop. Without a linear solver in the build: 0.
double lpLowerBound(const Problem &problem, PlanOptions options);

} // namespace reprise

#endif // REPRISE_PLANNER_LPBOUND_H
