// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DpModel.h"
#include "reprise/planner/TimedStop.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace reprise {

DpModel::DpModel(const Graph &graph, const Cuts &cuts,
                 llvm::ArrayRef<double> costs, std::vector<uint32_t> list)
    : graph(graph), cuts(cuts), costs(costs), candidates(std::move(list)),
      tables(graph, cuts), needed(tables.numRanks(), 0) {
  pairs.resize(size_t(last() + 1) * last() / 2);
  savesFrom.resize(last());
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
        for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1);
             ++r) {
          StorageId s = tables.storages[r];
          if (!cuts.crosses(s, cut(b)))
            continue;
          newBytes += tables.bytes[r];
          if (cuts.lastBackward[s] != kNone && cuts.lastBackward[s] >= side(b))
            heldBytes += tables.bytes[r];
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
    for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1); ++r) {
      StorageId s = tables.storages[r];
      int64_t bytes = tables.bytes[r];
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
  std::vector<uint32_t> touched;
  auto mark = [&](uint32_t r, uint8_t bits) {
    if (!needed[r])
      touched.push_back(r);
    needed[r] |= bits;
  };
  for (uint32_t a = b; a-- > 0;) {
    for (uint32_t i = cut(a + 1); i-- > cut(a);) {
      NodeId n = cuts.forward[i];
      uint8_t bits = 0;
      for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1); ++r) {
        StorageId s = tables.storages[r];
        bool crosses = cuts.crosses(s, cut(b));
        bits |= needed[r];
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
      // A held crossing set need not be made again for others either.
      for (uint32_t r : tables.forwardReads(i))
        if (!cuts.pinned[tables.storages[r]])
          mark(r, cuts.crosses(tables.storages[r], cut(b)) ? bits & ~ForHeld
                                                           : bits);
    }
    DpPair &p = pairs[pairIndex(a, b)];
    p.leafCost = leaf;
    p.heldGain = leaf - held;
    p.passCost = pass;
  }
  for (uint32_t r : touched)
    needed[r] = 0;
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

/// Does \p set keep all that crosses some candidate between \p a and \p b?
/// Then two blocks, one up to that candidate and one from it, do the same.
bool DpModel::fallsApart(uint32_t a, uint32_t b, const SavedSet &set) {
  // What is not kept, though something in the block may still read it, holds
  // the candidates up to its last reader together.
  for (uint32_t r = tables.firstRank(cut(a)); r < tables.firstRank(cut(b)); ++r)
    needed[r] = 1;
  for (StorageId s : set.storages)
    needed[tables.rankOf[s]] = 0;
  uint32_t farthest = 0, r = tables.firstRank(cut(a));
  bool found = false;
  for (uint32_t c = a + 1; c <= b; ++c) {
    for (; r < tables.firstRank(cut(c)); ++r) {
      StorageId s = tables.storages[r];
      if (needed[r] && !cuts.pinned[s] && !cuts.crosses(s, cut(b)))
        farthest = std::max(farthest, cuts.end[s]);
      needed[r] = 0;
    }
    found |= c < b && farthest <= cut(c);
  }
  return found;
}

/// Blocks of more nodes get few minimum cuts or none, which would take long.
static constexpr uint32_t kLongBlock = 6000, kLongestBlock = 12000;

static size_t setsFor(uint32_t nodes, size_t limit) {
  if (nodes > kLongestBlock)
    return 2;
  return nodes > kLongBlock ? std::min<size_t>(limit, 4) : limit;
}

void DpModel::addSaves(uint32_t span, uint32_t nodes, size_t limit,
                       const std::atomic<bool> *stop) {
  SavedSetFinder finder(graph, cuts, tables, costs);
  BlockReplay replay(graph, cuts, tables, costs);
  auto add = [&](uint32_t a, uint32_t b) {
    for (SavedSet &set :
         finder.find(cut(a), cut(b), setsFor(cut(b) - cut(a), limit))) {
      if (fallsApart(a, b, set))
        continue;
      DpSave save;
      save.to = b;
      save.heldBytes = pair(a, b).newBytes + set.bytes;
      save.set = std::move(set);
      static_cast<BlockFigures &>(save) =
          replay.run(cut(a), cut(b), save.set.storages);
      savesFrom[a].push_back(std::move(save));
    }
  };
  for (uint32_t a = 0; a < last(); ++a)
    for (uint32_t b = a + 1; b <= std::min(a + span, last()); ++b) {
      if (isSet(stop))
        return;
      if (b > a + 1 && cut(b) - cut(a) > nodes)
        break;
      add(a, b);
    }
  // A graph that is wide rather than long is one block.
  if (savesFrom[0].back().to < last())
    add(0, last());
}

} // namespace reprise
