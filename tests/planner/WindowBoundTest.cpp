// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/WindowBound.h"

#include "reprise/planner/PathScan.h"
#include "support/KnownOptima.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

TEST_CASE("windows never cost more than the optimum of a random graph") {
  unsigned rows = 0, above = 0;
  for (uint64_t seed = 200; seed < 260; ++seed) {
    RandomGraphOptions options;
    options.forwardNodes = 4 + seed % 3;
    Graph graph = randomGraph(seed, options);
    std::vector<NodeId> path = longestPath(graph);
    double once = costOfRuns(Problem::of(graph).costs, graph.order());
    CAPTURE(seed);
    forEachOptimum(graph, [&](const Problem &problem, double optimum) {
      double extra = optimum - once;
      double largest = 0;
      for (const Window &window : costlyWindows(problem, path, 10'000'000)) {
        CHECK(window.first < window.last);
        CHECK(window.cost <= extra);
        largest = std::max(largest, window.cost);
      }
      WindowRow row = costlyRow(problem, path, path.front(), 10'000'000);
      CHECK(row.cost <= extra);
      above += extra > 0;
      rows += row.cost > largest;
    });
  }
  // Otherwise a single window would do.
  CHECK(above > 100);
  CHECK(rows > 10);
}
