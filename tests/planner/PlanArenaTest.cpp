// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/PlanArena.h"
#include "reprise/planner/ArenaPlanner.h"
#include "reprise/planner/Liveness.h"

#include "support/HandMadeGraphs.h"
#include "support/RandomGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <doctest/doctest.h>

using namespace reprise;

static PlanArena arenaOf(const Graph &graph, const Plan &plan,
                         int64_t alignment) {
  llvm::Expected<PlanArena> arena = layOutPlan(graph, plan, alignment);
  REQUIRE(arena);
  return std::move(*arena);
}

/// A stretch of memory for some steps.
struct Held {
  uint64_t firstStep, lastStep;
  int64_t offset, bytes;
};

static std::vector<Held> heldBy(const PlanArena &arena) {
  std::vector<Held> held;
  for (const PlanArena::Buffer &b : arena.buffers)
    held.push_back({b.firstStep, b.lastStep, b.offset, b.bytes});
  for (const PlanArena::Workspace &w : arena.workspaces)
    held.push_back({w.step, w.step, w.offset, w.bytes});
  return held;
}

/// Bytes that \p arena holds at \p step.
static int64_t bytesAt(const PlanArena &arena, uint64_t step) {
  int64_t sum = 0;
  for (const Held &held : heldBy(arena))
    if (held.firstStep <= step && step <= held.lastStep)
      sum += held.bytes;
  return sum;
}

TEST_CASE("what is in memory together lies apart, and is what the simulator "
          "counts") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Graph graph = randomGraph(seed, {.forwardNodes = 12, .largestBytes = 100});
    Problem problem = Problem::of(graph, peakOfRuns(graph, graph.order()) - 1);
    PlanOptions options;
    options.strategy = "greedy";
    llvm::Expected<PlanResult> made = plan(problem, options);
    llvm::consumeError(made.takeError());
    Plan some = made ? made->plan : planFromRuns(graph, graph.order());
    llvm::Expected<Simulation> simulation =
        simulate(graph, problem.costs, some);
    REQUIRE(simulation);
    PlanArena arena = arenaOf(graph, some, 8);
    std::vector<Held> held = heldBy(arena);
    for (size_t a = 0; a < held.size(); ++a) {
      CHECK(held[a].offset % 8 == 0);
      CHECK(held[a].offset + held[a].bytes <= arena.neededBytes);
      for (size_t b = 0; b < a; ++b) {
        const Held &x = held[a], &y = held[b];
        bool together = x.firstStep <= y.lastStep && y.firstStep <= x.lastStep;
        bool apart =
            x.offset + x.bytes <= y.offset || y.offset + y.bytes <= x.offset;
        CHECK((!together || apart || x.bytes == 0 || y.bytes == 0));
      }
    }
    for (size_t k = 0; k < some.steps.size(); ++k)
      if (some.steps[k].kind != Step::Free)
        CHECK(bytesAt(arena, k) + graph.constantBytes() ==
              simulation->usageBytes[k]);
  }
}

TEST_CASE("a tensor that is made again has two buffers") {
  Graph graph = unitChain(4);
  PlanOptions options;
  // One byte of x, one less than without recomputation.
  int64_t peakBytes = peakOfRuns(graph, graph.order());
  llvm::Expected<PlanResult> result =
      planWithArena(Problem::of(graph, peakBytes - 1), options, 1);
  REQUIRE(result);
  REQUIRE(result->arena);
  size_t runs = llvm::count_if(result->plan.steps, [](const Step &step) {
    return step.kind != Step::Free;
  });
  // Every run of the chain makes one tensor.
  CHECK(result->arena->buffers.size() == runs);
  CHECK(runs > graph.numNodes());
  CHECK(result->arena->bytes == peakBytes - 2);
}

TEST_CASE("where the arena breaks the budget another plan is made") {
  // Every byte takes four. 41 bytes are enough for the plan that keeps all, but
  // not for its arena.
  Graph graph = unitChain(9);
  PlanOptions options;
  llvm::Expected<PlanResult> all =
      planWithArena(Problem::of(graph), options, 4);
  REQUIRE(all);
  CHECK(all->simulation.recomputedRuns == 0);
  int64_t budgetBytes = all->arena->bytes + graph.constantBytes() - 3;
  CHECK(all->simulation.peakBytes <= budgetBytes);
  llvm::Expected<PlanResult> less =
      planWithArena(Problem::of(graph, budgetBytes), options, 4);
  REQUIRE(less);
  CHECK(less->simulation.recomputedRuns == 1);
  CHECK(less->arena->bytes + graph.constantBytes() <= budgetBytes);
  CHECK(less->lowerBound <= less->simulation.cost);
}

TEST_CASE("a budget that no arena fits is refused, with the smallest found") {
  Graph graph = unitChain(3);
  llvm::Expected<PlanResult> result =
      planWithArena(Problem::of(graph, 9), {}, 64);
  REQUIRE_FALSE(result);
  llvm::handleAllErrors(result.takeError(), [](const InfeasibleBudget &error) {
    CHECK(error.arenaAlignment == 64);
    CHECK(error.smallestBytes > 64);
    CHECK(error.message().find("whose arena fits 9 bytes") !=
          std::string::npos);
  });
}

TEST_CASE("what stays to the end lies in one piece at the bottom, mostly") {
  unsigned inOnePiece = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Graph graph = randomGraph(seed, {.forwardNodes = 12, .largestBytes = 100});
    Plan some = planFromRuns(graph, graph.order());
    PlanArena arena = arenaOf(graph, some, 1);
    int64_t sum = 0, end = 0;
    for (const PlanArena::Buffer &buffer : arena.buffers)
      if (buffer.bytes > 0 && buffer.lastStep + 1 == some.steps.size()) {
        sum += buffer.bytes;
        end = std::max(end, buffer.offset + buffer.bytes);
      }
    inOnePiece += sum == end;
  }
  CHECK(inOnePiece >= 25);
}
