// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/SavedSet.h"

#include <algorithm>

namespace reprise {

SavedSetFinder::SavedSetFinder(const Graph &graph, const Cuts &cuts,
                               const BlockTables &tables,
                               llvm::ArrayRef<double> costs)
    : graph(graph), cuts(cuts), tables(tables), costs(costs),
      role(tables.numRanks(), There), inner(tables.numRanks(), kNone),
      needed(tables.numRanks(), 0) {}

void SavedSetFinder::build(uint32_t begin, uint32_t end) {
  from = begin;
  to = end;
  firstRank = tables.firstRank(from);
  endRank = tables.firstRank(to);
  uint32_t positionFrom = cuts.side[to];
  flow.start(to - from);
  for (uint32_t r = firstRank; r < endRank; ++r) {
    StorageId s = tables.storages[r];
    uint32_t maker = tables.made[r] - from;
    if (cuts.pinned[s] || cuts.crosses(s, to)) {
      role[r] = There;
    } else if (cuts.lastBackward[s] != kNone &&
               cuts.lastBackward[s] >= positionFrom) {
      role[r] = Read;
      flow.addRead(maker, tables.bytes[r]);
    } else {
      role[r] = Unread;
      inner[r] = flow.addInner(maker, tables.bytes[r]);
    }
  }
  for (uint32_t i = from; i < to; ++i) {
    flow.addCost(i - from, costs[cuts.forward[i]]);
    for (uint32_t r : tables.forwardReads(i))
      if (r >= firstRank && role[r] == Unread)
        flow.addUse(i - from, inner[r]);
  }
  flow.finish();
}

SavedSet SavedSetFinder::cutAt(double price) {
  flow.cut(price);
  SavedSet set;
  for (uint32_t i = from; i < to; ++i)
    if (flow.isRemade(i - from))
      set.extraCost += costs[cuts.forward[i]];
  for (uint32_t r = firstRank; r < endRank; ++r) {
    bool isNeeded =
        role[r] == Read || (role[r] == Unread && flow.isNeeded(inner[r]));
    if (!isNeeded || flow.isRemade(tables.made[r] - from))
      continue;
    set.storages.push_back(tables.storages[r]);
    set.bytes += tables.bytes[r];
  }
  std::sort(set.storages.begin(), set.storages.end());
  return set;
}

/// Nothing is kept but what takes no bytes: that spares work for free.
SavedSet SavedSetFinder::keepNothing() {
  SavedSet set;
  for (uint32_t r = firstRank; r < endRank; ++r)
    needed[r] = role[r] == Read;
  for (uint32_t i = to; i-- > from;) {
    bool runs = false;
    for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1); ++r)
      if (needed[r] && tables.bytes[r] == 0)
        set.storages.push_back(tables.storages[r]);
      else
        runs |= needed[r] != 0;
    if (!runs)
      continue;
    set.extraCost += costs[cuts.forward[i]];
    for (uint32_t r : tables.forwardReads(i))
      if (r >= firstRank && role[r] != There)
        needed[r] = 1;
  }
  std::sort(set.storages.begin(), set.storages.end());
  return set;
}

std::vector<SavedSet> SavedSetFinder::find(uint32_t begin, uint32_t end,
                                           size_t limit) {
  build(begin, end);
  SavedSet all;
  for (uint32_t r = firstRank; r < endRank; ++r)
    if (role[r] == Read) {
      all.storages.push_back(tables.storages[r]);
      all.bytes += tables.bytes[r];
    }
  std::sort(all.storages.begin(), all.storages.end());
  std::vector<SavedSet> hull{std::move(all)};
  if (hull[0].bytes == 0)
    return hull;
  hull.push_back(keepNothing());
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
