// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For builds without COIN-OR CLP.

#include "reprise/planner/LpSolver.h"

namespace reprise {

bool hasLpSolver() { return false; }

std::vector<double> solveForDuals(const LinearProgram &, double,
                                  const std::atomic<bool> *) {
  return {};
}

} // namespace reprise
