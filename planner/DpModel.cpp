// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DpModel.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace reprise {

DpModel::DpModel(const Graph &graph, const Cuts &cuts,
                 llvm::ArrayRef<double> costs, std::vector<uint32_t> list)
    : graph(graph), cuts(cuts), costs(costs), candidates(std::move(list)),
      owned(cuts.numForward()), lastUse(graph.numStorages(), 0),
      needed(graph.numStorages(), 0) {
  pairs.resize(size_t(last() + 1) * last() / 2);
  savesFrom.resize(last());
  for (StorageId s = graph.numConstants(); s < graph.numStorages(); ++s)
    if (cuts.made[s] != kNone)
      owned[cuts.made[s]].push_back(s);
  fillCrossings();
  fillFreed();
  for (uint32_t a = 0; a < last(); ++a)
    fillNeeds(a);
  for (uint32_t b = 1; b <= last(); ++b)
    fillCosts(b);
}

/// New and held bytes of each crossing set, for every earlier cut.
void DpModel::fillCrossings() {
  for (uint32_t b = 1; b <= last(); ++b) {
    int64_t newBytes = 0, heldBytes = 0;
    for (uint32_t a = b; a-- > 0;) {
      for (uint32_t i = cut(a); i < cut(a + 1); ++i)
        for (StorageId s : owned[i]) {
          if (!cuts.crosses(s, cut(b)))
            continue;
          newBytes += graph.storageBytes(s);
          if (cuts.lastBackward[s] != kNone && cuts.lastBackward[s] >= side(b))
            heldBytes += graph.storageBytes(s);
        }
      pairs[pairIndex(a, b)].newBytes = newBytes;
      pairs[pairIndex(a, b)].heldBytes = heldBytes;
    }
  }
}

/// Forward and leaf needs of all segments that start at \p a.
void DpModel::fillNeeds(uint32_t a) {
  uint32_t n = cuts.numForward(), from = cut(a);
  // `crossing`: the bytes new at each cut; `kept`: those that a leaf keeps.
  std::vector<int64_t> crossingEnds(n + 2, 0), keptEnds(n + 1, 0);
  std::vector<int64_t> readUntil(cuts.numBackward() + 2, 0);
  int64_t crossing = 0, kept = 0, forwardNeed = 0, keepNeed = 0;
  uint32_t b = a + 1;
  for (uint32_t i = from; i < n; ++i) {
    crossing -= crossingEnds[i];
    kept -= keptEnds[i];
    NodeId node = cuts.forward[i];
    int64_t step = graph.ownedBytes(node) + graph.workspaceBytes(node);
    forwardNeed = std::max(forwardNeed, crossing + step);
    keepNeed = std::max(keepNeed, kept + step);
    for (StorageId s : owned[i]) {
      int64_t bytes = graph.storageBytes(s);
      if (cuts.end[s] > i + 1) {
        crossing += bytes;
        crossingEnds[std::min(cuts.end[s], n + 1)] += bytes;
      }
      if (cuts.lastBackward[s] != kNone) {
        kept += bytes;
        readUntil[std::min(cuts.lastBackward[s], cuts.numBackward())] += bytes;
      } else if (cuts.lastForward[s] > i) {
        kept += bytes;
        if (cuts.lastForward[s] < n)
          keptEnds[std::min(cuts.lastForward[s] + 1, n)] += bytes;
      }
    }
    while (b <= last() && cut(b) == i + 1) {
      DpPair &p = pairs[pairIndex(a, b)];
      p.forwardNeed = forwardNeed;
      p.leafNeed = keepNeed + gradients(b);
      ++b;
    }
  }
  // Backward, from the last position of the segment on: what is read there or
  // later is still alive.
  int64_t alive = 0, need = 0;
  uint32_t p = cuts.numBackward();
  for (; p >= side(a) && p > 0; --p)
    alive += readUntil[p];
  if (side(a) == 0)
    return;
  // Now p == side(a) - 1 and `alive` counts the readers after it.
  uint32_t position = side(a);
  for (b = a + 1; b <= last(); ++b) {
    while (position > side(b)) {
      --position;
      alive += readUntil[position];
      need = std::max(need, cuts.backwardUsage[position] + alive);
    }
    DpPair &pair = pairs[pairIndex(a, b)];
    pair.leafNeed = std::max(pair.leafNeed, need - cuts.outputsAt[side(b)]);
  }
}

