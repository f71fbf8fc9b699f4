// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors of a block of forward nodes are worth keeping until its
// backward part. A saved set costs bytes and spares recomputation; the sets on
// the lower convex hull of (bytes, recomputation) are minimum cuts
// (BlockFlow.h), one for each price per byte.

#ifndef REPRISE_PLANNER_SAVEDSET_H
#define REPRISE_PLANNER_SAVEDSET_H

#include "reprise/planner/BlockFlow.h"
#include "reprise/planner/BlockTables.h"

namespace reprise {

/// What stays of a block, beyond the crossing sets of its two ends.
struct SavedSet {
  std::vector<StorageId> storages; ///< rising
  int64_t bytes = 0;
  double extraCost = 0; ///< of remaking what the backward part misses
};

/// Finds saved sets, block by block; owns the scratch memory.
class SavedSetFinder {
public:
  /// \p costs per node.
  SavedSetFinder(const Graph &graph, const Cuts &cuts,
                 const BlockTables &tables, llvm::ArrayRef<double> costs);

  /// At most \p limit sets (>= 2) of the block of forward nodes [\p from,
  /// \p to), from most to least bytes: all that its backward part reads,
  /// vertices of the hull, and nothing. Polynomial in the block's size.
  std::vector<SavedSet> find(uint32_t from, uint32_t to, size_t limit);

private:
  SavedSet cutAt(double price);
  void build(uint32_t from, uint32_t to);

  SavedSet keepNothing();

  const Graph &graph;
  const Cuts &cuts;
  const BlockTables &tables;
  llvm::ArrayRef<double> costs;
  enum : uint8_t { Unread, Read, There }; ///< by the backward part; or not lost
  std::vector<uint8_t> role;              ///< per rank of the block
  std::vector<uint32_t> inner; ///< per rank: its number in `flow`, if unread
  std::vector<uint8_t> needed; ///< scratch, per rank of the block
  uint32_t from = 0, to = 0, firstRank = 0, endRank = 0; ///< the block
  BlockFlow flow;
};

} // namespace reprise

#endif // REPRISE_PLANNER_SAVEDSET_H
