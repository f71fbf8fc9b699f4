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

static bool isComplete(const Graph &graph, const ModelFacts &facts) {
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (missingFlops(graph, facts, n) || drawsNumbers(graph, facts, n))
      return false;
  return true;
}

llvm::Expected<Graph> completeGraph(Graph graph, const ModelFacts &facts,
                                    const Derivation &derived) {
  if (derived.nodes.empty() && isComplete(graph, facts))
    return graph;
  GraphBuilder builder;
  if (llvm::Error e = copyConstants(graph, builder))
    return e;
  NodeDescriber describer(graph);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    NodeDescription node = describer.describe(n);
    if (std::optional<double> flops = missingFlops(graph, facts, n))
      node.flops = *flops;
    if (drawsNumbers(graph, facts, n))
      node.recompute = RecomputeRule::Never;
    if (llvm::Error e = builder.addNode(node))
      return e;
  }
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
