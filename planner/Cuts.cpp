// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Cuts.h"

#include <algorithm>

namespace reprise {

/// Splits the nodes into those that run before the backward pass and the rest.
static void splitPhases(const Graph &graph, Cuts &cuts) {
  size_t count = graph.numNodes();
  cuts.place.assign(count, 0);
  cuts.isForward.assign(count, 0);
  // A node that overwrites a storage comes after all who read the old value;
  // nodes that must not run twice keep their order.
  std::vector<uint8_t> readByBackward(graph.numStorages(), 0);
  bool neverInBackward = false;
  for (NodeId n : graph.order()) {
    bool early = graph.phase(n) == Phase::Forward &&
                 !(graph.isNever(n) && neverInBackward);
    for (TensorId t : graph.reads(n))
      early = early && cuts.isForward[graph.producer(t)];
    for (TensorId t : graph.outputs(n))
      if (t != kNone && graph.storageUse(t) == StorageUse::InPlace)
        early = early && !readByBackward[graph.storage(t)];
    std::vector<NodeId> &list = early ? cuts.forward : cuts.backward;
    cuts.isForward[n] = early;
    cuts.place[n] = list.size();
    list.push_back(n);
    if (early)
      continue;
    neverInBackward |= graph.isNever(n);
    for (TensorId t : graph.inputs(n))
      if (t != kNone)
        readByBackward[graph.storage(t)] = 1;
  }
}

/// Which nodes can run again at any time, and what must therefore be kept.
static void findPinned(const Graph &graph, Cuts &cuts) {
  // A tensor dies for good when a node overwrites its storage.
  std::vector<uint32_t> overwrittenAfter(graph.numStorages(), 0);
  for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t)
    if (graph.storageUse(t) == StorageUse::InPlace) {
      uint32_t &at = overwrittenAfter[graph.storage(t)];
      at = std::max(at, graph.position(graph.producer(t)) + 1);
    }
  auto dies = [&](TensorId t) {
    uint32_t at = overwrittenAfter[graph.storage(t)];
    return at != 0 &&
           (graph.isConstant(t) || graph.position(graph.producer(t)) + 1 < at);
  };
  cuts.rerunnable.assign(graph.numNodes(), 0);
  cuts.pinned.assign(graph.numStorages(), 0);
  for (NodeId n : graph.order()) {
    bool may = cuts.isForward[n] && graph.mayRecompute(n);
    for (TensorId t : graph.inputs(n))
      if (t != kNone && dies(t))
        may = may && !graph.isConstant(t) && cuts.rerunnable[graph.producer(t)];
    cuts.rerunnable[n] = may;
    if (!may && cuts.isForward[n])
      for (TensorId t : graph.outputs(n))
        if (t != kNone)
          cuts.pinned[graph.storage(t)] = 1;
  }
}

/// The sides of the cuts and the interval of cuts that each storage crosses.
static void findCrossings(const Graph &graph, Cuts &cuts) {
  uint32_t n = cuts.numForward(), m = cuts.numBackward();
  cuts.needEnd.assign(m, 0);
  uint32_t need = 0;
  for (uint32_t p = m; p-- > 0;) {
    for (TensorId t : graph.reads(cuts.backward[p]))
      if (cuts.isForward[graph.producer(t)])
        need = std::max(need, cuts.place[graph.producer(t)] + 1);
    cuts.needEnd[p] = need;
  }
  cuts.side.assign(n + 1, m);
  uint32_t p = 0;
  for (uint32_t i = n + 1; i-- > 0;) {
    while (p < m && cuts.needEnd[p] > i)
      ++p;
    cuts.side[i] = p;
  }

  size_t storages = graph.numStorages();
  cuts.made.assign(storages, kNone);
  cuts.end.assign(storages, 0);
  cuts.lastForward.assign(storages, kNone);
  cuts.lastBackward.assign(storages, kNone);
  for (StorageId s = graph.numConstants(); s < storages; ++s) {
    NodeId owner = graph.producer(graph.tensorsOn(s).front());
    if (!cuts.isForward[owner])
      continue;
    cuts.made[s] = cuts.lastForward[s] = cuts.place[owner];
    uint32_t end = cuts.made[s] + 1, first = kNone;
    for (TensorId t : graph.tensorsOn(s)) {
      if (graph.isOutput(t)) {
        end = n + 1;
        cuts.lastBackward[s] = m;
      }
      for (NodeId u : graph.users(t)) {
        uint32_t at = cuts.place[u];
        if (cuts.isForward[u]) {
          end = std::max(end, at + 1);
          cuts.lastForward[s] = std::max(cuts.lastForward[s], at);
          continue;
        }
        first = std::min(first, at);
        if (cuts.lastBackward[s] == kNone || cuts.lastBackward[s] < at)
          cuts.lastBackward[s] = at;
      }
    }
    if (first != kNone)
      end = std::max(end, cuts.needEnd[first]);
    // What cannot be made again is held until nobody can ask for it.
    if (cuts.pinned[s] && (first != kNone || end > cuts.made[s] + 1))
      end = n + 1;
    cuts.end[s] = end;
  }
}

