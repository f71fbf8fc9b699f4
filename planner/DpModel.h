// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the dynamic program over cuts knows of a training graph: for every pair
// of candidate cuts a few bytes and costs, all from prefix sums over the
// intervals of Cuts.h, and for short blocks their saved sets.
//
// Usage inside a state (a, b), the segment from candidate a to candidate b, is
// counted beyond two things that its caller holds: the crossing set of a, and
// the gradients at the side of b that are outputs and stay to the end.

#ifndef REPRISE_PLANNER_DPMODEL_H
#define REPRISE_PLANNER_DPMODEL_H

#include "reprise/planner/BlockReplay.h"
#include "reprise/planner/SavedSet.h"

namespace reprise {

/// Figures of a pair of candidate cuts a < b.
struct DpPair {
  int64_t newBytes = 0;    ///< of b's crossing set beyond a's
  int64_t freedBytes = 0;  ///< of a's crossing set, unread once b's side runs
  int64_t forwardNeed = 0; ///< to run the nodes up to b, keeping crossing sets
  int64_t leafNeed = 0;    ///< to run the segment keeping all, and its backward
  int64_t heldBytes = 0;   ///< of b's crossing set that the backward reads
  double leafCost = 0;     ///< of remaking what the backward reads
  double heldGain = 0;     ///< what of it is spared if heldBytes stay
  double passCost = 0;     ///< of remaking the crossing set of b

  bool operator==(const DpPair &) const = default;
};

/// "Save and go on" over a block: a saved set with its figures.
struct DpSave : BlockFigures {
  uint32_t to = 0; ///< candidate cut at the end of the block
  SavedSet set;
  int64_t heldBytes = 0; ///< set and new crossing bytes together
};

/// All pairs of some candidate cuts. Quadratic in their number, which times
/// the graph's nodes also bounds the time.
class DpModel {
public:
  /// \p candidates rise from 0 to the number of forward nodes.
  DpModel(const Graph &graph, const Cuts &cuts, llvm::ArrayRef<double> costs,
          std::vector<uint32_t> candidates);

  uint32_t last() const { return candidates.size() - 1; }
  uint32_t cut(uint32_t a) const { return candidates[a]; }
  uint32_t side(uint32_t a) const { return cuts.side[candidates[a]]; }
  size_t pairIndex(uint32_t a, uint32_t b) const {
    return size_t(b) * (b - 1) / 2 + a;
  }
  size_t numPairs() const { return pairs.size(); }
  const DpPair &pair(uint32_t a, uint32_t b) const {
    return pairs[pairIndex(a, b)];
  }
  llvm::ArrayRef<DpSave> saves(uint32_t a) const { return savesFrom[a]; }
  /// Gradients at the side of \p b, those that stay not included.
  int64_t gradients(uint32_t b) const {
    return cuts.gradientsAt[side(b)] - cuts.outputsAt[side(b)];
  }
  /// Gradients that stay, made between the sides of \p b and \p a.
  int64_t growth(uint32_t a, uint32_t b) const {
    return cuts.outputsAt[side(a)] - cuts.outputsAt[side(b)];
  }
  /// Change of the bytes at hand from a state (a, b) to (a, k) once (k, b) is
  /// done.
  int64_t regained(uint32_t a, uint32_t k, uint32_t b) const {
    return pair(a, k).freedBytes - growth(k, b);
  }
  /// The same when (a, b) holds the crossing set of b.
  int64_t regainedHolding(uint32_t a, uint32_t k, uint32_t b) const {
    return regained(a, k, b) + pair(k, b).heldBytes;
  }
  /// Bytes at hand that a leaf needs when it holds the crossing set of b.
  int64_t leafNeedHolding(uint32_t a, uint32_t b) const {
    return pair(a, b).leafNeed - pair(a, b).heldBytes;
  }
  /// Nothing was run before (a, b): its first pass is not an extra cost.
  bool isFresh(uint32_t b) const { return b == last(); }

  /// Finds saved sets for blocks of up to \p span candidates and \p nodes
  /// forward nodes, at most \p limit for each.
  void addSaves(uint32_t span, uint32_t nodes, size_t limit,
                const std::atomic<bool> *stop = nullptr);

private:
  void fillCrossings();
  void fillNeeds(uint32_t a);
  void fillCosts(uint32_t b);
  void fillFreed();
  bool fallsApart(uint32_t a, uint32_t b, const SavedSet &set);

  const Graph &graph;
  const Cuts &cuts;
  llvm::ArrayRef<double> costs;
  std::vector<uint32_t> candidates;
  std::vector<DpPair> pairs;
  std::vector<std::vector<DpSave>> savesFrom;
  BlockTables tables;
  std::vector<uint8_t> needed; ///< scratch, per rank
};

} // namespace reprise

#endif // REPRISE_PLANNER_DPMODEL_H
