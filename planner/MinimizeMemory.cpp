// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a peak step by step: asks the search for a plan under ever smaller
// budgets between the proven floor and the best peak so far, halving the
// distance. A budget that the search misses may still have lowered the peak,
// and what it found is the start of the next try. Small graphs end with the
// exact method, whose "no" is proof.

#include "reprise/planner/MinimizeMemory.h"

#include "reprise/planner/Floor.h"
#include "reprise/planner/Optimal.h"
#include "reprise/planner/Search.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/TimedStop.h"
#include "reprise/planner/Turn.h"

#include <algorithm>

namespace reprise {

/// Graphs up to this many nodes are tried with the exact method.
static constexpr size_t kExactNodes = 24;
static constexpr uint64_t kExactWork = 30'000'000;
/// Work of greedy for one budget.
static constexpr uint64_t kGreedyWork = 100'000'000;

namespace {

/// The least peak so far.
struct Smallest {
  const Problem &problem;
  RunSequence runs;
  int64_t peakBytes;

  bool offer(RunSequence candidate) {
    candidate = forgetAtTurn(problem.graph, std::move(candidate));
    int64_t peak = peakOfRuns(problem.graph, candidate);
    if (peak >= peakBytes)
      return false;
    peakBytes = peak;
    runs = std::move(candidate);
    return true;
  }
};

} // namespace

/// True when the least peak is certain.
static bool bisectByExactMethod(Smallest &smallest, int64_t low) {
  Problem asked = smallest.problem;
  OptimalLimits limits;
  limits.maxWork = kExactWork;
  bool isCertain = true;
  while (low < smallest.peakBytes) {
    asked.budgetBytes = low + (smallest.peakBytes - 1 - low) / 2;
    OptimalResult result = solveOptimal(asked, limits);
    if (!result.runs || !smallest.offer(std::move(*result.runs))) {
      isCertain &= result.proven && !result.runs;
      low = asked.budgetBytes + 1;
    }
  }
  return isCertain;
}

SmallestPlan minimizeMemory(const Problem &problem,
                            llvm::ArrayRef<NodeId> start,
                            const PlanOptions &options) {
  const Graph &graph = problem.graph;
  RunSequence base = keepAll(problem, options);
  Smallest smallest{problem, base, peakOfRuns(graph, base)};
  smallest.offer(RunSequence(start.begin(), start.end()));
  if (isTooLargeToPlan(graph))
    return {std::move(smallest.runs)};
  int64_t floor = peakFloor(graph).bytes;

  Problem asked = problem;
  asked.budgetBytes = floor;
  smallest.offer(sqrtN(asked, options));
  smallest.offer(chainDp(asked, options));
  int64_t low = floor;
  uint64_t work = defaultWork(graph) / 16;
  // Ten halvings end within a thousandth of the distance.
  int halvings = work > 0 ? 10 : 3;
  for (int i = 0; i < halvings && low < smallest.peakBytes; ++i) {
    if (isStopped(options))
      break;
    asked.budgetBytes = low + (smallest.peakBytes - 1 - low) / 2;
    int64_t before = smallest.peakBytes;
    smallest.offer(greedyWithin(asked, options, kGreedyWork));
    if (smallest.peakBytes > asked.budgetBytes && work > 0)
      smallest.offer(improve(asked, smallest.runs, options, work));
    if (smallest.peakBytes == before || smallest.peakBytes > asked.budgetBytes)
      low = asked.budgetBytes + 1;
  }
  bool isProven = smallest.peakBytes == floor;
  if (!isProven && graph.numNodes() <= kExactNodes)
    isProven = bisectByExactMethod(smallest, floor);
  return {std::move(smallest.runs), isProven};
}

} // namespace reprise
