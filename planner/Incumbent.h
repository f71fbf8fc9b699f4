// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best plan so far of whoever tries several.

#ifndef REPRISE_PLANNER_INCUMBENT_H
#define REPRISE_PLANNER_INCUMBENT_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// The best sequence of runs seen so far: within the budget before beyond it,
/// then cheapest (beyond it: smallest peak), then fewest runs.
class Incumbent {
public:
  explicit Incumbent(const Problem &problem) : problem(problem) {}

  /// Peak of \p candidate, which is kept if it is the best so far.
  int64_t offer(RunSequence candidate);

  bool fits() const { return isKnown && peak <= problem.budgetBytes; }
  double cost() const { return bestCost; }
  const RunSequence &get() const { return runs; }
  RunSequence take() { return std::move(runs); }

private:
  const Problem &problem;
  RunSequence runs;
  bool isKnown = false; ///< something was offered
  int64_t peak = 0;
  double bestCost = 0;
};

} // namespace reprise

#endif // REPRISE_PLANNER_INCUMBENT_H
