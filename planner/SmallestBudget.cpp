// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halves the distance between the smallest peak at any price and the largest
// peak that is known to be affordable, a quick plan for each budget on the
// way, and plans for what it ends at with all effort.

#include "reprise/planner/SmallestBudget.h"

#include "reprise/planner/MinimizeMemory.h"
#include "reprise/planner/Search.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/Turn.h"

#include <algorithm>

namespace reprise {

/// Halvings: the last ones move the budget by less than a thousandth.
static constexpr int kHalvings = 10;

namespace {

class BudgetSearch {
public:
  BudgetSearch(const Problem &problem, const Strategy &strategy,
               const PlanOptions &options, double maxOverhead)
      : problem(problem), strategy(strategy), options(options),
        maxCost(costOfRuns(problem.costs, problem.graph.order()) *
                (1 + maxOverhead)),
        best(keepAll(problem, options)),
        bestPeak(peakOfRuns(problem.graph, best)) {}

  llvm::Expected<PlanResult> run();

private:
  void offer(RunSequence runs);
  void tryBudget(int64_t budgetBytes, const PlanOptions &effort);

  Problem problem;
  const Strategy &strategy;
  const PlanOptions &options;
  double maxCost;
  RunSequence best; ///< affordable, of the least peak
  int64_t bestPeak;
};

} // namespace

/// Takes \p runs if they are affordable and have a smaller peak, or the same
/// one at a lower cost.
void BudgetSearch::offer(RunSequence runs) {
  runs = forgetAtTurn(problem.graph, std::move(runs));
  double cost = costOfRuns(problem.costs, runs);
  int64_t peak = peakOfRuns(problem.graph, runs);
  bool better = peak < bestPeak ||
                (peak == bestPeak && cost < costOfRuns(problem.costs, best));
  if (cost > maxCost || !better)
    return;
  best = std::move(runs);
  bestPeak = peak;
}

/// Offers what the strategy finds for \p budgetBytes.
void BudgetSearch::tryBudget(int64_t budgetBytes, const PlanOptions &effort) {
  problem.budgetBytes = budgetBytes;
  offer(strategy.run(problem, effort).runs);
}

llvm::Expected<PlanResult> BudgetSearch::run() {
  RunSequence smallest = minimizeMemory(problem, best, options).runs;
  const int64_t lowest = peakOfRuns(problem.graph, smallest);
  int64_t low = lowest;
  // The cheapest plan of the smallest peak may be affordable where the first
  // one that was found is not.
  problem.budgetBytes = low;
  uint64_t work =
      std::max<uint64_t>(options.effort, defaultWork(problem.graph) / 4);
  offer(improve(problem, smallest, options, work));
  offer(smallest);
  tryBudget(low, options);
  PlanOptions quick = options;
  quick.effort = work / 2;
  for (int i = 0; i < kHalvings && low + 1 < bestPeak; ++i) {
    if (options.stop && options.stop->load())
      break;
    int64_t middle = low + (bestPeak - low) / 2;
    int64_t before = bestPeak;
    tryBudget(middle, quick);
    if (bestPeak == before)
      low = middle;
  }
  if (bestPeak > lowest)
    tryBudget(bestPeak, options);
  problem.budgetBytes = bestPeak;
  return evaluate(problem, options, best);
}

llvm::Expected<PlanResult> planSmallestBudget(const Problem &problem,
                                              const PlanOptions &options,
                                              double maxOverhead) {
  llvm::Expected<const Strategy *> strategy = findStrategy(options.strategy);
  if (!strategy)
    return strategy.takeError();
  return BudgetSearch(problem, **strategy, options, maxOverhead).run();
}

} // namespace reprise
