// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Emitter.h"
#include "reprise/planner/Liveness.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cassert>

namespace reprise {

Emitter::Emitter(const Graph &graph, const Cuts &cuts)
    : graph(graph), cuts(cuts), madeBy(graph.numTensors(), 0),
      overwrittenBy(graph.numStorages(), 0), wanted(graph.numNodes(), 0) {
  runs.reserve(graph.numNodes() * 2);
}

bool Emitter::isResident(TensorId t) const {
  return madeBy[t] != 0 && madeBy[t] >= overwrittenBy[graph.storage(t)];
}

void Emitter::run(NodeId n) {
  runs.push_back(n);
  for (TensorId t : graph.outputs(n)) {
    if (t == kNone)
      continue;
    madeBy[t] = runs.size();
    if (graph.storageUse(t) == StorageUse::InPlace)
      overwrittenBy[graph.storage(t)] = runs.size();
  }
}

void Emitter::want(TensorId t) {
  NodeId n = graph.producer(t);
  if (n == kNone || isResident(t) || wanted[n])
    return;
  assert(cuts.rerunnable[n] && "what cannot run again is never forgotten");
  wanted[n] = 1;
  pending.push_back(n);
}

/// Runs what is pending and all that it misses, in forward order.
void Emitter::runClosure() {
  if (pending.empty())
    return;
  closure.clear();
  while (!pending.empty()) {
    NodeId n = pending.back();
    pending.pop_back();
    closure.push_back(n);
    for (TensorId t : graph.reads(n))
      want(t);
  }
  llvm::sort(closure,
             [&](NodeId a, NodeId b) { return cuts.place[a] < cuts.place[b]; });
  for (NodeId n : closure) {
    wanted[n] = 0;
    run(n);
  }
}

void Emitter::runForward(uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; ++i)
    run(cuts.forward[i]);
}

void Emitter::runBackward(uint32_t from, uint32_t to) {
  for (uint32_t p = from; p < to; ++p) {
    for (TensorId t : graph.reads(cuts.backward[p]))
      want(t);
    runClosure();
    run(cuts.backward[p]);
  }
}

void Emitter::restore(llvm::ArrayRef<StorageId> storages) {
  for (StorageId s : storages)
    for (TensorId t : graph.tensorsOn(s))
      if (cuts.isForward[graph.producer(t)] &&
          cuts.rerunnable[graph.producer(t)])
        want(t);
  runClosure();
}

void Emitter::forget(StorageId s) {
  if (cuts.pinned[s])
    return;
  for (TensorId t : graph.tensorsOn(s))
    if (cuts.isForward[graph.producer(t)])
      madeBy[t] = 0;
}

void Emitter::forgetInterior(uint32_t from, uint32_t to,
                             llvm::ArrayRef<uint32_t> cutsKept) {
  for (uint32_t i = from; i < to; ++i)
    for (TensorId t : graph.outputs(cuts.forward[i])) {
      if (t == kNone || graph.storageUse(t) != StorageUse::Own)
        continue;
      StorageId s = graph.storage(t);
      const uint32_t *cut = llvm::upper_bound(cutsKept, cuts.made[s]);
      if (cut == cutsKept.end() || *cut >= cuts.end[s])
        forget(s);
    }
}

RunSequence Emitter::finish() { return withoutIdleRuns(graph, runs); }

} // namespace reprise
