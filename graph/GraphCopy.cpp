// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/GraphCopy.h"

namespace reprise {

NodeDescription NodeDescriber::describe(NodeId n) {
  inputs.clear();
  outputs.clear();
  bytes.clear();
  alias.clear();
  inplace.clear();
  for (TensorId t : graph.inputs(n))
    inputs.push_back(t == kNone ? "" : graph.tensorName(t));
  for (TensorId t : graph.outputs(n)) {
    outputs.push_back(t == kNone ? "" : graph.tensorName(t));
    bool owns = t != kNone && graph.storageUse(t) == StorageUse::Own;
    bytes.push_back(owns ? graph.storageBytes(graph.storage(t)) : 0);
    if (t == kNone || owns)
      continue;
    bool isAlias = graph.storageUse(t) == StorageUse::Alias;
    (isAlias ? alias : inplace)
        .push_back({graph.tensorName(t), graph.tensorName(graph.base(t))});
  }
  NodeDescription node;
  node.name = graph.nodeName(n);
  node.opType = graph.opType(n);
  node.inputs = inputs;
  node.outputs = outputs;
  node.bytes = bytes;
  node.flops = graph.flops(n);
  if (graph.seconds(n) >= 0)
    node.seconds = graph.seconds(n);
  node.workspaceBytes = graph.workspaceBytes(n);
  node.phase = graph.phase(n);
  if (graph.isNever(n))
    node.recompute = RecomputeRule::Never;
  else if (!graph.mayRecompute(n) && inplace.empty())
    node.recompute = RecomputeRule::Once;
  else if (graph.dropsAtTurn(n))
    node.recompute = RecomputeRule::DropAtTurn;
  node.alias = alias;
  node.inplace = inplace;
  return node;
}

llvm::Error copyConstants(const Graph &graph, GraphBuilder &builder) {
  builder.setName(graph.name());
  for (TensorId t = 0; t < graph.numConstants(); ++t) {
    int64_t bytes = graph.storageBytes(graph.storage(t));
    llvm::Error error = graph.isInitializer(t)
                            ? builder.addInitializer(graph.tensorName(t), bytes)
                            : builder.addInput(graph.tensorName(t), bytes);
    if (error)
      return error;
  }
  return llvm::Error::success();
}

llvm::Error copyOutputs(const Graph &graph, GraphBuilder &builder) {
  for (TensorId t : graph.graphOutputs())
    if (llvm::Error e = builder.addOutput(graph.tensorName(t)))
      return e;
  return llvm::Error::success();
}

} // namespace reprise