/// Costs of remaking, for all segments that end at \p b. Whether a node is
/// needed does not depend on where the segment starts.
void DpModel::fillCosts(uint32_t b) {
  enum { ForLeaf = 1, ForHeld = 2, ForPass = 4 };
  double leaf = 0, held = 0, pass = 0;
  std::vector<StorageId> touched;
  auto mark = [&](StorageId s, uint8_t bits) {
    if (!needed[s])
      touched.push_back(s);
    needed[s] |= bits;
  };
  for (uint32_t a = b; a-- > 0;) {
    for (uint32_t i = cut(a + 1); i-- > cut(a);) {
      NodeId n = cuts.forward[i];
      uint8_t bits = 0;
      for (StorageId s : owned[i]) {
        bool crosses = cuts.crosses(s, cut(b));
        bits |= needed[s];
        if (crosses)
          bits |= ForPass;
        if (cuts.lastBackward[s] != kNone && cuts.lastBackward[s] >= side(b))
          bits |= crosses ? ForLeaf : ForLeaf | ForHeld;
      }
      if (!bits || !cuts.rerunnable[n])
        continue;
      leaf += bits & ForLeaf ? costs[n] : 0;
      held += bits & ForHeld ? costs[n] : 0;
      pass += bits & ForPass ? costs[n] : 0;
      for (TensorId t : graph.reads(n)) {
        StorageId s = graph.storage(t);
        if (cuts.made[s] == kNone || cuts.pinned[s] || cuts.made[s] >= i)
          continue;
        // A held crossing set need not be made again for others either.
        mark(s, cuts.crosses(s, cut(b)) ? bits & ~ForHeld : bits);
      }
    }
    DpPair &p = pairs[pairIndex(a, b)];
    p.leafCost = leaf;
    p.heldGain = leaf - held;
    p.passCost = pass;
  }
  for (StorageId s : touched)
    needed[s] = 0;
}

/// What of a crossing set nobody reads any more when the segments from some
/// later cut on are done.
void DpModel::fillFreed() {
  std::vector<uint32_t> readers;
  for (StorageId s = graph.numConstants(); s < graph.numStorages(); ++s) {
    if (cuts.made[s] == kNone || cuts.end[s] <= cuts.made[s] + 1)
      continue;
    readers.clear();
    for (TensorId t : graph.tensorsOn(s))
      for (NodeId u : graph.users(t))
        if (cuts.isForward[u])
          readers.push_back(cuts.place[u]);
    llvm::sort(readers);
    uint32_t a =
        std::upper_bound(candidates.begin(), candidates.end(), cuts.made[s]) -
        candidates.begin();
    size_t next = 0;
    for (; a < last() && cut(a) < cuts.end[s]; ++a) {
      while (next < readers.size() && readers[next] < cut(a))
        ++next;
      uint32_t reader = next < readers.size() ? readers[next] : kNone;
      for (uint32_t b = a + 1; b <= last() && cut(b) <= reader; ++b) {
        if (cuts.lastBackward[s] != kNone && cuts.lastBackward[s] >= side(b))
          break;
        pairs[pairIndex(a, b)].freedBytes += graph.storageBytes(s);
      }
    }
  }
}

namespace {
/// One step of the replay of a block.
struct BlockStep {
  NodeId node;
  uint32_t position; ///< backward position before or at which it runs
  bool isBackward;
};
} // namespace

