// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cut is found by Dinic's algorithm (1970) on networks of some dozen
// vertices, without recursion.

#include "reprise/planner/SavedSet.h"

#include <algorithm>
#include <limits>

namespace reprise {

static constexpr double kEndless = std::numeric_limits<double>::infinity();

/// A flow network with vertices 0 (source) and 1 (sink).
struct SavedSetFinder::Network {
  struct Edge {
    uint32_t to;
    double left;     ///< residual capacity
    double capacity; ///< at price 1 for priced edges
    bool priced;
  };
  std::vector<Edge> edges; ///< 2e and 2e + 1 are opposite
  std::vector<std::vector<uint32_t>> out;
  std::vector<uint32_t> level, next, path, queue;
  double smallest = 0; ///< residuals below this are rounding errors

  void reset(uint32_t vertices) {
    edges.clear();
    if (out.size() < vertices)
      out.resize(vertices);
    for (uint32_t v = 0; v < vertices; ++v)
      out[v].clear();
    size = vertices;
  }
  void connect(uint32_t from, uint32_t to, double capacity, bool priced) {
    out[from].push_back(edges.size());
    edges.push_back({to, 0, capacity, priced});
    out[to].push_back(edges.size());
    edges.push_back({from, 0, 0, false});
  }
  void setPrice(double price) {
    double largest = 0;
    for (Edge &e : edges) {
      e.left = e.priced ? e.capacity * price : e.capacity;
      if (e.left < kEndless)
        largest = std::max(largest, e.left);
    }
    smallest = largest * 1e-12;
  }
  bool findLevels() {
    level.assign(size, kNone);
    queue.assign(1, 0);
    level[0] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
      for (uint32_t e : out[queue[i]])
        if (edges[e].left > smallest && level[edges[e].to] == kNone) {
          level[edges[e].to] = level[queue[i]] + 1;
          queue.push_back(edges[e].to);
        }
    return level[1] != kNone;
  }
  /// Pushes flow along one path of rising levels; false when there is none.
  bool augment() {
    path.clear();
    uint32_t at = 0;
    while (at != 1) {
      bool moved = false;
      for (uint32_t &i = next[at]; i < out[at].size(); ++i) {
        const Edge &e = edges[out[at][i]];
        if (e.left > smallest && level[e.to] == level[at] + 1) {
          path.push_back(out[at][i]);
          at = e.to;
          moved = true;
          break;
        }
      }
      if (moved)
        continue;
      if (path.empty())
        return false;
      at = edges[path.back() ^ 1].to;
      ++next[at];
      path.pop_back();
    }
    double flow = kEndless;
    for (uint32_t e : path)
      flow = std::min(flow, edges[e].left);
    for (uint32_t e : path) {
      edges[e].left -= flow;
      edges[e ^ 1].left += flow;
    }
    return true;
  }
  /// Afterwards the source side is what has a level.
  void cut() {
    while (findLevels()) {
      next.assign(size, 0);
      while (augment()) {
      }
    }
  }

