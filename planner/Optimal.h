// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact method: the cheapest plan of a small graph over all orders and all
// recomputations, with proof.

#ifndef REPRISE_PLANNER_OPTIMAL_H
#define REPRISE_PLANNER_OPTIMAL_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// When the exact method gives up.
struct OptimalLimits {
  /// States kept in memory, about 200 bytes each.
  uint64_t maxStates = 8'000'000;
  /// Steps of the search, about 10 ns each: the same limit gives the same
  /// result on every machine.
  uint64_t maxWork = std::numeric_limits<uint64_t>::max();
  /// Wall-clock limit; negative: none. Results then do not depend on it.
  double maxSeconds = -1;
  /// Set from outside to end the search early.
  const std::atomic<bool> *stop = nullptr;
};

/// What the exact method found out.
struct OptimalResult {
  /// The cheapest plan within the budget that was found or known.
  std::optional<RunSequence> runs;
  /// The search ended by itself: `runs` is an optimum, or nothing fits.
  bool proven = false;
  /// No plan within the budget costs less, whether or not a limit was reached.
  double lowerBound = 0;
  uint64_t expanded = 0; ///< states whose successors were made
};

/// Graphs with more nodes or more produced tensors than this are not tried:
/// solveOptimal() then returns at once without a proof.
inline constexpr size_t kOptimalMaxSize = 128;

/// Searches the cheapest plan of \p problem; among equally cheap ones one with
/// the fewest runs. \p known, when it is within the budget, is the plan to
/// beat: the search looks at less, and a limit leaves that plan.
OptimalResult solveOptimal(const Problem &problem,
                           const OptimalLimits &limits = {},
                           llvm::ArrayRef<NodeId> known = {});

} // namespace reprise

#endif // REPRISE_PLANNER_OPTIMAL_H
