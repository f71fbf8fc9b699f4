// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does a set of buffers fit a capacity? A search that can also prove that not.

#ifndef REPRISE_PLANNER_ARENASEARCH_H
#define REPRISE_PLANNER_ARENASEARCH_H

#include "reprise/planner/ArenaModel.h"

namespace reprise {

/// What came of a search.
enum class ArenaAnswer : uint8_t {
  Fits,    ///< offsets were found
  Never,   ///< proven: there are none
  Unknown, ///< the work ran out
};

/// What is searched, and how long.
struct ArenaQuestion {
  const ArenaModel &model;
  const Rows &live; ///< liveBlocks(model)
  int64_t capacityBytes;
  const std::atomic<bool> *stop = nullptr;
};

/// Looks for offsets of the blocks of a model within a capacity and writes them
/// to \p offsets, by block, if it finds some. Spends about \p work elementary
/// operations at most, which are taken off it.
ArenaAnswer searchArena(const ArenaQuestion &question, uint64_t &work,
                        std::vector<int64_t> &offsets);

} // namespace reprise

#endif // REPRISE_PLANNER_ARENASEARCH_H
