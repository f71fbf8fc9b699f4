// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/LowerBound.h"

#include "reprise/graph/GraphBuilder.h"
#include "reprise/planner/BoundChain.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Optimal.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace reprise;

/// x > f1 > a1 > f2 > a2 > f3 > a3 > loss; loss also feeds `use`, which reads
/// a1, a2 and a3. Bytes and FLOPs of a1, a2, a3: (4, 10), (4, 2), (4, 6).
static Graph knapsackGraph(bool isSecondNever = false) {
  GraphBuilder builder;
  auto add = [&](llvm::StringRef name, std::vector<llvm::StringRef> inputs,
                 llvm::StringRef output, int64_t bytes, double flops) {
    NodeDescription node;
    node.name = name;
    node.opType = "Op";
    node.inputs = inputs;
    node.outputs = output;
    node.bytes = bytes;
    node.flops = flops;
    if (name == "f2" && isSecondNever)
      node.recompute = RecomputeRule::Never;
    llvm::cantFail(builder.addNode(node));
  };
  add("f1", {}, "a1", 4, 10);
  add("f2", {"a1"}, "a2", 4, 2);
  add("f3", {"a2"}, "a3", 4, 6);
  add("loss", {"a3"}, "l", 1, 1);
  add("b1", {"l", "a1"}, "d1", 0, 1);
  add("b2", {"l", "a2"}, "d2", 0, 1);
  add("b3", {"l", "a3"}, "d3", 0, 1);
  return llvm::cantFail(builder.build());
}

TEST_CASE("the knapsack drops the cheapest per byte until the rest fits") {
  Graph graph = knapsackGraph();
  double price = 0;
  auto extra = [&](int64_t budget) {
    Problem problem = Problem::of(graph, budget);
    return knapsackAt(analyseChain(problem, {3}), 0, price);
  };
  // At the loss: a3 (read) and l take 5 of the budget; a1 and a2 want 8 more.
  CHECK(extra(13) == 0);
  // 2 bytes are missing: half of a2.
  CHECK(extra(11) == doctest::Approx(1));
  CHECK(price == doctest::Approx(0.5));
  // 6 bytes are missing: a2 and half of a1.
  CHECK(extra(7) == doctest::Approx(2 + 5));
  CHECK(price == doctest::Approx(2.5));
}

TEST_CASE("a node that runs once is never dropped by the knapsack") {
  Graph graph = knapsackGraph(/*isSecondNever=*/true);
  double price = 0;
  Problem problem = Problem::of(graph, 11);
  // a2 stays: half of a1 has to go.
  CHECK(knapsackAt(analyseChain(problem, {3}), 0, price) == doctest::Approx(5));
}

TEST_CASE("a capacity below nothing proves that a budget is infeasible") {
  Graph graph = knapsackGraph();
  Problem problem = Problem::of(graph, 4);
  CHECK(analyseChain(problem, {3}).capacityBytes[0] == -1);
}

TEST_CASE("the relaxation at the knapsack's price is the knapsack") {
  Graph graph = knapsackGraph();
  Problem problem = Problem::of(graph, 7);
  BoundChain chain = analyseChain(problem, {3});
  double price = 0;
  double extra = knapsackAt(chain, 0, price);
  std::vector<double> over;
  CHECK(relaxedCost(chain, price, over) == doctest::Approx(extra));
  CHECK(relaxedCost(chain, 0.7 * price, over) <= extra);
  CHECK(relaxedCost(chain, 1.3 * price, over) <= extra);
}

TEST_CASE("without a shortage the bound is every node once") {
  Graph graph = knapsackGraph();
  double once = 10 + 2 + 6 + 1 + 1 + 1 + 1;
  CHECK(costLowerBound(Problem::of(graph)) == once);
  CHECK(costLowerBound(Problem::of(graph, 13)) == once);
}

TEST_CASE("the bound never exceeds the optimum of a random graph") {
  RandomGraphOptions options;
  unsigned above = 0, positive = 0, reached = 0, refused = 0;
  for (uint64_t seed = 0; seed < 90; ++seed) {
    options.forwardNodes = 3 + seed % 4;
    options.neverShare = seed % 3 * 6;
    options.aliasShare = seed % 5 * 8;
    options.inplaceShare = seed % 2 * 12;
    Graph graph = randomGraph(seed, options);
    int64_t floor = peakFloor(graph).bytes;
    int64_t peak = peakOfRuns(graph, graph.order());
    double once = costOfRuns(Problem::of(graph).costs, graph.order());
    for (int64_t budget = floor - 1; budget < peak; ++budget) {
      Problem problem = Problem::of(graph, budget);
      OptimalLimits limits;
      limits.maxStates = 50'000;
      OptimalResult optimum = solveOptimal(problem, limits);
      double bound = costLowerBound(problem);
      CHECK(bound >= once);
      if (optimum.proven && !optimum.runs)
        refused += std::isinf(bound);
      if (!optimum.runs)
        continue;
      double cost = costOfRuns(problem.costs, *optimum.runs);
      CHECK_MESSAGE(bound <= cost, "seed ", seed, " budget ", budget);
      above += cost > once;
      positive += bound > once;
      reached += cost > once && bound == cost;
    }
  }
  // The bound would pass by saying nothing: it must say something often.
  CHECK(above > 100);
  CHECK(positive > above * 9 / 10);
  CHECK(reached > above / 2);
  CHECK(refused > 10);
}
