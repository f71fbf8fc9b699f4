// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/BlockReplay.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace reprise {

BlockReplay::BlockReplay(const Graph &graph, const Cuts &cuts,
                         const BlockTables &tables,
                         llvm::ArrayRef<double> costs)
    : graph(graph), cuts(cuts), tables(tables), costs(costs),
      state(tables.numRanks(), Missing), lastUse(tables.numRanks(), 0),
      remade(cuts.numForward(), 0) {}

BlockFigures BlockReplay::run(uint32_t begin, uint32_t end,
                              llvm::ArrayRef<StorageId> kept) {
  from = begin;
  to = end;
  firstRank = tables.firstRank(from);
  endRank = tables.firstRank(to);
  for (uint32_t r = firstRank; r < endRank; ++r) {
    StorageId s = tables.storages[r];
    state[r] = cuts.crosses(s, to) || cuts.pinned[s] ? Kept : Missing;
  }
  for (StorageId s : kept)
    state[tables.rankOf[s]] = Kept;
  BlockFigures figures;
  figures.forwardNeed = forwardNeed();
  figures.restoreCost = restoreCost();
  listSteps();
  figures.backwardNeed = backwardNeed();
  return figures;
}

/// What is neither kept nor crosses goes after its last reader.
int64_t BlockReplay::forwardNeed() {
  frees.assign(to - from + 1, 0);
  int64_t live = 0, need = 0;
  for (uint32_t i = from; i < to; ++i) {
    NodeId n = cuts.forward[i];
    live -= frees[i - from];
    need = std::max(need, live + graph.ownedBytes(n) + graph.workspaceBytes(n));
    for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1); ++r) {
      uint32_t last = cuts.lastForward[tables.storages[r]];
      if (state[r] == Missing && last == i)
        continue;
      live += tables.bytes[r];
      if (state[r] == Missing && last < to)
        frees[last + 1 - from] += tables.bytes[r];
    }
  }
  return need;
}

double BlockReplay::restoreCost() {
  double cost = 0;
  std::fill(remade.begin() + from, remade.begin() + to, 0);
  for (uint32_t i = to; i-- > from;) {
    NodeId n = cuts.forward[i];
    bool runs = remade[i];
    for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1); ++r)
      runs |= state[r] == Kept;
    if (!runs || !cuts.rerunnable[n])
      continue;
    cost += costs[n];
    for (uint32_t r : tables.forwardReads(i))
      if (isInside(r) && !cuts.pinned[tables.storages[r]])
        remade[tables.made[r]] = 1;
  }
  return cost;
}

/// Notes the makers of what is missing of \p ranks.
void BlockReplay::want(llvm::ArrayRef<uint32_t> ranks) {
  for (uint32_t r : ranks)
    if (isInside(r) && state[r] == Missing && !remade[tables.made[r]]) {
      remade[tables.made[r]] = 1;
      pending.push_back(tables.made[r]);
    }
}

void BlockReplay::use(llvm::ArrayRef<uint32_t> ranks, uint32_t step) {
  for (uint32_t r : ranks)
    if (isInside(r) && lastUse[r] != kNone)
      lastUse[r] = step;
}

void BlockReplay::listSteps() {
  std::fill(remade.begin() + from, remade.begin() + to, 0);
  for (uint32_t r = firstRank; r < endRank; ++r)
    lastUse[r] =
        cuts.lastBackward[tables.storages[r]] == cuts.numBackward() ? kNone : 0;
  steps.clear();
  for (uint32_t p = cuts.side[to]; p < cuts.side[from]; ++p) {
    closure.clear();
    want(tables.backwardReads(p));
    while (!pending.empty()) {
      uint32_t i = pending.back();
      pending.pop_back();
      closure.push_back(i);
      want(tables.forwardReads(i));
    }
    llvm::sort(closure);
    for (uint32_t i : closure) {
      for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1); ++r)
        if (state[r] == Missing)
          state[r] = Remade;
      steps.push_back({i, p});
      use(tables.forwardReads(i), steps.size());
    }
    steps.push_back({kNone, p});
    use(tables.backwardReads(p), steps.size());
  }
}

int64_t BlockReplay::backwardNeed() {
  frees.assign(steps.size() + 2, 0);
  int64_t live = 0, need = 0;
  auto begin = [&](uint32_t r, size_t step) {
    if (lastUse[r] <= step)
      return; // nobody reads it after its making
    live += tables.bytes[r];
    if (lastUse[r] != kNone)
      frees[lastUse[r]] += tables.bytes[r];
  };
  for (uint32_t r = firstRank; r < endRank; ++r)
    if (state[r] == Kept)
      begin(r, 0);
  for (size_t k = 0; k < steps.size(); ++k) {
    auto [i, position] = steps[k];
    if (i == kNone) {
      need = std::max(need, live + cuts.backwardUsage[position]);
    } else {
      NodeId n = cuts.forward[i];
      need = std::max(need, live + cuts.gradientsAt[position] +
                                graph.ownedBytes(n) + graph.workspaceBytes(n));
      for (uint32_t r = tables.firstRank(i); r < tables.firstRank(i + 1); ++r)
        if (state[r] == Remade)
          begin(r, k + 1);
    }
    live -= frees[k + 1];
  }
  return need - cuts.outputsAt[cuts.side[to]];
}

} // namespace reprise
