// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Explanation.h"

#include "reprise/planner/Liveness.h"
#include "reprise/planner/RangeMaximum.h"
#include "support/HandMadeGraphs.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

static RunSequence runsByName(const Graph &graph,
                              std::initializer_list<llvm::StringRef> names) {
  RunSequence runs;
  for (llvm::StringRef name : names)
    for (NodeId n = 0; n < graph.numNodes(); ++n)
      if (graph.nodeName(n) == name)
        runs.push_back(n);
  return runs;
}

TEST_CASE("the bytes of all stays are the usage at every step") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Graph graph = randomGraph(seed);
    Plan plan = planFromRuns(graph, graph.order());
    std::vector<double> costs(graph.numNodes(), 1);
    Explanation e = llvm::cantFail(explain(graph, costs, plan));
    std::vector<int64_t> usage(plan.steps.size(), graph.constantBytes());
    for (const Stay &stay : e.stays)
      for (size_t k = stay.begin; k < stay.end; ++k)
        usage[k] += graph.storageBytes(graph.storage(stay.owner));
    for (size_t k = 0; k < usage.size(); ++k)
      if (plan.steps[k].kind != Step::Free)
        usage[k] += graph.workspaceBytes(plan.steps[k].id);
    CHECK(usage == e.simulation.usageBytes);
  }
}

TEST_CASE("what is in memory at the peak adds up to it") {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Graph graph = randomGraph(seed);
    // Everything twice where it may: second copies come and go.
    RunSequence runs;
    for (NodeId n : graph.order())
      runs.insert(runs.end(), graph.mayRecompute(n) ? 2 : 1, n);
    std::vector<double> costs(graph.numNodes(), 1);
    Explanation e =
        llvm::cantFail(explain(graph, costs, planFromRuns(graph, runs)));
    int64_t sum = graph.constantBytes() + e.secondCopyBytes +
                  graph.workspaceBytes(e.peakNode);
    for (const Stay &stay : e.atPeak)
      sum += graph.storageBytes(graph.storage(stay.owner));
    CHECK(sum == e.simulation.peakBytes);
  }
}

TEST_CASE("a chain that runs one node again is explained as on paper") {
  // step 0 f1, 1 f2, 2 free a1, 3 f3, 4 seed, 5 b3. In memory at b3: the
  // input, a2, a3, d3 and what it makes, d2: the peak, 5 bytes.
  Graph graph = unitChain(3);
  Plan plan = planFromRuns(graph, runsByName(graph, {"f1", "f2", "f3", "seed",
                                                     "b3", "f1", "b2", "b1"}));
  std::vector<double> costs(graph.numNodes(), 2);
  Explanation e = llvm::cantFail(explain(graph, costs, plan));
  CHECK(e.simulation.peakBytes == 5);
  CHECK(graph.nodeName(e.peakNode) == "b3");
  CHECK(e.atPeak.size() == 4); // a2 a3 d3 d2
  CHECK(e.turnStep == 4);      // seed reads a3
  REQUIRE(e.acrossTurn.size() == 2);
  CHECK(graph.tensorName(e.acrossTurn[0].owner) == "a2");
  CHECK(e.turnBytes == 2);
  REQUIRE(e.recomputed.size() == 1);
  CHECK(graph.nodeName(e.recomputed[0].node) == "f1");
  CHECK(e.recomputed[0].runs == 1);
  CHECK(e.recomputed[0].cost == 2);
  CHECK(e.recomputed[0].freedBytes == 1);
  CHECK(e.recomputed[0].peakIfKeptBytes == 6); // a1 would be there at b3
}

TEST_CASE("groups add up to the whole") {
  Graph graph = star(4);
  Plan plan = planFromRuns(graph, graph.order());
  std::vector<double> costs(graph.numNodes(), 1);
  for (unsigned depth : {0u, 1u, 2u, 9u}) {
    CAPTURE(depth);
    Explanation e = llvm::cantFail(explain(graph, costs, plan, depth));
    for (const std::vector<NodeGroup> *groups : {&e.byOperator, &e.byPrefix}) {
      size_t nodes = 0;
      int64_t bytes = graph.constantBytes() + e.secondCopyBytes +
                      graph.workspaceBytes(e.peakNode);
      for (const NodeGroup &group : *groups) {
        nodes += group.nodes;
        bytes += group.peakBytes;
      }
      CHECK(nodes == graph.numNodes());
      CHECK(bytes == e.simulation.peakBytes);
    }
  }
}

TEST_CASE("the range maximum is that of a scan") {
  std::vector<int64_t> values = {3, -1, 4, 1, -5, 9, 2};
  RangeMaximum maximum(values);
  for (size_t begin = 0; begin < values.size(); ++begin)
    for (size_t end = begin + 1; end <= values.size(); ++end)
      CHECK(maximum.of(begin, end) ==
            *std::max_element(values.begin() + begin, values.begin() + end));
}
