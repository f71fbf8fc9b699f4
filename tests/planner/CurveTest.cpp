// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Curve.h"
#include "support/HandMadeGraphs.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

static Curve curveOf(const Graph &graph, llvm::StringRef strategy,
                     std::vector<int64_t> budgets) {
  PlanOptions options;
  options.strategy = strategy.str();
  options.effort = 20'000;
  return llvm::cantFail(planCurve(Problem::of(graph), budgets, options));
}

TEST_CASE("a curve never rises, fits every budget and ends at the baseline") {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    Graph graph = randomGraph(seed);
    for (llvm::StringRef strategy : {"auto", "chain", "greedy", "sqrt"}) {
      CAPTURE(strategy.str());
      Curve curve = curveOf(graph, strategy, curveBudgets(graph, 9));
      const CurvePoint *before = nullptr;
      for (const CurvePoint &point : curve.points) {
        if (point.plan) {
          CHECK(point.plan->peakBytes <= point.budgetBytes);
          CHECK(point.lowerBound <= point.plan->cost);
        }
        if (before) {
          CHECK(point.budgetBytes > before->budgetBytes);
          CHECK(point.lowerBound <= before->lowerBound);
        }
        if (before && before->plan) {
          REQUIRE(point.plan);
          CHECK(point.plan->cost <= before->plan->cost);
        }
        before = &point;
      }
      REQUIRE(before->plan);
      CHECK(before->budgetBytes == curve.baselinePeakBytes);
      CHECK(before->plan->cost == curve.baselineCost);
      CHECK(before->lowerBound == curve.baselineCost);
    }
  }
}

TEST_CASE("a plan serves every larger budget") {
  // The baseline of nine equal layers peaks at 12 (StrategiesTest.cpp).
  Graph graph = unitChain(9);
  Curve curve = curveOf(graph, "keep-all", {100, 11, 12, 11});
  REQUIRE(curve.points.size() == 3);
  CHECK(!curve.points[0].plan);
  CHECK(curve.points[1].plan->peakBytes == 12);
  CHECK(curve.points[2].plan->peakBytes == 12);
  CHECK(curve.points[2].plan->cost == 19);
}

TEST_CASE("the budgets of a curve go from the floor to the baseline's peak") {
  Graph graph = unitChain(9);
  // At b<i>: a<i-1>, a<i>, d<i>, d<i-1>, and the input: 5 bytes at i > 1.
  CHECK(curveBudgets(graph, 3) == std::vector<int64_t>{5, 8, 12});
  CHECK(curveBudgets(graph, 1) == std::vector<int64_t>{12});
  CHECK(curveBudgets(graph, 1000).size() == 8);
}

TEST_CASE("a curve is refused as a plan is") {
  Graph graph = unitChain(2);
  PlanOptions options;
  options.strategy = "nonsense";
  CHECK(!!planCurve(Problem::of(graph), {10}, options).takeError());
  CHECK(!!planCurve(Problem::of(graph), {-1}).takeError());
}
