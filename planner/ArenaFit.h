// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts at once, without search.

#ifndef REPRISE_PLANNER_ARENAFIT_H
#define REPRISE_PLANNER_ARENAFIT_H

#include "reprise/planner/ArenaModel.h"

namespace reprise {

/// Offsets of the blocks of \p model, by block. Of the blocks that can come to
/// lie lowest, the first one in \p order comes first. The first \p stacked
/// ones, which must end with the last section and come by their first ones,
/// are put upon each other beforehand. Takes about O(n sqrt(n)) at worst,
/// nearly O(n log n) as a rule, whatever overlaps.
std::vector<int64_t> skylineFit(const ArenaModel &model,
                                llvm::ArrayRef<uint32_t> order,
                                size_t stacked = 0);

/// Offsets of the blocks of \p model, by block: in the order \p order, each as
/// low as it fits. \p live is liveBlocks(model). Takes the time of the pairs
/// that live together.
std::vector<int64_t> firstFit(const ArenaModel &model, const Rows &live,
                              llvm::ArrayRef<uint32_t> order);

/// The highest end of a block.
int64_t topOf(const ArenaModel &model, llvm::ArrayRef<int64_t> offsets);

} // namespace reprise

#endif // REPRISE_PLANNER_ARENAFIT_H
