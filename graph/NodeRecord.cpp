// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/NodeRecord.h"

namespace reprise {

NodeRecord::NodeRecord(const NodeDescription &node)
    : name(node.name.str()), opType(node.opType.str()),
      inputs(node.inputs.begin(), node.inputs.end()),
      outputs(node.outputs.begin(), node.outputs.end()),
      bytes(node.bytes.begin(), node.bytes.end()), flops(node.flops),
      seconds(node.seconds), workspaceBytes(node.workspaceBytes),
      phase(node.phase), recompute(node.recompute),
      alias(node.alias.begin(), node.alias.end()),
      inplace(node.inplace.begin(), node.inplace.end()) {}

llvm::Error NodeRecord::addTo(GraphBuilder &builder) const {
  std::vector<llvm::StringRef> inputRefs(inputs.begin(), inputs.end());
  std::vector<llvm::StringRef> outputRefs(outputs.begin(), outputs.end());
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> aliasRefs(
      alias.begin(), alias.end());
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> inplaceRefs(
      inplace.begin(), inplace.end());
  NodeDescription node;
  node.name = name;
  node.opType = opType;
  node.inputs = inputRefs;
  node.outputs = outputRefs;
  node.bytes = bytes;
  node.flops = flops;
  node.seconds = seconds;
  node.workspaceBytes = workspaceBytes;
  node.phase = phase;
  node.recompute = recompute;
  node.alias = aliasRefs;
  node.inplace = inplaceRefs;
  return builder.addNode(node);
}

} // namespace reprise
