// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each budget is planned on its own, or all from one table where the strategy
// has one. A plan is good for every budget that its peak fits, so each point
// takes the cheapest of all, and a bound for every smaller budget, so each
// point takes the highest of those at its right: both curves only fall.

#include "reprise/planner/Curve.h"

#include "reprise/graph/Error.h"
#include "reprise/planner/ChainDp.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/Turn.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace reprise {

std::vector<int64_t> curveBudgets(const Graph &graph, uint32_t count) {
  int64_t high = peakOfRuns(graph, graph.order());
  int64_t low = std::min(peakFloor(graph).bytes, high);
  std::vector<int64_t> budgets;
  for (uint32_t i = 0; i + 1 < count; ++i)
    budgets.push_back(low + int64_t((__int128)(high - low) * i / (count - 1)));
  budgets.push_back(high);
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

namespace {

class CurvePlanning {
public:
  CurvePlanning(const Problem &problem, const PlanOptions &options)
      : problem(problem), options(options),
        floorBytes(peakFloor(problem.graph).bytes) {
    curve.baselinePeakBytes = peakOfRuns(problem.graph, problem.graph.order());
    curve.baselineCost = costOfRuns(problem.costs, problem.graph.order());
  }

  llvm::Error run(llvm::ArrayRef<int64_t> budgets);
  Curve finish();

private:
  llvm::Error planOne(CurvePoint &point);
  llvm::Error planFromTable();
  void take(CurvePoint &point, const PlanResult &result);
  bool isStopped() const { return options.stop && options.stop->load(); }

  Problem problem;
  const PlanOptions &options;
  int64_t floorBytes;
  /// Budgets below it were found to be too small.
  int64_t hopelessBytes = 0;
  Curve curve;
};

} // namespace

void CurvePlanning::take(CurvePoint &point, const PlanResult &result) {
  point.plan = {result.simulation.peakBytes, result.simulation.cost,
                result.strategy};
  point.lowerBound = std::max(point.lowerBound, result.lowerBound);
}

llvm::Error CurvePlanning::planOne(CurvePoint &point) {
  problem.budgetBytes = point.budgetBytes;
  llvm::Expected<PlanResult> result = plan(problem, options);
  if (result) {
    take(point, *result);
    return llvm::Error::success();
  }
  return llvm::handleErrors(
      result.takeError(), [&](const InfeasibleBudget &error) {
        hopelessBytes = std::max(hopelessBytes, error.smallestBytes);
      });
}

/// The interval dynamic program answers all budgets from one table.
llvm::Error CurvePlanning::planFromTable() {
  std::vector<int64_t> budgets;
  for (const CurvePoint &point : curve.points)
    budgets.push_back(point.budgetBytes);
  std::vector<RunSequence> found = chainDpCurve(problem, budgets);
  for (auto [point, runs] : llvm::zip(curve.points, found)) {
    runs = forgetAtTurn(problem.graph, std::move(runs));
    if (peakOfRuns(problem.graph, runs) > point.budgetBytes)
      continue;
    problem.budgetBytes = point.budgetBytes;
    llvm::Expected<PlanResult> result =
        evaluate(problem, options, std::move(runs));
    if (!result)
      return result.takeError();
    take(point, *result);
  }
  return llvm::Error::success();
}

llvm::Error CurvePlanning::run(llvm::ArrayRef<int64_t> budgets) {
  for (int64_t budget : budgets) {
    CurvePoint point;
    point.budgetBytes = budget;
    point.lowerBound = curve.baselineCost;
    curve.points.push_back(std::move(point));
  }
  if (options.strategy == "chain")
    return planFromTable();
  for (CurvePoint &point : curve.points) {
    if (isStopped())
      break;
    if (point.budgetBytes >= std::max(floorBytes, hopelessBytes))
      if (llvm::Error e = planOne(point))
        return e;
  }
  return llvm::Error::success();
}

Curve CurvePlanning::finish() {
  std::vector<CurvePoint> &points = curve.points;
  std::vector<CurvePlan> plans;
  for (const CurvePoint &point : points)
    if (point.plan)
      plans.push_back(*point.plan);
  llvm::stable_sort(plans, [](const CurvePlan &x, const CurvePlan &y) {
    return std::tie(x.peakBytes, x.cost) < std::tie(y.peakBytes, y.cost);
  });
  const CurvePlan *best = nullptr;
  size_t next = 0;
  for (CurvePoint &point : points) {
    for (; next < plans.size() && plans[next].peakBytes <= point.budgetBytes;
         ++next)
      if (!best || plans[next].cost < best->cost)
        best = &plans[next];
    if (best)
      point.plan = *best;
  }
  for (size_t i = points.size(); i-- > 0;) {
    CurvePoint &point = points[i];
    if (i + 1 < points.size())
      point.lowerBound = std::max(point.lowerBound, points[i + 1].lowerBound);
    // A bound that is above the cost by the rounding of sums is reached.
    if (point.plan)
      point.lowerBound = std::min(point.lowerBound, point.plan->cost);
  }
  return std::move(curve);
}

llvm::Expected<Curve> planCurve(const Problem &problem,
                                std::vector<int64_t> budgetBytes,
                                const PlanOptions &options) {
  llvm::Expected<const Strategy *> strategy = findStrategy(options.strategy);
  if (!strategy)
    return strategy.takeError();
  if (llvm::Error e = checkBound(options))
    return e;
  if (llvm::any_of(budgetBytes, [](int64_t bytes) { return bytes < 0; }))
    return makeInputError("budget: expected a non-negative number of bytes");
  llvm::sort(budgetBytes);
  budgetBytes.erase(std::unique(budgetBytes.begin(), budgetBytes.end()),
                    budgetBytes.end());
  CurvePlanning planning(problem, options);
  if (llvm::Error e = planning.run(budgetBytes))
    return e;
  return planning.finish();
}

} // namespace reprise