/// Moves the side of each cut past the backward nodes that read nothing but
/// its crossing set: they run while that is there, instead of after the first
/// recomputation that the next segment needs.
static void delaySides(const Graph &graph, Cuts &cuts) {
  uint32_t n = cuts.numForward();
  constexpr uint32_t kMostMoved = 256; // keeps the walk linear
  cuts.side[0] = cuts.numBackward();
  for (uint32_t i = 1; i < n; ++i) {
    uint32_t limit = std::min(cuts.side[i - 1], cuts.side[i] + kMostMoved);
    auto readsCrossingOnly = [&](NodeId node) {
      for (TensorId t : graph.reads(node)) {
        StorageId s = graph.storage(t);
        if (cuts.made[s] != kNone && !cuts.crosses(s, i))
          return false;
      }
      return true;
    };
    while (cuts.side[i] < limit &&
           readsCrossingOnly(cuts.backward[cuts.side[i]]))
      ++cuts.side[i];
  }
}

/// Bytes by cut, by backward position and by forward index.
static void fillProfiles(const Graph &graph, Cuts &cuts) {
  uint32_t n = cuts.numForward(), m = cuts.numBackward();
  std::vector<int64_t> crossing(n + 2, 0), alive(m + 2, 0), stays(m + 2, 0);
  cuts.keptBytes.assign(n, 0);
  for (StorageId s = graph.numConstants(); s < graph.numStorages(); ++s) {
    int64_t bytes = graph.storageBytes(s);
    if (cuts.made[s] != kNone) {
      crossing[cuts.made[s] + 1] += bytes;
      crossing[std::min(cuts.end[s], n + 1)] -= bytes;
      if (cuts.lastBackward[s] != kNone)
        cuts.keptBytes[cuts.made[s]] += bytes;
      continue;
    }
    // Alive from after its making to its last reader.
    uint32_t from = cuts.place[graph.producer(graph.tensorsOn(s).front())];
    uint32_t to = from;
    for (TensorId t : graph.tensorsOn(s)) {
      if (graph.isOutput(t))
        to = m;
      if (!graph.users(t).empty())
        to = std::max(to, cuts.place[graph.users(t).back()]);
      NodeId maker = graph.producer(t);
      to = std::max(to, cuts.place[maker]);
    }
    alive[from + 1] += bytes;
    if (to == m)
      stays[from + 1] += bytes;
    alive[std::min(to, m) + 1] -= bytes;
  }
  cuts.crossingBytes.assign(n + 1, 0);
  int64_t sum = 0;
  for (uint32_t i = 0; i <= n; ++i)
    cuts.crossingBytes[i] = sum += crossing[i];
  cuts.gradientsAt.assign(m + 1, 0);
  cuts.outputsAt.assign(m + 1, 0);
  cuts.backwardUsage.assign(m, 0);
  sum = 0;
  int64_t outputSum = 0;
  for (uint32_t p = 0; p <= m; ++p) {
    cuts.gradientsAt[p] = sum += alive[p];
    cuts.outputsAt[p] = outputSum += stays[p];
    if (p < m)
      cuts.backwardUsage[p] = sum + graph.ownedBytes(cuts.backward[p]) +
                              graph.workspaceBytes(cuts.backward[p]);
  }
}

Cuts Cuts::of(const Graph &graph) {
  Cuts cuts;
  splitPhases(graph, cuts);
  findPinned(graph, cuts);
  findCrossings(graph, cuts);
  delaySides(graph, cuts);
  fillProfiles(graph, cuts);
  return cuts;
}

} // namespace reprise
