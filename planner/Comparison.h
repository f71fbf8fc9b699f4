// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All strategies on one problem.

#ifndef REPRISE_PLANNER_COMPARISON_H
#define REPRISE_PLANNER_COMPARISON_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// What one strategy found.
struct ComparedPlan {
  std::string strategy;
  int64_t peakBytes = 0; ///< of the best that it found
  double cost = 0;       ///< of that, in the unit of the objective
  size_t recomputedRuns = 0;
  double seconds = 0; ///< wall clock of the strategy alone
  bool fits = false;  ///< within the budget
};

struct Comparison {
  std::vector<ComparedPlan> plans; ///< in the order that was asked for
  int64_t baselinePeakBytes = 0;   ///< of keep-all
  double baselineCost = 0;         ///< every node once
  /// Proven by any of the strategies or by the bound: no plan within the budget
  /// costs less.
  double lowerBound = 0;
};

/// Runs \p strategies on \p problem, each with the limits of \p options for
/// itself. After a stop the rest is left out. Fails with an InputError for an
/// unknown strategy or a bound that this build cannot compute.
llvm::Expected<Comparison>
compareStrategies(const Problem &problem,
                  llvm::ArrayRef<std::string> strategies,
                  const PlanOptions &options);

} // namespace reprise

#endif // REPRISE_PLANNER_COMPARISON_H
