// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/TorchPolicy.h"

#include "reprise/graph/GraphBuilder.h"

#include <doctest/doctest.h>

using namespace reprise;

/// x -> f1: a -> view: v -> f2: b -> f3: c -> f4: d, and backward nodes
/// g3 (reads d, b) and g1 (reads v and what g3 made).
static Graph smallStep() {
  GraphBuilder builder;
  llvm::cantFail(builder.addInput("x", 4));
  auto add = [&](llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
                 llvm::StringRef output, Phase phase, bool isView = false) {
    NodeDescription node;
    node.name = name;
    node.opType = "Op";
    node.inputs = inputs;
    node.outputs = output;
    int64_t bytes = isView ? 0 : 4;
    node.bytes = bytes;
    node.phase = phase;
    std::pair<llvm::StringRef, llvm::StringRef> view{output, inputs.front()};
    if (isView)
      node.alias = view;
    llvm::cantFail(builder.addNode(node));
  };
  add("f1", {"x"}, "a", Phase::Forward);
  add("view", {"a"}, "v", Phase::Forward, true);
  add("f2", {"v"}, "b", Phase::Forward);
  add("f3", {"b"}, "c", Phase::Forward);
  add("f4", {"c"}, "d", Phase::Forward);
  add("g3", {"d", "b"}, "e", Phase::Backward);
  add("g1", {"v", "e"}, "f", Phase::Backward);
  llvm::cantFail(builder.addOutput("f"));
  return llvm::cantFail(builder.build());
}

TEST_CASE("nodeFates: read late is saved, with what a view views; run again is "
          "recomputed; the rest is discarded") {
  Graph graph = smallStep();
  // b goes and comes back from v, so that v is kept, and with it a; c is only
  // for d.
  Plan plan{{{Step::Compute, 0},
             {Step::Compute, 1},
             {Step::Compute, 2},
             {Step::Compute, 3},
             {Step::Free, 3},
             {Step::Compute, 4},
             {Step::Recompute, 2},
             {Step::Compute, 5},
             {Step::Compute, 6}}};
  std::vector<NodeFate> fates = nodeFates(graph, plan);
  CHECK(fates[0] == NodeFate::Save);
  CHECK(fates[1] == NodeFate::Save);
  CHECK(fates[2] == NodeFate::Recompute);
  CHECK(fates[3] == NodeFate::Discard);
  CHECK(fates[4] == NodeFate::Save);

  CHECK(writeTorchPolicy(graph, plan) ==
        "{\n  \"format\": \"reprise.torch-policy\",\n  \"version\": 1,\n"
        "  \"graph\": \"\",\n"
        "  \"save\": [\n    \"f1\",\n    \"view\",\n    \"f4\"\n  ],\n"
        "  \"recompute\": [\n    \"f2\"\n  ],\n"
        "  \"discard\": [\n    \"f3\"\n  ]\n}\n");
}
