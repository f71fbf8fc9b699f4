// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/WindowBound.h"

#include "reprise/planner/Floor.h"
#include "reprise/planner/Optimal.h"
#include "reprise/planner/PathScan.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

TEST_CASE("of windows those that do not overlap add up") {
  std::vector<Window> windows = {
      {0, 2, 5}, {1, 2, 4}, {2, 3, 3}, {0, 4, 7}, {3, 4, 2}};
  CHECK(costOfWindows(windows, 4) == 5 + 3 + 2);
  windows[3].cost = 11;
  CHECK(costOfWindows(windows, 4) == 11);
  CHECK(costOfWindows({}, 4) == 0);
}

TEST_CASE("windows never cost more than the optimum of a random graph") {
  unsigned rows = 0, above = 0;
  for (uint64_t seed = 200; seed < 260; ++seed) {
    RandomGraphOptions options;
    options.forwardNodes = 4 + seed % 3;
    Graph graph = randomGraph(seed, options);
    std::vector<NodeId> path = longestPath(graph);
    int64_t floor = peakFloor(graph).bytes;
    int64_t peak = peakOfRuns(graph, graph.order());
    for (int64_t budget = floor; budget < peak; ++budget) {
      Problem problem = Problem::of(graph, budget);
      OptimalLimits limits;
      limits.maxWork = 5'000'000;
      OptimalResult optimum = solveOptimal(problem, limits);
      if (!optimum.proven || !optimum.runs)
        continue;
      double once = costOfRuns(problem.costs, graph.order());
      double extra = costOfRuns(problem.costs, *optimum.runs) - once;
      std::vector<Window> windows = costlyWindows(problem, path, 10'000'000);
      double cost = costOfWindows(windows, path.size());
      CHECK_MESSAGE(cost <= extra, "seed ", seed, " budget ", budget);
      above += extra > 0;
      double largest = 0;
      for (const Window &window : windows)
        largest = std::max(largest, window.cost);
      rows += cost > largest;
    }
  }
  // Otherwise a single window would do.
  CHECK(above > 100);
  CHECK(rows > 10);
}
