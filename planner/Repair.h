// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings a sequence of runs under its budget, cheapest relief first.

#ifndef REPRISE_PLANNER_REPAIR_H
#define REPRISE_PLANNER_REPAIR_H

#include "reprise/planner/Moves.h"
#include "reprise/planner/Random.h"

#include <atomic>

namespace reprise {

/// How hard repair() looks.
struct RepairOptions {
  /// Reliefs tried side by side before the best of them is taken; 1 takes
  /// each that helps, in the order of the estimates.
  unsigned lookahead = 8;
  /// Estimates are multiplied by a random factor in [1, 1 + noise).
  double noise = 0;
  /// Reliefs listed at a peak, the cheapest by estimate.
  size_t listed = SIZE_MAX;
  /// Storages below this share of the excess at a peak are not listed.
  double minShare = 0;
  /// Gives up after that many reliefs.
  size_t maxReliefs = SIZE_MAX;
  /// Gives up when the cost passes this.
  double costLimit = 1e300;
  /// Gives up when list.work() passes this.
  uint64_t workLimit = UINT64_MAX;
  /// Set from outside to give up.
  const std::atomic<bool> *stop = nullptr;
};

/// Applies reliefs at the peak of \p list until nothing exceeds its budget.
/// Every relief lowers the overflow (bytes above the budget, summed over
/// runs), so that this ends. False when it gave up or nothing helps; the edits
/// made so far stay.
bool repair(RunList &list, Moves &moves,
            const RepairOptions &options, Random &random);

} // namespace reprise

#endif // REPRISE_PLANNER_REPAIR_H
