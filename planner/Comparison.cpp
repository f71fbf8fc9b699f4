// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Comparison.h"

#include "reprise/planner/Liveness.h"
#include "reprise/planner/LowerBound.h"
#include "reprise/planner/LpBound.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/TimedStop.h"
#include "reprise/planner/Turn.h"

#include <algorithm>
#include <chrono>

namespace reprise {

/// Time of `optimal` where no limit is given: it would go on for a minute.
static constexpr double kOptimalSeconds = 10;

namespace {

/// Runs one strategy after the other and keeps the best bound.
class StrategyRace {
public:
  StrategyRace(const Problem &problem, const PlanOptions &options)
      : problem(problem), options(options) {}

  llvm::Error add(llvm::StringRef name);
  Comparison finish();

private:
  double bound() const;

  const Problem &problem;
  const PlanOptions &options;
  Comparison result;
};

} // namespace

llvm::Error StrategyRace::add(llvm::StringRef name) {
  llvm::Expected<const Strategy *> strategy = findStrategy(name);
  if (!strategy)
    return strategy.takeError();
  auto start = std::chrono::steady_clock::now();
  ProvenRuns found;
  {
    PlanOptions limited = options;
    if (name == "optimal" && options.timeLimitSeconds < 0)
      limited.timeLimitSeconds = kOptimalSeconds;
    TimedStop timer(limited);
    found = (*strategy)->run(problem, timer.in(limited));
  }
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  RunSequence runs = forgetAtTurn(problem.graph, std::move(found.runs));
  llvm::Expected<Simulation> simulation =
      simulate(problem.graph, problem.costs, planFromRuns(problem.graph, runs));
  if (!simulation)
    return simulation.takeError();
  result.plans.push_back({name.str(), simulation->peakBytes, simulation->cost,
                          simulation->recomputedRuns, elapsed.count(),
                          simulation->peakBytes <= problem.budgetBytes});
  result.lowerBound = std::max(result.lowerBound, found.lowerBound);
  return llvm::Error::success();
}

/// The bound of the budget, as far as the cheapest plan needs it.
double StrategyRace::bound() const {
  if (problem.budgetBytes >= result.baselinePeakBytes)
    return result.baselineCost;
  double cheapest = std::numeric_limits<double>::infinity();
  for (const ComparedPlan &plan : result.plans)
    if (plan.fits)
      cheapest = std::min(cheapest, plan.cost);
  if (cheapest == std::numeric_limits<double>::infinity())
    return std::max(result.lowerBound, result.baselineCost);
  double bound = std::max(result.lowerBound,
                          costLowerBound(problem, cheapest, options.stop));
  if (options.bound == BoundEffort::Lp && bound < cheapest)
    bound = std::max(bound, lpLowerBound(problem, options));
  // A bound that is short of the cost by the rounding of sums is reached.
  return bound >= cheapest * (1 - 2e-12) ? cheapest : bound;
}

Comparison StrategyRace::finish() {
  const Graph &graph = problem.graph;
  result.baselinePeakBytes = peakOfRuns(graph, graph.order());
  result.baselineCost = costOfRuns(problem.costs, graph.order());
  result.lowerBound = bound();
  return std::move(result);
}

llvm::Expected<Comparison>
compareStrategies(const Problem &problem,
                  llvm::ArrayRef<std::string> strategies,
                  const PlanOptions &options) {
  if (llvm::Error e = checkBound(options))
    return e;
  for (const std::string &name : strategies)
    if (llvm::Expected<const Strategy *> known = findStrategy(name); !known)
      return known.takeError();
  StrategyRace race(problem, options);
  for (const std::string &name : strategies) {
    if (isStopped(options))
      break;
    if (llvm::Error e = race.add(name))
      return e;
  }
  return race.finish();
}

} // namespace reprise
