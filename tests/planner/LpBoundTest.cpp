// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/LpBound.h"

#include "reprise/planner/LpSolver.h"
#include "reprise/planner/PathScan.h"
#include "reprise/planner/Random.h"
#include "reprise/planner/StageProgram.h"
#include "support/KnownOptima.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

/// Least x + 2 y where x + y >= 1, x <= 0.25: 0.25 + 2 * 0.75.
static LinearProgram twoColumns() {
  LinearProgram program;
  uint32_t x = program.addColumn(1, 0, 0.25);
  uint32_t y = program.addColumn(2, 0, 1);
  program.add(x, 1);
  program.add(y, 1);
  program.endRow(1);
  return program;
}

TEST_CASE("the right prices prove the optimum of a program, others less") {
  LinearProgram program = twoColumns();
  CHECK(program.bound({2.0}) == doctest::Approx(1.75));
  CHECK(program.bound({2.0}) <= 1.75);
  CHECK(program.bound({1.0}) == doctest::Approx(1));
  CHECK(program.bound({5.0}) < 1.75);
  // A price of the wrong sign or no number at all counts as none.
  CHECK(program.bound({-3.0}) == doctest::Approx(0));
  CHECK(program.bound({std::numeric_limits<double>::quiet_NaN()}) ==
        doctest::Approx(0));
}

/// Calls \p visit with problems of random graphs whose optimum is known.
template <typename Visitor> static void forEachRandomOptimum(Visitor visit) {
  for (uint64_t seed = 400; seed < 440; ++seed) {
    RandomGraphOptions options;
    options.forwardNodes = 4 + seed % 3;
    options.neverShare = seed % 2 * 8;
    options.aliasShare = seed % 4 * 8;
    options.inplaceShare = seed % 3 * 10;
    CAPTURE(seed);
    forEachOptimum(randomGraph(seed, options), visit);
  }
}

TEST_CASE("prices of the stage program, good or bad, prove nothing above the "
          "optimum of a random graph") {
  Random random(9);
  unsigned solved = 0, positive = 0;
  forEachRandomOptimum([&](const Problem &problem, double optimum) {
    std::vector<NodeId> path = longestPath(problem.graph);
    LinearProgram program =
        stageProgram(problem, path, costlyWindows(problem, path, 1'000'000));
    double slack = 1e-9 * optimum;
    std::vector<double> prices;
    for (size_t r = 0; r < program.numRows(); ++r)
      prices.push_back(double(random.below(30)));
    CHECK(program.bound(prices) <= optimum + slack);
    if (!hasLpSolver())
      return;
    prices = solveForDuals(program, /*seconds=*/10, nullptr);
    double once = costOfRuns(problem.costs, problem.graph.order());
    CHECK(program.bound(prices) >= once - slack);
    CHECK(program.bound(prices) <= optimum + slack);
    solved += optimum > once;
    positive += program.bound(prices) > once + slack;
  });
  if (hasLpSolver()) {
    CHECK(solved > 50);
    CHECK(positive > solved / 2);
  }
}

TEST_CASE("the relaxation never exceeds the optimum of a random graph") {
  forEachRandomOptimum([&](const Problem &problem, double optimum) {
    CHECK(lpLowerBound(problem, {}) <= optimum);
  });
}

TEST_CASE("a build without a linear solver refuses to use it") {
  Graph graph = randomGraph(1);
  PlanOptions options;
  options.bound = BoundEffort::Lp;
  llvm::Expected<PlanResult> result = plan(Problem::of(graph), options);
  CHECK(bool(result) == hasLpSolver());
  if (!result)
    CHECK(llvm::toString(result.takeError()).find("solver") !=
          std::string::npos);
}
