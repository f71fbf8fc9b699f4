// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets in one block of memory for buffers whose lifetimes are known.

#ifndef REPRISE_PLANNER_ARENA_H
#define REPRISE_PLANNER_ARENA_H

#include "llvm/ADT/ArrayRef.h"

#include <atomic>
#include <cstdint>
#include <vector>

namespace reprise {

/// A buffer to be placed: \p bytes from time \p lower up to, not including,
/// time \p upper.
struct ArenaBuffer {
  int64_t lower = 0;
  int64_t upper = 0; ///< at least lower; equal: never live
  int64_t bytes = 0; ///< at least 0
  /// Outlives the others: placed beside its like, from the bottom up, where
  /// that makes the layout no larger. Of use for buffers that end last.
  bool persists = false;

  /// Does it keep others from its bytes at any time?
  bool isLive() const { return lower < upper && bytes > 0; }
};

/// How to go about it.
struct ArenaOptions {
  /// A layout of at most so many bytes is good enough; 0: as small as can be.
  int64_t capacityBytes = 0;
  /// Elementary operations of the search, all tries together; about 2e9 take a
  /// few seconds.
  uint64_t work = 2'000'000'000;
  /// Set from outside to end the search early with the best layout so far.
  const std::atomic<bool> *stop = nullptr;
};

/// An offset for each buffer; no two that are live together overlap.
struct ArenaLayout {
  std::vector<int64_t> offsets; ///< bytes, by buffer
  int64_t bytes = 0;            ///< the highest end of a live buffer
  /// The most bytes that are live at one time.
  int64_t liveBytes = 0;
  /// Proven: no layout is smaller. At least liveBytes.
  int64_t lowerBoundBytes = 0;
};

/// The smallest layout of \p buffers that is found: by skylines and first fit
/// in several orders, and where that leaves more than the bytes that are live
/// together, by search. The bytes of all buffers must add up to less than
/// 2^63; times may be any numbers. The same arguments give the same layout.
/// Never fails; whether it is within a capacity is for the caller to see.
ArenaLayout layOutArena(llvm::ArrayRef<ArenaBuffer> buffers,
                        const ArenaOptions &options = {});

} // namespace reprise

#endif // REPRISE_PLANNER_ARENA_H
