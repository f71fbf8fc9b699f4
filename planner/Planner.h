// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of the library: a graph and a budget in, a checked plan out.

#ifndef REPRISE_PLANNER_PLANNER_H
#define REPRISE_PLANNER_PLANNER_H

#include "reprise/planner/Objective.h"
#include "reprise/planner/Plan.h"
#include "reprise/planner/PlanArena.h"
#include "reprise/planner/Simulator.h"

#include <atomic>
#include <limits>
#include <optional>
#include <string>

namespace reprise {

/// "No budget": every plan fits.
inline constexpr int64_t kNoBudget = std::numeric_limits<int64_t>::max();

/// What is asked: a graph, what a run costs, and how many bytes there are.
struct Problem {
  const Graph &graph;
  Objective objective = Objective::Flops;
  std::vector<double> costs; ///< per node, in the unit of `objective`
  /// Largest usage allowed, graph inputs and initializers included.
  int64_t budgetBytes = kNoBudget;

  /// The problem of \p graph under its default objective.
  static Problem of(const Graph &graph, int64_t budgetBytes = kNoBudget);
};

/// How hard the lower bound is worked on.
enum class BoundEffort : uint8_t {
  Fast, ///< nearly linear time
  Lp    ///< a linear relaxation as well; needs a solver in the build
};

/// How to go about it.
struct PlanOptions {
  std::string strategy = "auto";
  /// Wall-clock limit; negative: the searching strategies end by their work,
  /// which is scaled by the size of the graph. When it is over, the best plan
  /// so far is returned, or the first one that fits.
  double timeLimitSeconds = -1;
  /// Limit by search iterations instead of the clock, for results that do not
  /// depend on the machine; 0: none.
  uint64_t effort = 0;
  uint64_t seed = 1;
  unsigned threads = 2;
  BoundEffort bound = BoundEffort::Fast;
  /// Executable runs to start from, of a plan for another budget, say; empty:
  /// none. The strategies auto and search take it.
  RunSequence start;
  /// Set from outside to end the search early with the best plan so far.
  const std::atomic<bool> *stop = nullptr;
};

/// A plan that was replayed, with its figures.
struct PlanResult {
  Plan plan;
  Simulation simulation;
  std::string strategy;          ///< the one that made the plan
  int64_t baselinePeakBytes = 0; ///< of keep-all
  double baselineCost = 0;       ///< every node once
  /// Proven: no plan of this graph in this budget costs less.
  double lowerBound = 0;
  /// The search ended early: by `stop`.
  bool stopped = false;
  /// Of planWithArena(): where everything lies.
  std::optional<PlanArena> arena;
};

/// No plan within the budget was found. Exit code 1 of the command.
class InfeasibleBudget : public llvm::ErrorInfo<InfeasibleBudget> {
public:
  static char ID;

  int64_t budgetBytes = 0;
  int64_t floorBytes = 0;    ///< proven: no plan has a smaller peak
  std::string floorNode;     ///< what sets the floor; empty: the outputs
  int64_t constantBytes = 0; ///< graph inputs and initializers alone
  /// Smallest peak of any plan that was found.
  int64_t smallestBytes = 0;
  bool isSmallestProven = false; ///< no plan at all has a smaller one
  int64_t baselinePeakBytes = 0;
  /// Of planWithArena(): the budget was too small for the arenas of all plans
  /// that fit it, and smallestBytes includes the arena; 0: it was not that.
  int64_t arenaAlignment = 0;

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;
};

/// Replays \p runs and gathers the figures of the plan that they make;
/// \p provenBound is a bound of its cost that is known, 0 for none. Fails when
/// the runs are not executable.
llvm::Expected<PlanResult> evaluate(const Problem &problem,
                                    const PlanOptions &options,
                                    RunSequence runs, double provenBound = 0);

/// Fails with an InputError for a bound that this build cannot compute.
llvm::Error checkBound(const PlanOptions &options);

/// Plans \p problem with the strategy of \p options. The plan is replayed by
/// the Simulator and fits the budget. Fails with InfeasibleBudget, or with
/// InputError for an unknown strategy, a negative budget, or a bound that this
/// build cannot compute.
llvm::Expected<PlanResult> plan(const Problem &problem,
                                const PlanOptions &options = {});

} // namespace reprise

#endif // REPRISE_PLANNER_PLANNER_H
