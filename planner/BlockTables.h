// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What forward nodes make, by rank: in the order of their makers, so that what
// a block of forward nodes makes is an interval of ranks.

#ifndef REPRISE_PLANNER_BLOCKTABLES_H
#define REPRISE_PLANNER_BLOCKTABLES_H

#include "reprise/planner/Cuts.h"

#include "llvm/ADT/ArrayRef.h"

namespace reprise {

/// Storages by rank, and who reads them. Linear in nodes and edges.
struct BlockTables {
  BlockTables(const Graph &graph, const Cuts &cuts);

  uint32_t numRanks() const { return storages.size(); }
  /// First rank of what the forward node at \p index makes, or those after it.
  uint32_t firstRank(uint32_t index) const { return firstRanks[index]; }
  /// Ranks that the forward node at \p index reads, made before it.
  llvm::ArrayRef<uint32_t> forwardReads(uint32_t index) const {
    return reads(forwardStarts, index);
  }
  /// Ranks that the backward node at \p position reads.
  llvm::ArrayRef<uint32_t> backwardReads(uint32_t position) const {
    return reads(backwardStarts, position);
  }

  // Per rank.
  std::vector<StorageId> storages;
  std::vector<int64_t> bytes;
  std::vector<uint32_t> made; ///< forward index

  std::vector<uint32_t> rankOf; ///< per storage; kNone if not made forward

private:
  llvm::ArrayRef<uint32_t> reads(const std::vector<uint32_t> &starts,
                                 uint32_t at) const {
    return llvm::makeArrayRef(ranks).slice(starts[at],
                                           starts[at + 1] - starts[at]);
  }

  std::vector<uint32_t> firstRanks, forwardStarts, backwardStarts, ranks;
};

} // namespace reprise

#endif // REPRISE_PLANNER_BLOCKTABLES_H