  uint32_t size = 0;
};

SavedSetFinder::SavedSetFinder(const Graph &graph, const Cuts &cuts,
                               llvm::ArrayRef<double> costs)
    : graph(graph), cuts(cuts), costs(costs), local(graph.numStorages(), kNone),
      network(std::make_unique<Network>()) {}

SavedSetFinder::~SavedSetFinder() = default;

void SavedSetFinder::build(uint32_t from, uint32_t to) {
  for (StorageId s : stored)
    local[s] = kNone;
  stored.clear();
  isRead.clear();
  first = from;
  count = to - from;
  uint32_t positionFrom = cuts.side[to];
  for (uint32_t i = from; i < to; ++i)
    for (TensorId t : graph.outputs(cuts.forward[i])) {
      if (t == kNone || graph.storageUse(t) != StorageUse::Own)
        continue;
      StorageId s = graph.storage(t);
      if (cuts.pinned[s] || cuts.crosses(s, to))
        continue; // there anyway
      local[s] = stored.size();
      stored.push_back(s);
      isRead.push_back(cuts.lastBackward[s] != kNone &&
                       cuts.lastBackward[s] >= positionFrom);
    }
  // Vertices: 2 .. the nodes of the block, then two for each storage.
  uint32_t base = 2 + count;
  network->reset(base + 2 * stored.size());
  for (uint32_t i = 0; i < count; ++i) {
    NodeId n = cuts.forward[from + i];
    network->connect(2 + i, 1, costs[n], /*priced=*/false);
    for (TensorId t : graph.reads(n)) {
      uint32_t s = local[graph.storage(t)];
      if (s != kNone && cuts.made[stored[s]] < from + i)
        network->connect(2 + i, base + 2 * s, kEndless, /*priced=*/false);
    }
  }
  for (uint32_t s = 0; s < stored.size(); ++s) {
    uint32_t need = base + 2 * s, make = need + 1;
    network->connect(need, make, graph.storageBytes(stored[s]),
                     /*priced=*/true);
    network->connect(make, 2 + cuts.made[stored[s]] - from, kEndless,
                     /*priced=*/false);
    if (isRead[s])
      network->connect(0, need, kEndless, /*priced=*/false);
  }
}

SavedSet SavedSetFinder::cutAt(double price) {
  network->setPrice(price);
  network->cut();
  SavedSet set;
  uint32_t base = 2 + count;
  for (uint32_t i = 0; i < count; ++i)
    if (network->level[2 + i] != kNone)
      set.extraCost += costs[cuts.forward[first + i]];
  for (uint32_t s = 0; s < stored.size(); ++s)
    if (network->level[base + 2 * s] != kNone &&
        network->level[base + 2 * s + 1] == kNone) {
      set.storages.push_back(stored[s]);
      set.bytes += graph.storageBytes(stored[s]);
    }
  std::sort(set.storages.begin(), set.storages.end());
  return set;
}

/// What the backward part misses when nothing is kept.
static double costOfAll(const Graph &graph, const Cuts &cuts,
                        llvm::ArrayRef<double> costs,
                        llvm::ArrayRef<uint32_t> local,
                        std::vector<uint8_t> needed, uint32_t from,
                        uint32_t to) {
  double cost = 0;
  for (uint32_t i = to; i-- > from;) {
    NodeId n = cuts.forward[i];
    bool runs = false;
    for (TensorId t : graph.outputs(n))
      if (t != kNone && local[graph.storage(t)] != kNone &&
          cuts.made[graph.storage(t)] == i)
        runs |= needed[local[graph.storage(t)]] != 0;
    if (!runs)
      continue;
    cost += costs[n];
    for (TensorId t : graph.reads(n))
      if (local[graph.storage(t)] != kNone)
        needed[local[graph.storage(t)]] = 1;
  }
  return cost;
}

std::vector<SavedSet> SavedSetFinder::find(uint32_t from, uint32_t to,
                                           size_t limit) {
  build(from, to);
  SavedSet all, none;
  for (uint32_t s = 0; s < stored.size(); ++s)
    if (isRead[s]) {
      all.storages.push_back(stored[s]);
      all.bytes += graph.storageBytes(stored[s]);
    }
  std::sort(all.storages.begin(), all.storages.end());
  none.extraCost = costOfAll(graph, cuts, costs, local, isRead, from, to);
  std::vector<SavedSet> hull{std::move(all)};
  if (hull[0].bytes == 0)
    return hull;
  hull.push_back(std::move(none));
  // Splits the widest edge of the hull first, as long as a set lies below it.
  std::vector<uint8_t> isTight{0};
  while (hull.size() < limit) {
    size_t widest = isTight.size();
    double span = 0;
    for (size_t i = 0; i < isTight.size(); ++i) {
      double area = double(hull[i].bytes - hull[i + 1].bytes) *
                    (hull[i + 1].extraCost - hull[i].extraCost);
      if (!isTight[i] && area > span) {
        span = area;
        widest = i;
      }
    }
    if (widest == isTight.size())
      break;
    const SavedSet &more = hull[widest], &less = hull[widest + 1];
    double price =
        (less.extraCost - more.extraCost) / double(more.bytes - less.bytes);
    SavedSet set = cutAt(price);
    double line = more.extraCost + price * double(more.bytes);
    if (set.bytes >= more.bytes || set.bytes <= less.bytes ||
        set.extraCost + price * double(set.bytes) >= line * (1 - 1e-9)) {
      isTight[widest] = 1;
      continue;
    }
    hull.insert(hull.begin() + widest + 1, std::move(set));
    isTight.insert(isTight.begin() + widest, 0);
  }
  return hull;
}

} // namespace reprise
