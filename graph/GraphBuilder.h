// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a Graph from any source: a file reader, or a compiler's own
// representation.

#ifndef REPRISE_GRAPH_GRAPHBUILDER_H
#define REPRISE_GRAPH_GRAPHBUILDER_H

#include "reprise/graph/Graph.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <utility>

namespace reprise {

/// One node as the caller describes it. The strings need to live only for the
/// call to GraphBuilder::addNode.
struct NodeDescription {
  llvm::StringRef name;   ///< empty: a free name `node<i>` is chosen
  llvm::StringRef opType; ///< required
  llvm::ArrayRef<llvm::StringRef> inputs;  ///< tensor names; "" is omitted
  llvm::ArrayRef<llvm::StringRef> outputs; ///< tensor names; "" is omitted
  /// Bytes of each output, one entry per entry of `outputs`; empty when the
  /// sizes come from setTensorBytes(). Entries of views do not count.
  llvm::ArrayRef<int64_t> bytes;
  std::optional<double> flops;   ///< of one execution, >= 0
  std::optional<double> seconds; ///< of one execution, measured, >= 0
  int64_t workspaceBytes = 0;    ///< held only while the node runs
  Phase phase = Phase::Forward;
  RecomputeRule recompute = RecomputeRule::Allow;
  /// (output, input) pairs: the output is a view of the input.
  llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> alias;
  /// (output, input) pairs: the output takes over the input's storage.
  llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> inplace;
};

/// Collects nodes and constants in file order, in any order of definition and
/// use, then validates everything at once in build(). Every error names the
/// node and the field ("node mm1: memory: ...").
class GraphBuilder {
public:
  void setName(llvm::StringRef name) { graph.graphName = name.str(); }

  /// A graph input of \p bytes. A name that is already an initializer is
  /// ignored, as older ONNX lists initializers among the inputs as well.
  llvm::Error addInput(llvm::StringRef name, int64_t bytes);
  /// An initializer (weight) of \p bytes.
  llvm::Error addInitializer(llvm::StringRef name, int64_t bytes);
  /// A tensor that must be resident at the end; listing it twice is the same.
  llvm::Error addOutput(llvm::StringRef name);
  /// Bytes of a tensor by its shape, for nodes that give no `bytes`.
  void setTensorBytes(llvm::StringRef name, int64_t bytes);
  /// Why the shape of \p name gives no size ("dimension 0 is symbolic (N)"),
  /// told when a node needs it.
  void setTensorUnsized(llvm::StringRef name, llvm::StringRef reason);
  llvm::Error addNode(const NodeDescription &node);

  size_t numNodes() const { return graph.nodeNames.size(); }

  /// The validated graph; the builder is empty afterwards.
  llvm::Expected<Graph> build();

private:
  struct TensorInfo {
    NodeId producer = kNone;
    uint8_t kind = 0; ///< see GraphBuilder.cpp
    int64_t bytes = -1;
  };

  uint32_t internTensor(llvm::StringRef name);
  llvm::Error declareOutputs(NodeId n, const NodeDescription &node);
  llvm::Error nameNodes();
  llvm::Error numberTensors();
  llvm::Error linkNodes();
  llvm::Error sortNodes();
  llvm::Error placeStorages();
  llvm::Error sumBytes();
  llvm::Error findTurn();

  Graph graph;
  llvm::StringMap<uint32_t> tensorIds, nodeIds, opTypeIds;
  std::vector<TensorInfo> tensors;   ///< by interned id
  std::vector<llvm::StringRef> keys; ///< interned id to name
  std::vector<uint32_t> inputIds, initializerIds, outputIds; ///< interned ids
  llvm::StringMap<std::string> unsized;
  Rows rawInputs, rawOutputs; ///< interned ids, kNone for omitted
  /// Per output slot of rawOutputs, in order: bytes (-1: from the shape).
  std::vector<int64_t> slotBytes;
  /// Per interned tensor: the interned base of a view or in-place output.
  std::vector<uint32_t> baseOf;
  std::vector<StorageUse> useOf;
  std::vector<uint32_t> remap; ///< interned id to TensorId
  bool anyUnnamed = false;
  bool allTimed = true;
};

} // namespace reprise

#endif // REPRISE_GRAPH_GRAPHBUILDER_H
