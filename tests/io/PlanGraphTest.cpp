// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of a plan's runs takes what the plan takes.

#include "reprise/io/PlanGraph.h"

#include "reprise/graph/GraphBuilder.h"
#include "reprise/io/GraphWriter.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/Planner.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

static Plan keepAllPlan(const Graph &graph) {
  return planFromRuns(graph, graph.order());
}

/// The graph of \p plan, written and read again.
static Graph planGraph(const Graph &graph, const Plan &plan) {
  llvm::Expected<LoadedGraph> made =
      graphOfPlan(LoadedGraph{graph, "", {}, {}}, plan);
  REQUIRE_MESSAGE(made, llvm::toString(made.takeError()));
  std::string text = writeGraph(*made);
  llvm::Expected<LoadedGraph> read =
      readGraphBuffer(llvm::MemoryBufferRef(text, "emitted"), {});
  REQUIRE_MESSAGE(read, llvm::toString(read.takeError()));
  return read->graph;
}

/// Keeping everything on the graph of \p plan takes the plan's figures.
static void checkPlanGraph(const Graph &graph, const PlanResult &result) {
  Graph emitted = planGraph(graph, result.plan);
  Problem problem = Problem::of(emitted);
  llvm::Expected<Simulation> kept =
      simulate(emitted, problem.costs, keepAllPlan(emitted));
  REQUIRE_MESSAGE(kept, llvm::toString(kept.takeError()));
  CHECK(kept->peakBytes == result.simulation.peakBytes);
  CHECK(kept->cost == doctest::Approx(result.simulation.cost).epsilon(1e-12));
  RunSequence runs = runsOf(result.plan);
  REQUIRE(emitted.numNodes() == runs.size());
  for (size_t k = 0; k < runs.size(); ++k) {
    CHECK(emitted.order()[k] == k);
    CHECK(emitted.opType(k) == graph.opType(runs[k]));
  }
}

TEST_CASE("graphOfPlan: keeping all of it takes the peak and the cost of the "
          "plan, on any graph in any budget") {
  RandomGraphOptions options;
  options.aliasShare = 20;
  options.inplaceShare = 20;
  size_t recomputedRuns = 0;
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    options.forwardNodes = 4 + seed % 9;
    Graph graph = randomGraph(seed, options);
    int64_t floorBytes = peakFloor(graph).bytes;
    int64_t room = peakOfRuns(graph, graph.order()) - floorBytes;
    for (int64_t quarter = 0; quarter <= 4; ++quarter) {
      PlanOptions planOptions;
      planOptions.strategy = quarter % 2 ? "search" : "greedy";
      planOptions.effort = 200;
      llvm::Expected<PlanResult> result = plan(
          Problem::of(graph, floorBytes + room * quarter / 4), planOptions);
      if (!result) {
        llvm::consumeError(result.takeError());
        continue;
      }
      recomputedRuns += result->simulation.recomputedRuns;
      checkPlanGraph(graph, *result);
    }
  }
  CHECK(recomputedRuns > 100);
}

/// x -> f: a, m (4 bytes each) -> g reads a -> h reads m and g's b.
static Graph twoOutputs() {
  GraphBuilder builder;
  llvm::StringRef x[] = {"x"}, am[] = {"a", "m"}, a[] = {"a"}, b[] = {"b"},
                  mb[] = {"m", "b"}, c[] = {"c"};
  int64_t four[] = {4, 4};
  auto add = [&](llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
                 llvm::ArrayRef<llvm::StringRef> outputs) {
    NodeDescription node;
    node.name = name;
    node.opType = "Op";
    node.inputs = inputs;
    node.outputs = outputs;
    node.bytes = llvm::ArrayRef<int64_t>(four).take_front(outputs.size());
    llvm::cantFail(builder.addNode(node));
  };
  llvm::cantFail(builder.addInput("x", 4));
  add("f", x, am);
  add("g", a, b);
  add("h", mb, c);
  add("f.recompute1", c, {});
  llvm::cantFail(builder.addOutput("c"));
  return llvm::cantFail(builder.build());
}

TEST_CASE("graphOfPlan: readers read the version that is resident, and names "
          "that are taken are avoided") {
  Graph graph = twoOutputs();
  // m (tensor 2) goes and comes back; a (tensor 1) stays, so that the second
  // copy of it is read by nobody.
  Plan plan{{{Step::Compute, 0},
             {Step::Free, 2},
             {Step::Recompute, 0},
             {Step::Compute, 1},
             {Step::Compute, 2},
             {Step::Compute, 3}}};
  Graph emitted = planGraph(graph, plan);
  REQUIRE(emitted.numNodes() == 5);
  CHECK(emitted.nodeName(1) == "f.recompute1_");
  CHECK(emitted.tensorName(emitted.outputs(1)[0]) == "a.recompute1");
  CHECK(emitted.tensorName(emitted.inputs(2)[0]) == "a");
  CHECK(emitted.tensorName(emitted.inputs(3)[0]) == "m.recompute1");
  CHECK(emitted.users(emitted.outputs(1)[0]).empty());
}
