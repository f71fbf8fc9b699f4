// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The computation graph: what every other part of Reprise reads and nothing
// changes.
//
//   node     one operator execution of a training step
//   tensor   a value: made by one node, or given by the caller (a constant)
//   storage  the bytes that one or more tensors live on. A tensor owns a
//            storage, or views another tensor's (alias), or takes over
//            another tensor's (inplace)
//
//     x ──mm──> h ──view──> v ──relu──> a       storages: {x} {h, v} {a}
//
// All tables are flat arrays indexed by NodeId, TensorId or StorageId, with
// compressed rows (CSR) for lists, so that a million nodes fit in a few
// hundred megabytes and are walked at memory speed.

#ifndef REPRISE_GRAPH_GRAPH_H
#define REPRISE_GRAPH_GRAPH_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace reprise {

using NodeId = uint32_t;    ///< position of a node in the file
using TensorId = uint32_t;  ///< constants first, then in order of production
using StorageId = uint32_t; ///< in order of the tensors that own them

/// "No such node, tensor or storage": an omitted optional input or output, or
/// the producer of a constant.
inline constexpr uint32_t kNone = UINT32_MAX;

enum class Phase : uint8_t { Forward, Backward };
enum class RecomputeRule : uint8_t {
  Allow,
  DropAtTurn, ///< as Allow, but nothing is kept for the backward pass
  Once,       ///< one run, anywhere
  Never       ///< one run, in the order of all such nodes
};

/// How an output comes by its bytes.
enum class StorageUse : uint8_t {
  Own,    ///< a storage of its own
  Alias,  ///< a read-only view of an input's storage
  InPlace ///< takes over an input's storage; the input is dead from then on
};

/// Rows of unequal length in one array.
class Rows {
public:
  size_t size() const { return starts.size() - 1; }
  llvm::ArrayRef<uint32_t> operator[](size_t row) const {
    return llvm::ArrayRef<uint32_t>(values.data() + starts[row],
                                    starts[row + 1] - starts[row]);
  }
  /// Appends \p row as the last one.
  void push(llvm::ArrayRef<uint32_t> row) {
    values.insert(values.end(), row.begin(), row.end());
    starts.push_back(values.size());
  }
  /// Appends \p value to the last row; endRow() closes it.
  void append(uint32_t value) { values.push_back(value); }
  void endRow() { starts.push_back(values.size()); }

private:
  std::vector<uint64_t> starts{0};
  std::vector<uint32_t> values;
};

/// Strings in one array.
class Names {
public:
  size_t size() const { return starts.size() - 1; }
  llvm::StringRef operator[](size_t i) const {
    return llvm::StringRef(text.data() + starts[i], starts[i + 1] - starts[i]);
  }
  void push(llvm::StringRef name) {
    text.append(name.begin(), name.end());
    starts.push_back(text.size());
  }

private:
  std::vector<uint64_t> starts{0};
  std::string text;
};

/// An immutable, validated computation graph. A Graph that exists is valid:
/// acyclic, every tensor that is read is produced or constant, all sums of
/// bytes fit in 63 bits. Made by GraphBuilder.
class Graph {
public:
  llvm::StringRef name() const { return graphName; }

  // Nodes.
  size_t numNodes() const { return nodeNames.size(); }
  llvm::StringRef nodeName(NodeId n) const { return nodeNames[n]; }
  llvm::StringRef opType(NodeId n) const { return opTypeNames[opTypes[n]]; }
  /// Tensors that \p n reads, as listed: kNone for an omitted one, duplicates
  /// kept.
  llvm::ArrayRef<TensorId> inputs(NodeId n) const { return nodeInputs[n]; }
  /// Tensors that \p n makes, one per position: kNone for an omitted one.
  llvm::ArrayRef<TensorId> outputs(NodeId n) const { return nodeOutputs[n]; }
  /// Distinct tensors that \p n reads and that a node makes (no constants).
  llvm::ArrayRef<TensorId> reads(NodeId n) const { return nodeReads[n]; }
  Phase phase(NodeId n) const { return phases[n]; }
  /// May the node run more than once? False as well for a node that writes in
  /// place: its input is gone after the first run.
  bool mayRecompute(NodeId n) const { return mayRecomputes[n] != 0; }
  /// `recompute: never` as the file says it. Such nodes keep their order.
  bool isNever(NodeId n) const { return nevers[n] != 0; }
  /// The rule of DropAtTurn.
  bool dropsAtTurn(NodeId n) const { return turnDrops[n] != 0; }
  int64_t workspaceBytes(NodeId n) const { return workspaces[n]; }
  /// Bytes of the storages that the outputs of \p n own.
  int64_t ownedBytes(NodeId n) const { return ownedBytesOf[n]; }
  /// FLOPs of one execution; 0 where the file gives none (see hasFlops).
  double flops(NodeId n) const { return flopsOf[n]; }
  /// Seconds of one execution; negative where the file gives none.
  double seconds(NodeId n) const { return secondsOf[n]; }
  /// True when every node has a measured time.
  bool isTimed() const { return timed; }

