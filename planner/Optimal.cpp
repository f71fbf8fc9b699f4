// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Optimal.h"

#include "reprise/planner/ExactSearch.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Incumbent.h"
#include "reprise/planner/LowerBound.h"
#include "reprise/planner/RemainingTime.h"
#include "reprise/planner/Search.h"
#include "reprise/planner/Strategies.h"

#include <algorithm>

namespace reprise {

/// Wall-clock limit of the strategy when the user names none.
static constexpr double kDefaultSeconds = 60;

/// Work that one unit of --effort allows: an effort is a number of states.
static constexpr uint64_t kEffortWork = 500;

/// Costs are summed in many orders: a bound must not profit from it.
static constexpr double kRounding = 1 - 1e-12;

static bool isSmall(const Graph &graph) {
  return graph.numNodes() <= kOptimalMaxSize &&
         graph.numTensors() - graph.numConstants() <= kOptimalMaxSize;
}

/// The second and later runs.
static ExtraCost extraOf(const Problem &problem, llvm::ArrayRef<NodeId> runs) {
  ExtraCost extra;
  std::vector<uint8_t> ran(problem.graph.numNodes(), 0);
  for (NodeId n : runs) {
    if (ran[n]) {
      extra.cost += problem.costs[n];
      ++extra.runs;
    }
    ran[n] = 1;
  }
  return extra;
}

OptimalResult solveOptimal(const Problem &problem, const OptimalLimits &limits,
                           llvm::ArrayRef<NodeId> known) {
  const Graph &graph = problem.graph;
  OptimalResult result;
  double once = costOfRuns(problem.costs, graph.order());
  result.lowerBound = once * kRounding;
  if (peakFloor(graph).bytes > problem.budgetBytes) {
    result.proven = true;
    return result;
  }
  ExtraCost upper{std::numeric_limits<double>::infinity(), 0};
  if (!known.empty() && peakOfRuns(graph, known) <= problem.budgetBytes) {
    result.runs = known.vec();
    upper = extraOf(problem, known);
  }
  if (!isSmall(graph))
    return result;
  ExactSearch search(ExactModel(problem), {}, limits, upper);
  search.run();
  result.expanded = search.expanded;
  result.proven = search.isFinished;
  // The frees of a plan are placed anew from its runs.
  if (search.found && peakOfRuns(graph, *search.found) <= problem.budgetBytes)
    result.runs = std::move(search.found);
  else if (search.found)
    result.proven = false;
  if (result.runs && result.proven)
    result.lowerBound = costOfRuns(problem.costs, *result.runs) * kRounding;
  else if (!result.proven)
    result.lowerBound = (once + search.bound.cost) * kRounding;
  return result;
}

/// A good plan from the quick strategies: the one to beat.
static RunSequence quickPlan(const Problem &problem,
                             const PlanOptions &options) {
  Incumbent best(problem);
  best.offer(keepAll(problem, options));
  if (best.fits())
    return best.take();
  best.offer(greedy(problem, options));
  best.offer(chainDp(problem, options));
  uint64_t work = defaultWork(problem.graph) / 4;
  if (options.effort)
    work = std::min(work, options.effort);
  best.offer(improve(problem, best.get(), options, work));
  return best.take();
}

ProvenRuns optimal(const Problem &problem, const PlanOptions &options) {
  RemainingTime remaining(options);
  RunSequence known = quickPlan(problem, options);
  PlanOptions rest = remaining.in(options);
  OptimalLimits limits;
  limits.maxSeconds = rest.timeLimitSeconds;
  limits.stop = options.stop;
  if (options.effort) {
    limits.maxStates = std::min(limits.maxStates, options.effort);
    limits.maxWork =
        std::min(limits.maxWork / kEffortWork, options.effort) * kEffortWork;
  } else if (limits.maxSeconds < 0) {
    limits.maxSeconds = kDefaultSeconds;
  }
  OptimalResult result = solveOptimal(problem, limits, known);
  if (!result.runs)
    return {std::move(known), 0};
  // A search that had to stop may have proven less than the general bound.
  if (!result.proven)
    result.lowerBound = std::max(
        result.lowerBound,
        costLowerBound(problem, costOfRuns(problem.costs, *result.runs)));
  return {std::move(*result.runs), result.lowerBound};
}

} // namespace reprise
