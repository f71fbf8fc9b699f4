// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Turn.h"

#include "reprise/planner/Liveness.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

namespace {

/// Copies runs and puts in what they miss.
class TurnFilter {
public:
  explicit TurnFilter(const Graph &graph)
      : graph(graph), isMade(graph.numTensors(), 0) {}

  /// False when something cannot be made again.
  bool run(llvm::ArrayRef<NodeId> runs);
  RunSequence take() { return std::move(result); }

private:
  bool append(NodeId n);
  bool restore(llvm::ArrayRef<TensorId> tensors);
  void make(NodeId n);
  void forget(StorageId s) {
    for (TensorId t : graph.tensorsOn(s))
      isMade[t] = 0;
  }

  const Graph &graph;
  std::vector<uint8_t> isMade; ///< by tensor: can be read
  std::vector<NodeId> pending; ///< scratch
  RunSequence result;
};

} // namespace

void TurnFilter::make(NodeId n) {
  result.push_back(n);
  for (TensorId t : graph.outputs(n)) {
    if (t == kNone)
      continue;
    if (graph.storageUse(t) == StorageUse::InPlace)
      forget(graph.storage(t));
    isMade[t] = 1;
  }
}

/// Runs the makers of those \p tensors that are gone, and of what they read.
bool TurnFilter::restore(llvm::ArrayRef<TensorId> tensors) {
  for (TensorId wanted : tensors) {
    if (isMade[wanted])
      continue;
    pending.assign(1, graph.producer(wanted));
    while (!pending.empty()) {
      NodeId n = pending.back();
      if (!graph.mayRecompute(n))
        return false;
      // A node may be pending twice.
      if (llvm::none_of(graph.outputs(n),
                        [&](TensorId t) { return t != kNone && !isMade[t]; })) {
        pending.pop_back();
        continue;
      }
      size_t before = pending.size();
      for (TensorId t : graph.reads(n))
        if (!isMade[t])
          pending.push_back(graph.producer(t));
      if (pending.size() > before)
        continue;
      pending.pop_back();
      make(n);
    }
  }
  return true;
}

bool TurnFilter::append(NodeId n) {
  if (!restore(graph.reads(n)))
    return false;
  make(n);
  return true;
}

bool TurnFilter::run(llvm::ArrayRef<NodeId> runs) {
  bool isBehind = false;
  for (NodeId n : runs) {
    if (!append(n))
      return false;
    if (n != graph.turn() || isBehind)
      continue;
    isBehind = true;
    for (StorageId s : graph.droppedAtTurn())
      forget(s);
  }
  return restore(graph.graphOutputs());
}

RunSequence forgetAtTurn(const Graph &graph, RunSequence runs) {
  if (graph.droppedAtTurn().empty() || heldAcrossTurn(graph, runs) == kNone)
    return runs;
  TurnFilter filter(graph);
  if (!filter.run(runs))
    return runs;
  return withoutIdleRuns(graph, filter.take());
}

TensorId heldAcrossTurn(const Graph &graph, llvm::ArrayRef<NodeId> runs) {
  const NodeId *turn = llvm::find(runs, graph.turn());
  if (graph.droppedAtTurn().empty() || turn == runs.end())
    return kNone;
  // What is read behind the turn before it is made again.
  std::vector<uint8_t> isOld(graph.numTensors(), 0);
  for (StorageId s : graph.droppedAtTurn())
    for (TensorId t : graph.tensorsOn(s))
      isOld[t] = 1;
  for (NodeId n : llvm::make_range(turn + 1, runs.end())) {
    for (TensorId t : graph.reads(n))
      if (isOld[t])
        return t;
    for (TensorId t : graph.outputs(n))
      if (t != kNone)
        isOld[t] = 0;
  }
  return kNone;
}

} // namespace reprise
