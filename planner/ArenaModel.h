// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ways of placing buffers have in common.
//
// Only those times matter at which no buffer ends before another one begins:
// at any other time a subset of the buffers of one of these is live. They are
// called sections and numbered; buffers become blocks from one section to
// another. Buffers that are connected by nothing are placed apart.
//
//   time      0  2  4  6  8             section   0   1   2
//   a [0, 8)  ---------------           a         --------
//   b [0, 3)  -----                     b         --
//   c [4, 6)          ---               c             --
//   d [6, 8)             ----           d                 --

#ifndef REPRISE_PLANNER_ARENAMODEL_H
#define REPRISE_PLANNER_ARENAMODEL_H

#include "reprise/graph/Graph.h"
#include "reprise/planner/Arena.h"

#include <array>

namespace reprise {

/// A buffer in sections.
struct ArenaBlock {
  uint32_t first; ///< section
  uint32_t end;   ///< section: one past the last
  int64_t bytes;  ///< more than 0
  double time;    ///< how long it lives
  bool persists;  ///< to the last section, and wants to be with its like
};

/// Blocks that depend on each other: at each time of their span one is live.
struct ArenaModel {
  std::vector<ArenaBlock> blocks; ///< by first section
  std::vector<uint32_t> buffers;  ///< by block: the buffer that it is
  /// By section and one more: the first block that does not begin before.
  std::vector<uint32_t> firstAt;
  std::vector<int64_t> liveBytes; ///< by section

  uint32_t numSections() const { return liveBytes.size(); }
  /// Of all sections; no layout is smaller.
  int64_t mostLiveBytes() const;
  /// How many blocks are live in a section, summed up over the sections.
  uint64_t numLive() const;
  /// Every sum of sizes is a multiple of this.
  int64_t grainBytes() const;
};

/// \p buffers, without those that are never live, by what depends on each
/// other. O(n log n).
std::vector<ArenaModel> modelArena(llvm::ArrayRef<ArenaBuffer> buffers);

/// The blocks that are live in each section, by their numbers. Takes memory
/// for model.numLive() numbers.
Rows liveBlocks(const ArenaModel &model);

/// What speaks for placing a block early.
enum class ArenaKey : uint8_t {
  Contention, ///< the most bytes that are live in any of its sections
  Area,       ///< bytes x time
  Time,
  Sections, ///< how many it lives in
  Bytes
};

/// A preference among blocks: by the first key on which they differ.
using ArenaOrder = std::array<ArenaKey, 3>;

/// Blocks \p blocks of \p model, the preferred ones first; of equals, the first
/// given. Contention is by \p liveBytes, per section.
void sortBlocks(const ArenaModel &model, const ArenaOrder &order,
                llvm::ArrayRef<int64_t> liveBytes,
                std::vector<uint32_t> &blocks);

} // namespace reprise

#endif // REPRISE_PLANNER_ARENAMODEL_H
