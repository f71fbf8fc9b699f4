// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linear solver, if the build has one: COIN-OR CLP.

#ifndef REPRISE_PLANNER_LPSOLVER_H
#define REPRISE_PLANNER_LPSOLVER_H

#include "reprise/planner/LinearProgram.h"

#include <atomic>

namespace reprise {

/// Was Reprise built with a linear solver?
bool hasLpSolver();

/// Prices of the rows: of the optimum, or what the solver had when \p seconds
/// were over or \p stop was set. Without a solver: none.
std::vector<double> solveForDuals(const LinearProgram &program, double seconds,
                                  const std::atomic<bool> *stop);

} // namespace reprise

#endif // REPRISE_PLANNER_LPSOLVER_H
