// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trade of memory for time as a whole: the best plans of many budgets.

#ifndef REPRISE_PLANNER_CURVE_H
#define REPRISE_PLANNER_CURVE_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// The figures of a plan that was replayed.
struct CurvePlan {
  int64_t peakBytes = 0;
  double cost = 0;
  std::string strategy; ///< the one that made the plan
};

/// One budget of a curve.
struct CurvePoint {
  int64_t budgetBytes = 0;
  /// Proven: no plan within the budget costs less. Never rises along a curve.
  double lowerBound = 0;
  /// The cheapest plan that was found for any of the budgets and that fits this
  /// one; none: no plan was found. Costs never rise along a curve.
  std::optional<CurvePlan> plan;
};

struct Curve {
  std::vector<CurvePoint> points; ///< by rising budget
  int64_t baselinePeakBytes = 0;  ///< of keep-all
  double baselineCost = 0;        ///< every node once
};

/// \p count >= 1 budgets, evenly spaced from the floor to the baseline's peak,
/// which is always one of them; fewer where there are not as many bytes.
std::vector<int64_t> curveBudgets(const Graph &graph, uint32_t count);

/// Plans \p problem for each of \p budgetBytes, in any order; its own budget
/// plays no part. Limits of \p options are for each budget on its own; after a
/// stop the plans found by then serve all budgets. Fails as plan() does, except
/// that a budget without a plan is no failure.
llvm::Expected<Curve> planCurve(const Problem &problem,
                                std::vector<int64_t> budgetBytes,
                                const PlanOptions &options = {});

} // namespace reprise

#endif // REPRISE_PLANNER_CURVE_H
