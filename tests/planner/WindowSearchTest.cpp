// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/WindowSearch.h"

#include "reprise/planner/Incumbent.h"
#include "reprise/planner/Strategies.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

/// Budgets between the smallest peak that greedy finds and the baseline's.
static int64_t tightBudget(const Graph &graph, uint64_t percent) {
  Problem least = Problem::of(graph, 0);
  int64_t low = peakOfRuns(graph, greedy(least, {}));
  int64_t high = peakOfRuns(graph, graph.order());
  return low + (high - low) / 100 * int64_t(percent);
}

TEST_CASE("a window is replaced by a cheaper one that fits, or not at all") {
  int improved = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    RandomGraphOptions options;
    options.forwardNodes = 12;
    options.largestBytes = 1000;
    options.inplaceShare = 0;
    Graph graph = randomGraph(seed, options);
    Problem problem = Problem::of(graph, tightBudget(graph, seed % 3 * 30));
    RunSequence runs = greedy(problem, {});
    if (peakOfRuns(graph, runs) > problem.budgetBytes)
      continue;
    RunSequence better = improveWindows(problem, runs, 50'000'000);
    REQUIRE(peakOfRuns(graph, better) <= problem.budgetBytes);
    double before = costOfRuns(problem.costs, runs);
    double after = costOfRuns(problem.costs, better);
    CHECK(after <= before);
    improved += after < before;
  }
  MESSAGE("improved: " << improved);
  CHECK(improved >= 10);
}

TEST_CASE("a window over the whole of a small plan is solved to the optimum") {
  int solved = 0;
  for (uint64_t seed = 1; seed <= 90; ++seed) {
    CAPTURE(seed);
    RandomGraphOptions small;
    small.inplaceShare = 0;
    Graph graph = randomGraph(seed, small);
    Problem problem = Problem::of(graph, tightBudget(graph, 20));
    RunSequence runs = greedy(problem, {});
    ProvenRuns best = optimal(problem, {});
    double optimum = costOfRuns(problem.costs, best.runs);
    if (peakOfRuns(graph, runs) > problem.budgetBytes ||
        costOfRuns(problem.costs, runs) <= optimum)
      continue;
    uint64_t work = 0;
    std::optional<RunSequence> found =
        solveWindow(problem, runs, 0, runs.size(), 50'000'000, work);
    if (!found) // two copies of a storage at a time
      continue;
    ++solved;
    CHECK(costOfRuns(problem.costs, *found) == doctest::Approx(optimum));
    CHECK(work > 0);
  }
  MESSAGE("solved: " << solved);
  CHECK(solved >= 3);
}
