// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must not be kept for the backward pass is not.

#include "reprise/planner/Turn.h"

#include "reprise/graph/GraphCopy.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/Strategies.h"
#include "support/HandMadeGraphs.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

#include <functional>

using namespace reprise;

/// \p graph with the nodes that \p drops says dropped at the turn.
static Graph withDrops(const Graph &graph,
                       const std::function<bool(NodeId)> &drops) {
  GraphBuilder builder;
  llvm::cantFail(copyConstants(graph, builder));
  NodeDescriber describer(graph);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    NodeDescription node = describer.describe(n);
    if (drops(n) && node.recompute == RecomputeRule::Allow)
      node.recompute = RecomputeRule::DropAtTurn;
    llvm::cantFail(builder.addNode(node));
  }
  llvm::cantFail(copyOutputs(graph, builder));
  return llvm::cantFail(builder.build());
}

/// Is a storage that must go at the turn resident when the run after the turn
/// begins? By the steps as a runtime sees them.
static bool holdsAcrossTurn(const Graph &graph, const Plan &plan) {
  std::vector<uint8_t> isResident(graph.numTensors(), 0);
  bool isBehind = false;
  for (const Step &step : plan.steps) {
    if (step.kind == Step::Free) {
      isResident[step.id] = 0;
      continue;
    }
    if (isBehind)
      break;
    for (TensorId t : graph.outputs(step.id))
      if (t != kNone)
        isResident[t] = 1;
    isBehind = step.id == graph.turn();
  }
  for (StorageId s : graph.droppedAtTurn())
    for (TensorId t : graph.tensorsOn(s))
      if (isResident[t])
        return true;
  return false;
}

TEST_CASE("a chain with one node dropped at the turn runs it again behind it") {
  // f1 f2 f3 seed b3 b2 b1: seed, the turn, reads a3, b3 reads a2 and a3, b2
  // reads a1 and a2. The second run of f2 is right before b3.
  Graph plain = unitChain(3);
  Graph graph =
      withDrops(plain, [&](NodeId n) { return plain.nodeName(n) == "f2"; });
  REQUIRE(graph.droppedAtTurn().size() == 1);
  CHECK(graph.nodeName(graph.turn()) == "seed");
  RunSequence order(graph.order().begin(), graph.order().end());
  CHECK(graph.tensorName(heldAcrossTurn(graph, order)) == "a2");
  std::string names;
  for (NodeId n : forgetAtTurn(graph, order))
    names += graph.nodeName(n).str() + " ";
  CHECK(names == "f1 f2 f3 seed f2 b3 b2 b1 ");
}

TEST_CASE("without such nodes the runs stay as they are") {
  Graph graph = unitChain(3);
  RunSequence order(graph.order().begin(), graph.order().end());
  CHECK(graph.droppedAtTurn().empty());
  CHECK(forgetAtTurn(graph, order) == order);
}

TEST_CASE("the simulator refuses a plan that keeps it") {
  Graph plain = unitChain(3);
  Graph graph = withDrops(plain, [](NodeId) { return true; });
  RunSequence order(graph.order().begin(), graph.order().end());
  llvm::Expected<Simulation> simulation =
      simulate(graph, std::vector<double>(graph.numNodes(), 1),
               planFromRuns(graph, order));
  REQUIRE(!simulation);
  CHECK(llvm::toString(simulation.takeError()) ==
        "tensor a2: must not be kept for the backward pass");
}

TEST_CASE("every strategy drops it, on any graph and for any budget") {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    RandomGraphOptions shape;
    shape.forwardNodes = seed % 3 == 0 ? 20 : 6;
    Graph plain = randomGraph(seed, shape);
    Graph graph =
        withDrops(plain, [&](NodeId n) { return (n * 7 + seed) % 3 != 0; });
    RunSequence order(graph.order().begin(), graph.order().end());
    // What an overwritten input is needed for cannot be made again.
    if (heldAcrossTurn(graph, forgetAtTurn(graph, order)) != kNone)
      continue;
    int64_t peak = peakOfRuns(graph, order);
    for (const Strategy &strategy : strategies())
      for (int64_t budget : {peak, peak * 7 / 8, peak * 3 / 4}) {
        CAPTURE(strategy.name.str());
        CAPTURE(budget);
        PlanOptions options;
        options.strategy = strategy.name.str();
        options.effort = 50'000;
        llvm::Expected<PlanResult> result =
            plan(Problem::of(graph, budget), options);
        if (!result) {
          llvm::Error rest = llvm::handleErrors(
              result.takeError(), [](const InfeasibleBudget &) {});
          CHECK(!rest);
          continue;
        }
        CHECK(!holdsAcrossTurn(graph, result->plan));
        CHECK(result->simulation.peakBytes <= budget);
        CHECK(result->lowerBound <= result->simulation.cost);
      }
  }
}
