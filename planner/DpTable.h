// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interval dynamic program itself: the least extra cost of every state
// (a, b) as a falling staircase over the bytes at hand.
//
//   leaf           needs leafNeed, costs leafCost
//   checkpoint k   pass to k, then (k, b) with newBytes(a, k) less, then (a, k)
//   save           run a block keeping a saved set, then (k, b) with that much
//                  less, then the block's backward part
//
// (Section references: Beaumont et al. 2019, "rotor", theorem 1; the saved sets
// are the block options of Rockmate, 2023.) After a checkpoint the crossing
// set of k may stay for the segment before it, which then needs less remaking:
// the state "holds".
//
// States whose whole inside is equal, such as the layers of a transformer,
// share one staircase. Two forms: exact breakpoints, for few states, and a grid
// of equal slots, where needs are rounded up and bytes at hand down, so that
// no staircase promises more than there is. A unit that divides all sizes
// makes the grid exact as well.

#ifndef REPRISE_PLANNER_DPTABLE_H
#define REPRISE_PLANNER_DPTABLE_H

#include "reprise/planner/DpModel.h"

namespace reprise {

/// Extra costs of all states of a model.
class DpTable {
public:
  virtual ~DpTable() = default;
  /// Least extra cost of (a, b) with \p bytes at hand; infinite when it does
  /// not fit. With \p holds the part of b's crossing set that the backward
  /// reads is there already and is not paid from \p bytes.
  virtual double cost(uint32_t a, uint32_t b, int64_t bytes,
                      bool holds) const = 0;
  /// The same after a checkpoint at b: its crossing set may stay, at the price
  /// of heldBytes, or go. \p holds says which is better.
  double costAfter(const DpModel &model, uint32_t a, uint32_t b, int64_t bytes,
                   bool &holds) const {
    double goes = cost(a, b, bytes, /*holds=*/false);
    const DpPair &p = model.pair(a, b);
    double stays =
        p.heldGain > 0 ? cost(a, b, bytes - p.heldBytes, /*holds=*/true) : goes;
    holds = stays < goes;
    return holds ? stays : goes;
  }
};

/// Ids of states: equal for states with equal insides.
struct DpStates {
  explicit DpStates(const DpModel &model);
  std::vector<uint32_t> idOf; ///< by pair index
  /// One (a, b) of each id, every id after those of its inner states.
  std::vector<std::pair<uint32_t, uint32_t>> states;
  uint64_t options = 0; ///< number of options of all states together
};

/// Exact staircases of all states; null when they need more than
/// \p pointLimit breakpoints to make, or \p stop is set before they are there.
std::unique_ptr<DpTable>
makeExactTable(const DpModel &model, const DpStates &states, int64_t mostBytes,
               uint64_t pointLimit, const std::atomic<bool> *stop = nullptr);

/// Staircases in slots of \p unitBytes, up to \p mostBytes; null when \p stop
/// is set before they are there.
std::unique_ptr<DpTable> makeGridTable(const DpModel &model,
                                       const DpStates &states,
                                       int64_t mostBytes, int64_t unitBytes,
                                       const std::atomic<bool> *stop = nullptr);

} // namespace reprise

#endif // REPRISE_PLANNER_DPTABLE_H
