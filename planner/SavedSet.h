// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors of a block of forward nodes are worth keeping until its
// backward part. A saved set costs bytes and spares recomputation; the sets on
// the lower convex hull of (bytes, recomputation) are minimum cuts, one for
// each price per byte:
//
//   source --> storage the backward part reads --(price x bytes)--> its maker
//   maker --(cost of a run)--> sink,  maker --> storages that it reads
//
// A storage on the source side must exist; the cut either pays for keeping it
// or puts its maker on the source side as well, which pays for running it.

#ifndef REPRISE_PLANNER_SAVEDSET_H
#define REPRISE_PLANNER_SAVEDSET_H

#include "reprise/planner/Cuts.h"

#include <memory>

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
                 llvm::ArrayRef<double> costs);
  ~SavedSetFinder();

  /// At most \p limit sets (>= 2) of the block of forward nodes [\p from,
  /// \p to), from most to least bytes: all that its backward part reads,
  /// vertices of the hull, and nothing. Polynomial in the block's size.
  std::vector<SavedSet> find(uint32_t from, uint32_t to, size_t limit);

private:
  struct Network;
  SavedSet cutAt(double price);
  void build(uint32_t from, uint32_t to);

  const Graph &graph;
  const Cuts &cuts;
  llvm::ArrayRef<double> costs;
  std::vector<uint32_t> local;   ///< per storage: index in `stored`, or kNone
  std::vector<StorageId> stored; ///< storages of the block that may be missing
  std::vector<uint8_t> isRead;   ///< per entry of `stored`: by the backward
  uint32_t first = 0, count = 0; ///< the block's forward nodes
  std::unique_ptr<Network> network;
};

} // namespace reprise

#endif // REPRISE_PLANNER_SAVEDSET_H
