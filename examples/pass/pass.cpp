// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reprise as a compiler pass: builds a graph from an IR, plans it within a
// budget, and walks the plan. The "IR" is a chain of layers and its gradients.

#include "reprise/graph/GraphBuilder.h"
#include "reprise/planner/Planner.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace reprise;

static llvm::Expected<Graph> buildGraph(unsigned numLayers) {
  GraphBuilder builder;
  if (llvm::Error e = builder.addInput("x0", /*bytes=*/1 << 20))
    return e;
  auto add = [&](std::string name, std::vector<std::string> reads,
                 std::string result, int64_t bytes, Phase phase) {
    std::vector<llvm::StringRef> inputs(reads.begin(), reads.end());
    return builder.addNode({.name = name,
                            .opType = "Layer",
                            .inputs = inputs,
                            .outputs = {result},
                            .bytes = {bytes},
                            .flops = 1e9,
                            .phase = phase});
  };
  auto id = [](unsigned i) { return std::to_string(i); };
  for (unsigned i = 0; i < numLayers; ++i)
    if (llvm::Error e = add("layer" + id(i), {"x" + id(i)}, "x" + id(i + 1),
                            1 << 20, Phase::Forward))
      return e;
  std::string gradient = "x" + id(numLayers);
  for (unsigned i = numLayers; i-- > 0;) {
    if (llvm::Error e = add("grad" + id(i), {"x" + id(i), gradient},
                            "d" + id(i), 1 << 20, Phase::Backward))
      return e;
    gradient = "d" + id(i);
  }
  if (llvm::Error e = builder.addOutput(gradient))
    return e;
  return builder.build();
}

int main() {
  llvm::ExitOnError orExit("pass: ");
  Graph graph = orExit(buildGraph(/*numLayers=*/16));
  PlanResult result = orExit(plan(Problem::of(graph, /*budgetBytes=*/8 << 20)));
  for (Step step : result.plan.steps)
    if (step.kind == Step::Free)
      llvm::outs() << "free " << graph.tensorName(step.id) << '\n';
    else
      llvm::outs() << (step.kind == Step::Recompute ? "recompute " : "compute ")
                   << graph.nodeName(step.id) << '\n';
  llvm::errs() << "peak " << result.simulation.peakBytes << " of "
               << result.baselinePeakBytes << " bytes, "
               << result.simulation.recomputedRuns << " runs repeated\n";
}
