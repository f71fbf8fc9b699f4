// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold for every graph, every budget and every strategy.

#include "reprise/io/ScheduleChecker.h"
#include "reprise/io/ScheduleWriter.h"
#include "reprise/planner/ArenaPlanner.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Strategies.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

#include <functional>

using namespace reprise;

static constexpr uint64_t kSmallGraphs = 25; ///< of about a dozen nodes
static constexpr uint64_t kMediumGraphs = 2; ///< of about fifty nodes
static constexpr uint64_t kEffort = 100'000; ///< enough to move things about

static RandomGraphOptions mediumOptions() {
  RandomGraphOptions options;
  options.forwardNodes = 25;
  options.largestBytes = 1000;
  return options;
}

/// Calls \p check with each random graph.
static void forEachGraph(const std::function<void(const Graph &)> &check) {
  for (uint64_t seed = 1; seed <= kSmallGraphs; ++seed) {
    CAPTURE(seed);
    check(randomGraph(seed));
  }
  for (uint64_t seed = 1; seed <= kMediumGraphs; ++seed) {
    CAPTURE(seed);
    check(randomGraph(seed, mediumOptions()));
  }
}

/// From a byte below the floor to the baseline's peak, ascending.
static std::vector<int64_t> budgetsOf(const Graph &graph) {
  int64_t floorBytes = peakFloor(graph).bytes;
  int64_t peakBytes = peakOfRuns(graph, graph.order());
  std::vector<int64_t> budgets;
  if (floorBytes > 0)
    budgets.push_back(floorBytes - 1);
  int64_t room = peakBytes - floorBytes;
  for (int64_t quarter = 0; quarter < 4; ++quarter)
    budgets.push_back(floorBytes + room * quarter / 4);
  budgets.push_back(peakBytes);
  return budgets;
}

static llvm::Expected<PlanResult>
planWithin(const Graph &graph, int64_t budgetBytes, llvm::StringRef strategy) {
  PlanOptions options;
  options.strategy = strategy.str();
  options.effort = kEffort;
  return plan(Problem::of(graph, budgetBytes), options);
}

static std::string scheduleText(const Graph &graph, int64_t budgetBytes,
                                const PlanResult &result) {
  ScheduleInfo info;
  info.graphName = graph.name().str();
  info.strategy = result.strategy;
  info.objective = defaultObjective(graph);
  info.budgetBytes = budgetBytes;
  info.peakBytes = result.simulation.peakBytes;
  info.cost = result.simulation.cost;
  info.baselinePeakBytes = result.baselinePeakBytes;
  info.baselineCost = result.baselineCost;
  info.lowerBound = result.lowerBound;
  info.arena = result.arena;
  return writeSchedule(graph, info, result.plan);
}

/// Writes the schedule, reads it again, and has the independent checker judge.
static void checkWritten(const Graph &graph, int64_t budgetBytes,
                         const PlanResult &result) {
  std::string text = scheduleText(graph, budgetBytes, result);
  llvm::Expected<ScheduleFile> file =
      readScheduleBuffer(llvm::MemoryBufferRef(text, "schedule"));
  REQUIRE_MESSAGE(file, llvm::toString(file.takeError()));
  LoadedGraph loaded{graph, "", {}, {}};
  ScheduleCheck check = checkSchedule(loaded, *file, {});
  CAPTURE(text);
  for (const std::string &error : check.errors)
    FAIL_CHECK(error);
  CHECK(check.recomputedRuns == result.simulation.recomputedRuns);
}

/// What must hold for one answer.
static void checkAnswer(const Graph &graph, int64_t budgetBytes,
                        llvm::StringRef strategy) {
  llvm::Expected<PlanResult> result = planWithin(graph, budgetBytes, strategy);
  if (!result) {
    llvm::handleAllErrors(
        result.takeError(),
        [&](const InfeasibleBudget &error) {
          // Another strategy than the one asked for may know better.
          if (strategy == "auto")
            CHECK(error.smallestBytes > budgetBytes);
          CHECK(error.smallestBytes >= error.floorBytes);
          CHECK(error.smallestBytes <= error.baselinePeakBytes);
          CHECK(error.floorBytes == peakFloor(graph).bytes);
        },
        [](const llvm::ErrorInfoBase &error) { FAIL_CHECK(error.message()); });
    return;
  }
  CHECK(result->simulation.peakBytes <= budgetBytes);
  CHECK(result->simulation.peakBytes >= peakFloor(graph).bytes);
  CHECK(result->lowerBound <= result->simulation.cost);
  CHECK(result->lowerBound >= result->baselineCost * (1 - 1e-12));
  if (budgetBytes >= result->baselinePeakBytes)
    CHECK(result->simulation.cost == result->baselineCost);
  checkWritten(graph, budgetBytes, *result);
}

