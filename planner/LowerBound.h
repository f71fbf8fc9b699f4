// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Proven lower bounds of the cost of every plan within a budget.

#ifndef REPRISE_PLANNER_LOWERBOUND_H
#define REPRISE_PLANNER_LOWERBOUND_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// No plan of \p problem within its budget costs less; infinite when it is
/// certain that nothing fits. At least the cost of running each node once.
/// Nearly linear time, bounded effort; holds for every order and every
/// recomputation, not only for the order of the file. A bound that comes to
/// \p target, the cost of a known plan, is not sharpened further; nor is one
/// after \p stop was set.
double costLowerBound(const Problem &problem,
                      double target = std::numeric_limits<double>::infinity(),
                      const std::atomic<bool> *stop = nullptr);

} // namespace reprise

#endif // REPRISE_PLANNER_LOWERBOUND_H
