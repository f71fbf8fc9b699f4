// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small graphs with known answers: for each, the EXPECTED.json of its folder
// has the cheapest cost at every budget, found by exhaustion over all orders
// and all recomputations. Adding a graph and its answers there adds a case.

#include "reprise/io/GraphReader.h"
#include "reprise/planner/Planner.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace reprise;

namespace {

/// From this budget on, until the next step, the optimum has this cost.
struct OptimumStep {
  int64_t fromBytes;
  double cost;
};

/// What is known of one graph.
struct Expectation {
  std::string name; ///< with its folder
  int64_t baselinePeakBytes;
  double baselineCost;
  int64_t smallestBytes;
  std::vector<OptimumStep> optimum; ///< ascending budgets
};

} // namespace

static void readFolder(const std::string &folder,
                       std::vector<Expectation> &all) {
  auto buffer = llvm::MemoryBuffer::getFile(REPRISE_TEST_DATA "/" + folder +
                                            "/EXPECTED.json");
  REQUIRE(buffer);
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  REQUIRE_MESSAGE(json, llvm::toString(json.takeError()));
  for (const auto &[name, value] : *json->getAsObject()->getObject("graphs")) {
    const llvm::json::Object &entry = *value.getAsObject();
    Expectation &e = all.emplace_back();
    e.name = folder + "/" + name.str();
    e.baselinePeakBytes = *entry.getInteger("baseline_peak");
    e.baselineCost = *entry.getNumber("baseline_cost");
    e.smallestBytes = *entry.getInteger("smallest_budget");
    for (const llvm::json::Value &step : *entry.getArray("optimum"))
      e.optimum.push_back({*step.getAsObject()->getInteger("from_budget"),
                           *step.getAsObject()->getNumber("cost")});
  }
}

static std::vector<Expectation> readExpectations() {
  std::vector<Expectation> all;
  readFolder("reports", all);
  readFolder("tiny", all);
  return all;
}

static Graph load(const std::string &name) {
  llvm::Expected<LoadedGraph> loaded =
      readGraph(REPRISE_TEST_DATA "/" + name + ".json", {});
  REQUIRE_MESSAGE(loaded, llvm::toString(loaded.takeError()));
  return std::move(loaded->graph);
}

static llvm::Expected<PlanResult> planWithin(const Graph &graph,
                                             int64_t budgetBytes,
                                             const char *strategy = "auto") {
  PlanOptions options;
  options.strategy = strategy;
  options.effort = 200'000;
  return plan(Problem::of(graph, budgetBytes), options);
}

static double costWithin(const Graph &graph, int64_t budgetBytes) {
  llvm::Expected<PlanResult> result = planWithin(graph, budgetBytes);
  REQUIRE_MESSAGE(result, llvm::toString(result.takeError()));
  CHECK(result->simulation.peakBytes <= budgetBytes);
  CHECK(result->lowerBound <= result->simulation.cost);
  return result->simulation.cost;
}

static bool isAbout(double a, double b) {
  return std::fabs(a - b) <= 1e-9 * std::fabs(b);
}

TEST_CASE("known answers: the baseline has the known peak and cost") {
  for (const Expectation &e : readExpectations()) {
    CAPTURE(e.name);
    Graph graph = load(e.name);
    CHECK(peakOfRuns(graph, graph.order()) == e.baselinePeakBytes);
    std::vector<double> costs = nodeCosts(graph, defaultObjective(graph));
    CHECK(isAbout(costOfRuns(costs, graph.order()), e.baselineCost));
  }
}

TEST_CASE("known answers: auto is optimal from the first to the last byte of every "
          "step") {
  for (const Expectation &e : readExpectations()) {
    CAPTURE(e.name);
    Graph graph = load(e.name);
    for (size_t i = 0; i < e.optimum.size(); ++i) {
      CAPTURE(e.optimum[i].fromBytes);
      CHECK(isAbout(costWithin(graph, e.optimum[i].fromBytes),
                    e.optimum[i].cost));
      if (i + 1 == e.optimum.size())
        continue;
      int64_t lastBytes = e.optimum[i + 1].fromBytes - 1;
      CAPTURE(lastBytes);
      CHECK(isAbout(costWithin(graph, lastBytes), e.optimum[i].cost));
    }
  }
}

TEST_CASE("known answers: the exact method proves each") {
  for (const Expectation &e : readExpectations()) {
    CAPTURE(e.name);
    Graph graph = load(e.name);
    for (const OptimumStep &step : e.optimum) {
      CAPTURE(step.fromBytes);
      llvm::Expected<PlanResult> result =
          planWithin(graph, step.fromBytes, "optimal");
      REQUIRE_MESSAGE(result, llvm::toString(result.takeError()));
      CHECK(isAbout(result->simulation.cost, step.cost));
      CHECK(result->lowerBound == result->simulation.cost);
    }
  }
}

TEST_CASE("known answers: a byte less than the smallest budget is refused, and the "
          "refusal names that budget") {
  for (const Expectation &e : readExpectations()) {
    CAPTURE(e.name);
    Graph graph = load(e.name);
    llvm::Expected<PlanResult> result = planWithin(graph, e.smallestBytes - 1);
    REQUIRE(!result);
    bool told = false;
    llvm::handleAllErrors(
        result.takeError(), [&](const InfeasibleBudget &error) {
          told = true;
          CHECK(error.budgetBytes == e.smallestBytes - 1);
          CHECK(error.smallestBytes == e.smallestBytes);
          CHECK(error.floorBytes <= e.smallestBytes);
          CHECK(error.constantBytes == graph.constantBytes());
          CHECK(error.baselinePeakBytes == e.baselinePeakBytes);
        });
    CHECK(told);
  }
}

TEST_CASE("known answers: every strategy keeps the budget or refuses, and none beats "
          "the optimum") {
  for (const Expectation &e : readExpectations()) {
    CAPTURE(e.name);
    Graph graph = load(e.name);
    for (const char *strategy : {"keep-all", "sqrt", "greedy", "chain"}) {
      CAPTURE(strategy);
      for (const OptimumStep &step : e.optimum) {
        llvm::Expected<PlanResult> result =
            planWithin(graph, step.fromBytes, strategy);
        if (!result) {
          CHECK(result.errorIsA<InfeasibleBudget>());
          llvm::consumeError(result.takeError());
          continue;
        }
        CHECK(result->simulation.peakBytes <= step.fromBytes);
        CHECK(result->simulation.cost >= step.cost * (1 - 1e-9));
      }
    }
  }
}

TEST_CASE("known answers: a never node runs once at every budget") {
  for (const char *name : {"reports/R03-dropout-fused", "reports/R03-dropout-split"}) {
    Graph graph = load(name);
    for (int64_t budgetBytes = 14; budgetBytes <= 24; ++budgetBytes) {
      llvm::Expected<PlanResult> result = planWithin(graph, budgetBytes);
      if (!result) {
        llvm::consumeError(result.takeError());
        continue;
      }
      for (const Step &step : result->plan.steps)
        if (step.kind == Step::Recompute)
          CHECK(!graph.isNever(step.id));
    }
  }
}

// One level of segments over nine equal nodes. Three or four segments have a
// peak of 7; one has 12, the peak of the baseline.
TEST_CASE("known answers: sqrt without a budget takes the split of least peak") {
  Graph graph = load("reports/R06-nine-equal");
  llvm::Expected<PlanResult> result = planWithin(graph, kNoBudget, "sqrt");
  REQUIRE_MESSAGE(result, llvm::toString(result.takeError()));
  CHECK(result->simulation.peakBytes == 7);
  CHECK(result->simulation.cost == 24);
}