TEST_CASE("every strategy: a plan is legal, within the budget and as it says; "
          "a refusal is sound") {
  forEachGraph([](const Graph &graph) {
    for (const Strategy &strategy : strategies()) {
      // Exact search on a graph that is too large for it only takes time.
      if (strategy.name == "optimal" && graph.numNodes() > 20)
        continue;
      std::string name = strategy.name.str();
      CAPTURE(name);
      for (int64_t budgetBytes : budgetsOf(graph)) {
        CAPTURE(budgetBytes);
        checkAnswer(graph, budgetBytes, strategy.name);
      }
    }
  });
}

TEST_CASE("auto: more memory is never dearer, and never refused once less was "
          "enough") {
  forEachGraph([](const Graph &graph) {
    double cheapest = 0;
    bool fitted = false;
    for (int64_t budgetBytes : budgetsOf(graph)) {
      CAPTURE(budgetBytes);
      llvm::Expected<PlanResult> result =
          planWithin(graph, budgetBytes, "auto");
      if (!result) {
        CHECK(!fitted);
        llvm::consumeError(result.takeError());
        continue;
      }
      if (fitted)
        CHECK(result->simulation.cost <= cheapest * (1 + 1e-9));
      fitted = true;
      cheapest = result->simulation.cost;
    }
    CHECK(fitted); // the last budget is the peak of the baseline
  });
}

TEST_CASE("every strategy: two runs write the same bytes") {
  for (uint64_t seed = 1; seed <= kMediumGraphs; ++seed) {
    CAPTURE(seed);
    Graph graph = randomGraph(seed, mediumOptions());
    int64_t budgetBytes = budgetsOf(graph)[3];
    for (const Strategy &strategy : strategies()) {
      if (strategy.name == "optimal")
        continue;
      std::string texts[2];
      for (std::string &text : texts) {
        llvm::Expected<PlanResult> result =
            planWithin(graph, budgetBytes, strategy.name);
        text = result ? scheduleText(graph, budgetBytes, *result)
                      : llvm::toString(result.takeError());
      }
      CHECK(texts[0] == texts[1]);
    }
  }
}

TEST_CASE("auto: the number of threads does not change the answer") {
  Graph graph = randomGraph(7, mediumOptions());
  int64_t budgetBytes = budgetsOf(graph)[2];
  std::string first;
  for (unsigned threads : {1u, 2u, 5u}) {
    PlanOptions options;
    options.effort = kEffort;
    options.threads = threads;
    llvm::Expected<PlanResult> result =
        plan(Problem::of(graph, budgetBytes), options);
    std::string text = result ? scheduleText(graph, budgetBytes, *result)
                              : llvm::toString(result.takeError());
    if (first.empty())
      first = text;
    CHECK(text == first);
  }
}

TEST_CASE("an optimal plan is never dearer than any other strategy's") {
  for (uint64_t seed = 1; seed <= kSmallGraphs; ++seed) {
    CAPTURE(seed);
    Graph graph = randomGraph(seed);
    if (graph.numNodes() > 14)
      continue;
    for (int64_t budgetBytes : budgetsOf(graph)) {
      CAPTURE(budgetBytes);
      llvm::Expected<PlanResult> best =
          planWithin(graph, budgetBytes, "optimal");
      if (!best)
        llvm::consumeError(best.takeError());
      for (const Strategy &strategy : strategies()) {
        std::string name = strategy.name.str();
        CAPTURE(name);
        llvm::Expected<PlanResult> other =
            planWithin(graph, budgetBytes, strategy.name);
        if (!other) {
          llvm::consumeError(other.takeError());
          continue;
        }
        REQUIRE(best);
        CHECK(best->simulation.cost <= other->simulation.cost * (1 + 1e-9));
      }
    }
  }
}

TEST_CASE("a plan with an arena fits the budget with it, and is valid") {
  unsigned fits = 0;
  forEachGraph([&](const Graph &graph) {
    for (int64_t budgetBytes : budgetsOf(graph)) {
      int64_t alignment = 1 + budgetBytes % 2;
      CAPTURE(budgetBytes);
      CAPTURE(alignment);
      PlanOptions options;
      options.strategy = "greedy";
      options.effort = kEffort / 20;
      llvm::Expected<PlanResult> result =
          planWithArena(Problem::of(graph, budgetBytes), options, alignment);
      if (!result) {
        CHECK(result.errorIsA<InfeasibleBudget>());
        llvm::consumeError(result.takeError());
        continue;
      }
      ++fits;
      REQUIRE(result->arena);
      CHECK(result->arena->neededBytes + graph.constantBytes() <= budgetBytes);
      checkWritten(graph, budgetBytes, *result);
    }
  });
  CHECK(fits > 2 * (kSmallGraphs + kMediumGraphs));
}
