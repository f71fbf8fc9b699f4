// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planning strategies. A strategy returns the cheapest sequence of runs
// within the budget that it finds; if it finds none within the budget, the one
// with the smallest peak. plan() replays and judges what comes back.

#ifndef REPRISE_PLANNER_STRATEGIES_H
#define REPRISE_PLANNER_STRATEGIES_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// What a strategy found, and what it proved on the way.
struct ProvenRuns {
  RunSequence runs;
  /// No plan within the budget costs less; 0: nothing was proven.
  double lowerBound = 0;
};

using StrategyFunction = ProvenRuns (*)(const Problem &, const PlanOptions &);

/// One row of the table of strategies.
struct Strategy {
  llvm::StringRef name;
  llvm::StringRef summary; ///< one line for --help
  llvm::StringRef limits;  ///< when it gives up or is slow
  StrategyFunction run;
};

/// Every strategy, in the order of the help text.
llvm::ArrayRef<Strategy> strategies();

/// The strategy of that name, or an InputError that lists them all.
llvm::Expected<const Strategy *> findStrategy(llvm::StringRef name);

/// Everything kept that is still needed, freed at its last use: the nodes in
/// topological order, each once.
RunSequence keepAll(const Problem &problem, const PlanOptions &options);

/// Chen et al. 2016 (arXiv:1604.06174), section 4: segments between cuts.
RunSequence sqrtN(const Problem &problem, const PlanOptions &options);

/// Drops and recomputes what is cheapest per byte where the profile is over
/// the budget.
RunSequence greedy(const Problem &problem, const PlanOptions &options);

/// The same, giving up when \p work (units of RunList::work()) is done: the
/// sequence may then exceed the budget.
RunSequence greedyWithin(const Problem &problem, const PlanOptions &options,
                         uint64_t work);

/// The same from \p start, executable runs, instead of the baseline.
RunSequence greedyFrom(const Problem &problem, const PlanOptions &options,
                       RunSequence start, uint64_t work);

/// Interval dynamic programming over cuts (rotor, Revolve and Chen in one).
RunSequence chainDp(const Problem &problem, const PlanOptions &options);

/// Local search from the best plan of the strategies above.
RunSequence search(const Problem &problem, const PlanOptions &options);

/// Best-first search over all orders and recomputations; small graphs.
ProvenRuns optimal(const Problem &problem, const PlanOptions &options);

/// All of the above that suit the graph; the cheapest plan that fits.
ProvenRuns automatic(const Problem &problem, const PlanOptions &options);

/// Are the sizes so large that sums of them can overflow where storages are
/// resident twice? Such a graph is not planned beyond the baseline.
bool isTooLargeToPlan(const Graph &graph);

} // namespace reprise

#endif // REPRISE_PLANNER_STRATEGIES_H
