// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/BlockTables.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace reprise {

BlockTables::BlockTables(const Graph &graph, const Cuts &cuts)
    : rankOf(graph.numStorages(), kNone), firstRanks(cuts.numForward() + 1, 0) {
  for (StorageId s = graph.numConstants(); s < graph.numStorages(); ++s)
    if (cuts.made[s] != kNone)
      storages.push_back(s);
  llvm::stable_sort(storages, [&](StorageId x, StorageId y) {
    return cuts.made[x] < cuts.made[y];
  });
  for (uint32_t r = 0; r < numRanks(); ++r) {
    StorageId s = storages[r];
    rankOf[s] = r;
    bytes.push_back(graph.storageBytes(s));
    made.push_back(cuts.made[s]);
    firstRanks[cuts.made[s] + 1] = r + 1;
  }
  for (uint32_t i = 0; i < cuts.numForward(); ++i)
    firstRanks[i + 1] = std::max(firstRanks[i + 1], firstRanks[i]);

  auto addReads = [&](std::vector<uint32_t> &starts, NodeId n, uint32_t limit) {
    uint32_t start = ranks.size();
    starts.push_back(start);
    for (TensorId t : graph.reads(n)) {
      uint32_t rank = rankOf[graph.storage(t)];
      if (rank != kNone && made[rank] < limit)
        ranks.push_back(rank);
    }
    std::sort(ranks.begin() + start, ranks.end());
    ranks.erase(std::unique(ranks.begin() + start, ranks.end()), ranks.end());
  };
  for (uint32_t i = 0; i < cuts.numForward(); ++i)
    addReads(forwardStarts, cuts.forward[i], i);
  forwardStarts.push_back(ranks.size());
  for (uint32_t p = 0; p < cuts.numBackward(); ++p)
    addReads(backwardStarts, cuts.backward[p], kNone);
  backwardStarts.push_back(ranks.size());
}

} // namespace reprise
