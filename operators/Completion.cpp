// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/operators/Completion.h"

#include "reprise/graph/Error.h"
#include "reprise/graph/GraphCopy.h"
#include "reprise/operators/CostModel.h"

namespace reprise {

/// The FLOPs to put where the file gives none; none where there is nothing to
/// change.
static std::optional<double> missingFlops(const Graph &graph,
                                          const ModelFacts &facts, NodeId n) {
  if (facts.hasFlops(n))
    return std::nullopt;
  std::optional<double> flops = forwardFlops(graph, facts, n);
  if (!flops || *flops == 0)
    return std::nullopt;
  return flops;
}

static bool drawsNumbers(const Graph &graph, const ModelFacts &facts,
                         NodeId n) {
  if (graph.isTraining() || facts.hasRecompute(n))
    return false;
  const OperatorRule *rule = operatorOf(graph, facts, n);
  return rule && rule->isRandom;
}

/// Is the first output of \p n really a view of the first input?
static bool makesView(const Graph &graph, const ModelFacts &facts, NodeId n) {
  const OperatorRule *rule = operatorOf(graph, facts, n);
  llvm::ArrayRef<TensorId> inputs = graph.inputs(n), outputs = graph.outputs(n);
  return rule && rule->isView && !facts.hasBytes(n) && !inputs.empty() &&
         inputs[0] != kNone && outputs.size() == 1 && outputs[0] != kNone &&
         graph.storageUse(outputs[0]) == StorageUse::Own &&
         tensorBytes(graph, facts, inputs[0]) ==
             tensorBytes(graph, facts, outputs[0]);
}

namespace {
/// What is to be filled in for one node.
struct Gaps {
  std::optional<double> flops;
  bool isNever = false;
  bool isView = false;
  int64_t workspaceBytes = 0;

  bool any() const { return flops || isNever || isView || workspaceBytes > 0; }
};
} // namespace

static Gaps gapsOf(const Graph &graph, const ModelFacts &facts,
                   Completion extent, NodeId n) {
  Gaps gaps;
  gaps.flops = missingFlops(graph, facts, n);
  gaps.isNever = drawsNumbers(graph, facts, n);
  if (extent == Completion::AsWritten || graph.isTraining())
    return gaps;
  gaps.isView = makesView(graph, facts, n);
  if (graph.workspaceBytes(n) == 0)
    gaps.workspaceBytes = forwardWorkspace(graph, facts, n);
  return gaps;
}

static bool isComplete(const Graph &graph, const ModelFacts &facts,
                       Completion extent) {
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (gapsOf(graph, facts, extent, n).any())
      return false;
  return true;
}

static llvm::Error addCompleted(const Graph &graph, const ModelFacts &facts,
                                Completion extent, GraphBuilder &builder) {
  NodeDescriber describer(graph);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    NodeDescription node = describer.describe(n);
    Gaps gaps = gapsOf(graph, facts, extent, n);
    if (gaps.flops)
      node.flops = gaps.flops;
    if (gaps.isNever)
      node.recompute = RecomputeRule::Never;
    if (gaps.workspaceBytes > 0)
      node.workspaceBytes = gaps.workspaceBytes;
    std::pair<llvm::StringRef, llvm::StringRef> view;
    if (gaps.isView) {
      view = {node.outputs[0], node.inputs[0]};
      node.alias = view;
    }
    if (llvm::Error e = builder.addNode(node))
      return e;
  }
  return llvm::Error::success();
}

llvm::Expected<Graph> completeGraph(Graph graph, const ModelFacts &facts,
                                    Completion extent,
                                    const Derivation &derived) {
  if (derived.nodes.empty() && isComplete(graph, facts, extent))
    return graph;
  GraphBuilder builder;
  if (llvm::Error e = copyConstants(graph, builder))
    return e;
  if (llvm::Error e = addCompleted(graph, facts, extent, builder))
    return e;
  for (const NodeRecord &node : derived.nodes)
    if (llvm::Error e = node.addTo(builder))
      return makeInputError("derived " + llvm::toString(std::move(e)));
  if (llvm::Error e = copyOutputs(graph, builder))
    return e;
  for (const std::string &output : derived.outputs)
    if (llvm::Error e = builder.addOutput(output))
      return e;
  return builder.build();
}

} // namespace reprise