  // Tensors.
  size_t numTensors() const { return tensorNames.size(); }
  size_t numConstants() const { return constantCount; }
  /// Graph input or initializer: resident from the first step to the last.
  bool isConstant(TensorId t) const { return t < constantCount; }
  bool isInitializer(TensorId t) const { return t < initializerCount; }
  llvm::StringRef tensorName(TensorId t) const { return tensorNames[t]; }
  /// The node that makes \p t, kNone for a constant.
  NodeId producer(TensorId t) const { return producers[t]; }
  /// Distinct nodes that read \p t, in topological order.
  llvm::ArrayRef<NodeId> users(TensorId t) const { return tensorUsers[t]; }
  StorageUse storageUse(TensorId t) const { return uses[t]; }
  StorageId storage(TensorId t) const { return storages[t]; }
  /// The input that \p t views or overwrites; kNone for a tensor of its own.
  TensorId base(TensorId t) const { return bases[t]; }
  /// The node that overwrites \p t in place, or kNone.
  NodeId overwriter(TensorId t) const { return overwriters[t]; }
  /// Must be resident when the schedule ends.
  bool isOutput(TensorId t) const { return outputFlags[t] != 0; }
  /// The tensors that must be resident at the end, each once.
  llvm::ArrayRef<TensorId> graphOutputs() const { return outputList; }

  // Storages.
  size_t numStorages() const { return storageBytesOf.size(); }
  int64_t storageBytes(StorageId s) const { return storageBytesOf[s]; }
  /// The tensors on \p s, the owner first.
  llvm::ArrayRef<TensorId> tensorsOn(StorageId s) const {
    return storageTensors[s];
  }
  /// In the caller's memory: the storage of a graph input or initializer.
  bool isConstantStorage(StorageId s) const { return s < constantCount; }
  /// Bytes of all graph inputs and initializers: part of every usage.
  int64_t constantBytes() const { return constantTotal; }

  // Order.
  /// All nodes, topologically; among the ready ones the first of the file.
  /// A node that overwrites a tensor comes after all that read the old value.
  llvm::ArrayRef<NodeId> order() const { return topological; }
  /// Position of each node in order().
  uint32_t position(NodeId n) const { return positions[n]; }
  /// At least one node has the backward phase.
  bool isTraining() const { return training; }

  /// The first node, in order(), that has the backward phase and reads what a
  /// forward node made; kNone where there is none. Its first run is the turn
  /// from the forward to the backward pass.
  NodeId turn() const { return turnNode; }
  /// Storages that a plan must not hold across the turn: those made by forward
  /// nodes with the rule of DropAtTurn, unless an output of the graph or the
  /// output of a node that runs once is on them.
  llvm::ArrayRef<StorageId> droppedAtTurn() const { return turnStorages; }

  /// Number of distinct (producer, reader) pairs.
  uint64_t numEdges() const { return edges; }

private:
  friend class GraphBuilder;
  Graph() = default;

  std::string graphName;
  Names nodeNames, tensorNames, opTypeNames;
  std::vector<uint32_t> opTypes;
  Rows nodeInputs, nodeOutputs, nodeReads, tensorUsers, storageTensors;
  std::vector<Phase> phases;
  std::vector<uint8_t> mayRecomputes, nevers, turnDrops, outputFlags;
  std::vector<int64_t> workspaces, ownedBytesOf, storageBytesOf;
  std::vector<double> flopsOf, secondsOf;
  std::vector<NodeId> producers, overwriters, topological;
  std::vector<uint32_t> positions;
  std::vector<StorageUse> uses;
  std::vector<StorageId> storages;
  std::vector<TensorId> bases, outputList;
  std::vector<StorageId> turnStorages;
  NodeId turnNode = kNone;
  uint32_t constantCount = 0, initializerCount = 0;
  int64_t constantTotal = 0;
  uint64_t edges = 0;
  bool training = false, timed = false;
};

} // namespace reprise

#endif // REPRISE_GRAPH_GRAPH_H
