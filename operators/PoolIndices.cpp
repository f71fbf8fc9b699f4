// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/operators/PoolIndices.h"

#include "reprise/graph/GraphCopy.h"
#include "reprise/operators/ElementType.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace reprise {

/// Bytes of the indices of node \p n; none where it gets none.
static std::optional<int64_t> indicesBytes(const Graph &graph,
                                           const ModelFacts &facts, NodeId n) {
  llvm::ArrayRef<TensorId> outputs = graph.outputs(n);
  if (graph.opType(n) != "MaxPool" || facts.isForeign(n) ||
      outputs.size() != 1 || outputs[0] == kNone)
    return std::nullopt;
  std::optional<int64_t> elements = facts.types.elements(outputs[0]);
  int64_t bytes = 0;
  if (!elements || llvm::MulOverflow<int64_t>(*elements, 8, bytes))
    return std::nullopt;
  return bytes;
}

/// The types of \p after, which is \p before with indices.
static TensorTypes typesWithIndices(const Graph &before, const Graph &after,
                                    const TensorTypes &types) {
  std::vector<TensorType> typeOf(after.numTensors());
  for (TensorId t = 0; t < before.numConstants(); ++t)
    typeOf[t] = types[t];
  for (NodeId n = 0; n < before.numNodes(); ++n) {
    llvm::ArrayRef<TensorId> old = before.outputs(n), now = after.outputs(n);
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i] == kNone)
        continue;
      typeOf[now[i]] = types[old[std::min(i, old.size() - 1)]];
      if (i >= old.size())
        typeOf[now[i]].elementType = findElementType("INT64")->number;
    }
  }
  TensorTypes result;
  for (const TensorType &type : typeOf)
    result.push(type);
  return result;
}

llvm::Expected<Graph> withPoolIndices(const Graph &graph, ModelFacts &facts) {
  GraphBuilder builder;
  if (llvm::Error e = copyConstants(graph, builder))
    return e;
  NodeDescriber describer(graph);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    NodeDescription node = describer.describe(n);
    std::string name = (graph.nodeName(n) + ".indices").str();
    llvm::SmallVector<llvm::StringRef> outputs(node.outputs.begin(),
                                               node.outputs.end());
    llvm::SmallVector<int64_t> bytes(node.bytes.begin(), node.bytes.end());
    if (std::optional<int64_t> more = indicesBytes(graph, facts, n)) {
      outputs.push_back(name);
      bytes.push_back(*more);
    }
    node.outputs = outputs;
    node.bytes = bytes;
    if (llvm::Error e = builder.addNode(node))
      return e;
  }
  if (llvm::Error e = copyOutputs(graph, builder))
    return e;
  llvm::Expected<Graph> result = builder.build();
  if (result)
    facts.types = typesWithIndices(graph, *result, facts.types);
  return result;
}

} // namespace reprise
