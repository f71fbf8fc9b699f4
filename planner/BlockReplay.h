// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replays a block of forward nodes and its backward part, some of what it
// makes being kept in between, and measures what that takes.

#ifndef REPRISE_PLANNER_BLOCKREPLAY_H
#define REPRISE_PLANNER_BLOCKREPLAY_H

#include "reprise/planner/BlockTables.h"

namespace reprise {

/// Figures of a replay. Bytes are beyond the crossing set of the block's
/// start.
struct BlockFigures {
  int64_t forwardNeed = 0;
  int64_t backwardNeed = 0; ///< beyond gradients that are outputs of the graph
  double restoreCost = 0;   ///< of making again what is kept and crosses
};

/// Replays blocks, one after another; owns the scratch memory.
class BlockReplay {
public:
  /// \p costs per node.
  BlockReplay(const Graph &graph, const Cuts &cuts, const BlockTables &tables,
              llvm::ArrayRef<double> costs);

  /// The block is that of the forward nodes [\p from, \p to); \p kept and what
  /// crosses \p to stays, the rest is made again as late as possible. Linear in
  /// the block and its backward part, but for the sorting of closures.
  BlockFigures run(uint32_t from, uint32_t to, llvm::ArrayRef<StorageId> kept);

private:
  enum State : uint8_t { Missing, Kept, Remade };
  /// One step of the backward part.
  struct Step {
    uint32_t index;    ///< forward index, or kNone for the backward node
    uint32_t position; ///< backward position before or at which it runs
  };

  bool isInside(uint32_t rank) const {
    return firstRank <= rank && rank < endRank;
  }
  int64_t forwardNeed();
  double restoreCost();
  void listSteps();
  int64_t backwardNeed();
  void use(llvm::ArrayRef<uint32_t> ranks, uint32_t step);
  void want(llvm::ArrayRef<uint32_t> ranks);

  const Graph &graph;
  const Cuts &cuts;
  const BlockTables &tables;
  llvm::ArrayRef<double> costs;
  uint32_t from = 0, to = 0, firstRank = 0, endRank = 0; ///< the block
  std::vector<uint8_t> state;                            ///< per rank
  std::vector<uint32_t> lastUse; ///< per rank: one past the last step
  std::vector<uint8_t> remade;   ///< per forward index
  std::vector<int64_t> frees;    ///< per step, or per forward index
  std::vector<Step> steps;
  std::vector<uint32_t> pending, closure;
};

} // namespace reprise

#endif // REPRISE_PLANNER_BLOCKREPLAY_H
