// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Planner.h"

#include "reprise/graph/Error.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/LowerBound.h"
#include "reprise/planner/LpBound.h"
#include "reprise/planner/LpSolver.h"
#include "reprise/planner/MinimizeMemory.h"
#include "reprise/planner/Search.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/TimedStop.h"
#include "reprise/planner/Turn.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cassert>

namespace reprise {

char InfeasibleBudget::ID = 0;

void InfeasibleBudget::log(llvm::raw_ostream &os) const {
  if (arenaAlignment > 0) {
    os << "no plan was found whose arena fits " << budgetBytes
       << " bytes: the smallest, with an alignment of " << arenaAlignment
       << " and graph inputs and initializers of " << constantBytes
       << ", takes " << smallestBytes << " bytes";
    return;
  }
  os << "no plan fits " << budgetBytes << " bytes: ";
  if (budgetBytes < constantBytes)
    os << "graph inputs and initializers alone take " << constantBytes
       << " bytes; ";
  os << "the floor of any plan is " << floorBytes << " bytes, set by "
     << (floorNode.empty() ? "the graph's outputs" : "node " + floorNode)
     << "; the smallest budget that a plan was found for is " << smallestBytes
     << " bytes";
  if (smallestBytes >= baselinePeakBytes)
    os << ", the peak without recomputation: recomputation "
       << (isSmallestProven ? "cannot" : "was not found to") << " help";
}

std::error_code InfeasibleBudget::convertToErrorCode() const {
  return std::make_error_code(std::errc::not_enough_memory);
}

Problem Problem::of(const Graph &graph, int64_t budgetBytes) {
  Objective objective = defaultObjective(graph);
  return {graph, objective, nodeCosts(graph, objective), budgetBytes};
}

static llvm::Error infeasible(const Problem &problem, int64_t baseline,
                              const SmallestPlan &smallest) {
  Floor floor = peakFloor(problem.graph);
  InfeasibleBudget error;
  error.budgetBytes = problem.budgetBytes;
  error.floorBytes = floor.bytes;
  if (floor.node != kNone)
    error.floorNode = problem.graph.nodeName(floor.node).str();
  error.constantBytes = problem.graph.constantBytes();
  error.baselinePeakBytes = baseline;
  error.smallestBytes = peakOfRuns(problem.graph, smallest.runs);
  error.isSmallestProven = smallest.isProven;
  return llvm::make_error<InfeasibleBudget>(std::move(error));
}

llvm::Expected<PlanResult> evaluate(const Problem &problem,
                                    const PlanOptions &options,
                                    RunSequence runs, double provenBound) {
  const Graph &graph = problem.graph;
  PlanResult result;
  result.baselinePeakBytes = peakOfRuns(graph, graph.order());
  result.baselineCost = costOfRuns(problem.costs, graph.order());
  result.plan = planFromRuns(graph, runs);
  llvm::Expected<Simulation> simulation =
      simulate(graph, problem.costs, result.plan);
  if (!simulation)
    return simulation.takeError();
  result.simulation = std::move(*simulation);
  double cost = result.simulation.cost;
  result.lowerBound = problem.budgetBytes >= result.baselinePeakBytes
                          ? result.baselineCost
                      : provenBound > 0 ? provenBound
                                        : costLowerBound(problem, cost);
  if (options.bound == BoundEffort::Lp && result.lowerBound < cost)
    result.lowerBound =
        std::max(result.lowerBound, lpLowerBound(problem, options));
  // A bound that is short of the cost by the rounding of sums is reached.
  if (result.lowerBound >= cost * (1 - 2e-12))
    result.lowerBound = cost;
  result.strategy = options.strategy;
  result.stopped = options.stop && options.stop->load();
  return result;
}

llvm::Error checkBound(const PlanOptions &options) {
  if (options.bound == BoundEffort::Lp && !hasLpSolver())
    return makeInputError("bound 'lp': this build has no linear solver "
                          "(COIN-OR CLP)");
  return llvm::Error::success();
}

llvm::Expected<PlanResult> plan(const Problem &problem,
                                const PlanOptions &options) {
  if (problem.budgetBytes < 0)
    return makeInputError("budget: expected a non-negative number of bytes");
  llvm::Expected<const Strategy *> strategy = findStrategy(options.strategy);
  if (!strategy)
    return strategy.takeError();
  if (llvm::Error e = checkBound(options))
    return e;

  const Graph &graph = problem.graph;
  TimedStop timer(options);
  PlanOptions limited = timer.in(options);
  ProvenRuns found = (*strategy)->run(problem, limited);
  found.runs = forgetAtTurn(graph, std::move(found.runs));
  if (peakOfRuns(graph, found.runs) > problem.budgetBytes) {
    SmallestPlan smallest = minimizeMemory(problem, found.runs, limited);
    bool fits = peakOfRuns(graph, smallest.runs) <= problem.budgetBytes;
    if (!fits || (*strategy)->name != "auto")
      return infeasible(problem, peakOfRuns(graph, graph.order()), smallest);
    // Looking for the smallest budget found what looking for this one missed.
    found.runs =
        improve(problem, smallest.runs, limited,
                std::max<uint64_t>(options.effort, defaultWork(graph)));
  }
  double bound = found.lowerBound;
  if (bound <= 0)
    bound = costLowerBound(problem, costOfRuns(problem.costs, found.runs),
                           limited.stop);
  return evaluate(problem, options, std::move(found.runs), bound);
}

} // namespace reprise
