// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Floor.h"

#include "reprise/graph/GraphBuilder.h"
#include "reprise/planner/Simulator.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

static void addNode(GraphBuilder &builder, llvm::StringRef name,
                    llvm::ArrayRef<llvm::StringRef> inputs,
                    llvm::StringRef output, int64_t bytes,
                    int64_t workspaceBytes = 0) {
  NodeDescription node;
  node.name = name;
  node.opType = "Op";
  node.inputs = inputs;
  node.outputs = output;
  node.bytes = bytes;
  node.workspaceBytes = workspaceBytes;
  llvm::cantFail(builder.addNode(node));
}

TEST_CASE("the floor is the largest step: constants, reads, own outputs and "
          "workspace") {
  GraphBuilder builder;
  llvm::cantFail(builder.addInput("x", 4));
  addNode(builder, "f", {"x"}, "a", 10);
  addNode(builder, "g", {"a", "a", "x"}, "b", 20, /*workspaceBytes=*/3);
  addNode(builder, "h", {"b"}, "c", 1);
  llvm::cantFail(builder.addOutput("c"));
  Graph graph = llvm::cantFail(builder.build());
  // g: 4 constant + 10 read once + 20 made + 3 workspace.
  CHECK(peakFloor(graph).bytes == 37);
  CHECK(peakFloor(graph).node == 1);
}

TEST_CASE("outputs that are together at the end set the floor without a node") {
  GraphBuilder builder;
  addNode(builder, "f", {}, "a", 10);
  addNode(builder, "g", {}, "b", 20);
  addNode(builder, "h", {}, "c", 30);
  for (llvm::StringRef name : {"a", "b", "c"})
    llvm::cantFail(builder.addOutput(name));
  Graph graph = llvm::cantFail(builder.build());
  CHECK(peakFloor(graph).bytes == 60);
  CHECK(peakFloor(graph).node == kNone);
}

TEST_CASE("a storage that is read through two views counts once") {
  GraphBuilder builder;
  addNode(builder, "f", {}, "a", 10);
  for (auto [name, output] :
       {std::pair<llvm::StringRef, llvm::StringRef>("v", "a1"), {"w", "a2"}}) {
    NodeDescription view;
    std::pair<llvm::StringRef, llvm::StringRef> alias(output, "a");
    llvm::StringRef input = "a";
    view.name = name;
    view.opType = "View";
    view.inputs = input;
    view.outputs = output;
    view.alias = alias;
    llvm::cantFail(builder.addNode(view));
  }
  addNode(builder, "g", {"a1", "a2"}, "b", 5);
  Graph graph = llvm::cantFail(builder.build());
  CHECK(peakFloor(graph).bytes == 15);
  CHECK(peakFloor(graph).node == 3);
}

TEST_CASE("a graph of constants alone has them as its floor") {
  GraphBuilder builder;
  llvm::cantFail(builder.addInput("x", 7));
  Graph graph = llvm::cantFail(builder.build());
  CHECK(peakFloor(graph).bytes == 7);
  CHECK(peakFloor(graph).node == kNone);
}

TEST_CASE("what runs only once and is read later stays in between") {
  GraphBuilder builder;
  // mask [8] is made by a node that runs once, and read by the last node.
  NodeDescription drop;
  llvm::StringRef mask = "mask";
  int64_t maskBytes = 8;
  drop.name = "drop";
  drop.opType = "Op";
  drop.outputs = mask;
  drop.bytes = maskBytes;
  drop.recompute = RecomputeRule::Never;
  llvm::cantFail(builder.addNode(drop));
  addNode(builder, "f", {"mask"}, "a", 3);
  addNode(builder, "g", {"a"}, "b", 10, /*workspaceBytes=*/5);
  addNode(builder, "h", {"b"}, "c", 1);
  addNode(builder, "last", {"c", "mask"}, "d", 1);
  Graph graph = llvm::cantFail(builder.build());
  // g: 3 read + 10 made + 5 workspace + 8 of the mask.
  CHECK(peakFloor(graph).bytes == 26);
  CHECK(peakFloor(graph).node == 2);
}

TEST_CASE("no order of a random graph peaks below its floor") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Graph graph = randomGraph(seed);
    CHECK_MESSAGE(peakFloor(graph).bytes <= peakOfRuns(graph, graph.order()),
                  "seed ", seed);
  }
}