/// Replays a block with what is saved, each recomputation as late as possible.
void DpModel::measure(uint32_t a, DpSave &save) {
  uint32_t from = cut(a), to = cut(save.to);
  std::vector<StorageId> block;
  for (uint32_t i = from; i < to; ++i)
    block.insert(block.end(), owned[i].begin(), owned[i].end());
  enum { Outside = 0, Missing = 1, There = 2 };
  for (StorageId s : block)
    needed[s] = cuts.crosses(s, to) || cuts.pinned[s] ? There : Missing;
  for (StorageId s : save.set.storages)
    needed[s] = There;

  // Forward: what is neither saved nor crossing goes after its last reader.
  std::vector<int64_t> ends(to - from + 1, 0);
  int64_t live = 0;
  for (uint32_t i = from; i < to; ++i) {
    NodeId n = cuts.forward[i];
    live -= ends[i - from];
    save.forwardNeed = std::max(save.forwardNeed, live + graph.ownedBytes(n) +
                                                      graph.workspaceBytes(n));
    for (StorageId s : owned[i]) {
      if (needed[s] == Missing && cuts.lastForward[s] == i)
        continue;
      live += graph.storageBytes(s);
      if (needed[s] == Missing && cuts.lastForward[s] < to)
        ends[cuts.lastForward[s] + 1 - from] += graph.storageBytes(s);
    }
  }
  // Remaking what is saved and crosses, for a state that is not fresh.
  std::vector<uint8_t> wanted(to - from, 0);
  for (uint32_t i = to; i-- > from;) {
    NodeId n = cuts.forward[i];
    bool runs = wanted[i - from];
    for (StorageId s : owned[i])
      runs |= needed[s] == There;
    if (!runs || !cuts.rerunnable[n])
      continue;
    save.restoreCost += costs[n];
    for (TensorId t : graph.reads(n)) {
      StorageId s = graph.storage(t);
      if (needed[s] == Missing || (needed[s] == There && !cuts.pinned[s]))
        wanted[cuts.made[s] - from] = 1;
    }
  }

  // Backward.
  std::vector<BlockStep> steps;
  std::vector<uint32_t> pending, closure;
  auto want = [&](NodeId n) {
    for (TensorId t : graph.reads(n)) {
      StorageId s = graph.storage(t);
      if (needed[s] == Missing && cuts.made[s] != kNone) {
        needed[s] = There;
        pending.push_back(cuts.made[s]);
      }
    }
  };
  uint32_t first = side(save.to), end = side(a);
  for (uint32_t p = first; p < end; ++p) {
    want(cuts.backward[p]);
    closure.clear();
    while (!pending.empty()) {
      closure.push_back(pending.back());
      pending.pop_back();
      for (StorageId s : owned[closure.back()])
        needed[s] = There;
      want(cuts.forward[closure.back()]);
    }
    llvm::sort(closure);
    closure.erase(std::unique(closure.begin(), closure.end()), closure.end());
    for (uint32_t i : closure)
      steps.push_back({cuts.forward[i], p, false});
    steps.push_back({cuts.backward[p], p, true});
  }
  for (StorageId s : block)
    lastUse[s] = cuts.lastBackward[s] == cuts.numBackward() ? kNone : 0;
  for (size_t k = 0; k < steps.size(); ++k)
    for (TensorId t : graph.reads(steps[k].node))
      if (needed[graph.storage(t)] == There &&
          lastUse[graph.storage(t)] != kNone)
        lastUse[graph.storage(t)] = k + 1;
  std::vector<int64_t> frees(steps.size() + 2, 0);
  live = 0;
  auto begin = [&](StorageId s, size_t k) {
    if (lastUse[s] <= k)
      return; // nobody reads it after its making
    live += graph.storageBytes(s);
    if (lastUse[s] != kNone)
      frees[lastUse[s]] += graph.storageBytes(s);
  };
  std::vector<uint8_t> remade(to - from, 0);
  for (const BlockStep &step : steps)
    if (!step.isBackward)
      remade[cuts.place[step.node] - from] = 1;
  for (StorageId s : block)
    if (!remade[cuts.made[s] - from] && needed[s] == There)
      begin(s, 0);
  for (size_t k = 0; k < steps.size(); ++k) {
    const BlockStep &step = steps[k];
    int64_t usage = step.isBackward ? cuts.backwardUsage[step.position]
                                    : cuts.gradientsAt[step.position] +
                                          graph.ownedBytes(step.node) +
                                          graph.workspaceBytes(step.node);
    save.backwardNeed = std::max(save.backwardNeed, live + usage);
    if (!step.isBackward)
      for (StorageId s : owned[cuts.place[step.node]])
        begin(s, k + 1);
    live -= frees[k + 1];
  }
  save.backwardNeed -= cuts.outputsAt[first];
  for (StorageId s : block)
    needed[s] = Outside;
}

/// Blocks of more nodes get few minimum cuts or none, which would take long.
static constexpr uint32_t kLongBlock = 6000, kLongestBlock = 12000;

static size_t setsFor(uint32_t nodes, size_t limit) {
  if (nodes > kLongestBlock)
    return 2;
  return nodes > kLongBlock ? std::min<size_t>(limit, 4) : limit;
}

void DpModel::addSaves(uint32_t span, uint32_t nodes, size_t limit) {
  SavedSetFinder finder(graph, cuts, costs);
  auto add = [&](uint32_t a, uint32_t b) {
    for (SavedSet &set :
         finder.find(cut(a), cut(b), setsFor(cut(b) - cut(a), limit))) {
      DpSave save;
      save.to = b;
      save.heldBytes = pair(a, b).newBytes + set.bytes;
      save.set = std::move(set);
      measure(a, save);
      savesFrom[a].push_back(std::move(save));
    }
  };
  for (uint32_t a = 0; a < last(); ++a)
    for (uint32_t b = a + 1; b <= std::min(a + span, last()); ++b) {
      if (b > a + 1 && cut(b) - cut(a) > nodes)
        break;
      add(a, b);
    }
  // A graph that is wide rather than long is one block.
  if (savesFrom[0].back().to < last())
    add(0, last());
}

} // namespace reprise
