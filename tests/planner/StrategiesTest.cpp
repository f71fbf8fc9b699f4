// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Planner.h"
#include "support/HandMadeGraphs.h"

#include <doctest/doctest.h>

using namespace reprise;

/// Peak and cost of what \p strategy plans within \p budget; -1 and -1 where
/// it refuses.
static std::pair<int64_t, double>
planned(const Graph &graph, llvm::StringRef strategy, int64_t budget) {
  PlanOptions options;
  options.strategy = strategy.str();
  llvm::Expected<PlanResult> result = plan(Problem::of(graph, budget), options);
  if (!result) {
    llvm::consumeError(result.takeError());
    return {-1, -1};
  }
  return {result->simulation.peakBytes, result->simulation.cost};
}

using Figures = std::pair<int64_t, double>;

TEST_CASE("keep-all on nine equal layers") {
  Graph graph = unitChain(9);
  // At b9: a0 .. a9, d9 and the d8 that it makes. 9 + seed + 9 runs.
  CHECK(planned(graph, "keep-all", 12) == Figures{10 + 2, 19});
  CHECK(planned(graph, "keep-all", 11) == Figures{-1, -1});
}

TEST_CASE("sqrt on nine equal layers") {
  Graph graph = unitChain(9);
  // Segments of 4, 3 and 2 layers, of which the last is kept. At b9: a0, a4,
  // a7, a8, a9, d9, d8; at b7: a0, a4 .. a7, d7, d6; at b4: a0 .. a4, d4, d3:
  // seven each. What is run again: f1 f2 f3 and f5 f6.
  CHECK(planned(graph, "sqrt", 7) == Figures{7, 19 + 3 + 2});
  // One level of recomputation goes no lower.
  CHECK(planned(graph, "sqrt", 6) == Figures{-1, -1});
}

TEST_CASE("greedy on nine equal layers") {
  Graph graph = unitChain(9);
  // Each byte below twelve is one tensor dropped, made again by one run from
  // a neighbour that is kept; at 11 bytes and less.
  for (int64_t dropped = 1; dropped <= 4; ++dropped)
    CHECK(planned(graph, "greedy", 12 - dropped) ==
          Figures{12 - dropped, 19.0 + dropped});
}

TEST_CASE("greedy on a wide graph") {
  Graph graph = star(3);
  // Every node once: 3 * 10 + 3 * 1 + 3 + 1 + 3 * 2 + 3 * 10 = 73. At y.b0:
  // x, ds, h0 .. h2 and the dh0 that it makes, 1 + 1 + 300 + 100.
  CHECK(planned(graph, "keep-all", 402) == Figures{402, 73});
  // The least peak is at the last y.b: x, ds, h, dh and two gw, 204 bytes. All
  // h but the last one, or all of them, are run again.
  auto [peak, cost] = planned(graph, "greedy", 204);
  CHECK(peak <= 204);
  CHECK(cost >= 73 + 2 * 10);
  CHECK(cost <= 73 + 3 * 10);
  CHECK(planned(graph, "auto", 204) == Figures{204, 73 + 2 * 10});
  CHECK(planned(graph, "auto", 203) == Figures{-1, -1});
}

TEST_CASE("chain on nine equal layers") {
  Graph graph = unitChain(9);
  // The optima over all orders: a run for each byte less, until segments
  // nest at 7 and 6 bytes. At 5, b<i> has room for a0, a<i-1>, a<i>, d<i> and
  // d<i-1>: a<i> is still there, a<i-1> is made anew from a0, by f1 .. f<i-1>
  // for i = 8 .. 2, 7 + 6 + .. + 1 runs.
  CHECK(planned(graph, "chain", 12) == Figures{12, 19});
  CHECK(planned(graph, "chain", 8).second == 19 + 4);
  CHECK(planned(graph, "chain", 7).second == 24);
  CHECK(planned(graph, "chain", 6).second == 28);
  CHECK(planned(graph, "chain", 5).second == 19 + (8 * 7) / 2);
  CHECK(planned(graph, "chain", 4) == Figures{-1, -1});
}

TEST_CASE("search on nine equal layers mends what greedy pays too much for") {
  Graph graph = unitChain(9);
  double greedy = planned(graph, "greedy", 6).second;
  CHECK(planned(graph, "search", 6) == Figures{6, 28});
  CHECK(greedy > 28);
}
