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

#include <algorithm>

namespace reprise {

/// Graphs up to this many nodes are tried with the exact method.
static constexpr size_t kExactNodes = 24;

namespace {

/// The least peak so far.
struct Smallest {
  const Problem &problem;
  RunSequence runs;
  int64_t peakBytes;

  bool offer(RunSequence candidate) {
    int64_t peak = peakOfRuns(problem.graph, candidate);
    if (peak >= peakBytes)
      return false;
    peakBytes = peak;
    runs = std::move(candidate);
    return true;
  }
};

} // namespace

static void bisectByExactMethod(Smallest &smallest, int64_t low) {
  Problem asked = smallest.problem;
  OptimalLimits limits;
  limits.maxWork = 50'000'000;
  while (low < smallest.peakBytes) {
    asked.budgetBytes = low + (smallest.peakBytes - 1 - low) / 2;
    OptimalResult result = solveOptimal(asked, limits);
    if (!result.runs || !smallest.offer(std::move(*result.runs)))
      low = asked.budgetBytes + 1;
  }
}

RunSequence minimizeMemory(const Problem &problem, llvm::ArrayRef<NodeId> start,
                           const PlanOptions &options) {
  const Graph &graph = problem.graph;
  RunSequence base = keepAll(problem, options);
  Smallest smallest{problem, base, peakOfRuns(graph, base)};
  smallest.offer(RunSequence(start.begin(), start.end()));
  int64_t floor = peakFloor(graph).bytes;

  Problem asked = problem;
  int64_t low = floor;
  uint64_t work = defaultWork(graph) / 16;
  // Ten halvings end within a thousandth of the distance.
  for (int i = 0; i < 10 && low < smallest.peakBytes && work > 0; ++i) {
    asked.budgetBytes = low + (smallest.peakBytes - 1 - low) / 2;
    int64_t before = smallest.peakBytes;
    smallest.offer(greedy(asked, options));
    if (smallest.peakBytes > asked.budgetBytes)
      smallest.offer(improve(asked, smallest.runs, options, work));
    if (smallest.peakBytes == before || smallest.peakBytes > asked.budgetBytes)
      low = asked.budgetBytes + 1;
  }
  if (graph.numNodes() <= kExactNodes)
    bisectByExactMethod(smallest, floor);
  return std::move(smallest.runs);
}

} // namespace reprise
