// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best-first search of the exact method. Optimal.h is its face.

#ifndef REPRISE_PLANNER_EXACTSEARCH_H
#define REPRISE_PLANNER_EXACTSEARCH_H

#include "reprise/planner/DominanceTree.h"
#include "reprise/planner/ExactModel.h"
#include "reprise/planner/Optimal.h"

#include <chrono>
#include <queue>
#include <unordered_map>

namespace reprise {

/// What has been done before a search begins.
struct ExactStart {
  BitSet128 executed = 0; ///< nodes
  BitSet128 resident = 0; ///< tensors
};

/// One search. Plans whose extra cost is \p limit or more are of no use.
class ExactSearch {
public:
  ExactSearch(ExactModel model, const ExactStart &start,
              const OptimalLimits &limits, ExtraCost limit);

  void run();
  /// What `OptimalLimits::maxWork` limits.
  uint64_t workDone() const { return work; }

  std::optional<RunSequence> found; ///< better than the limit
  bool isFinished = false;          ///< no limit of effort was reached
  ExtraCost bound;                  ///< of the extra runs of every plan
  uint64_t expanded = 0;

private:
  struct State {
    BitSet128 resident;
    ExtraCost soFar;
    uint32_t stage;
    uint32_t parent;
    uint8_t node; ///< the run that led here
  };

  /// An entry of the open list.
  struct Open {
    ExtraCost bound; ///< of the extra runs of any plan through the state
    uint8_t executedCount;
    uint8_t residentCount;
    uint32_t state;

    /// Least bound first; then the furthest and fullest, then the latest:
    /// dives, and meets a dominating state before the dominated one.
    bool operator<(const Open &other) const {
      if (bound != other.bound)
        return bound > other.bound;
      if (executedCount != other.executedCount)
        return executedCount < other.executedCount;
      if (residentCount != other.residentCount)
        return residentCount < other.residentCount;
      return state < other.state;
    }
  };

  struct SetHash {
    size_t operator()(BitSet128 set) const {
      uint64_t h = uint64_t(set) * 0x9e3779b97f4a7c15u;
      h = (h ^ (h >> 32) ^ uint64_t(set >> 64)) * 0xd6e8feb86659fd93u;
      return h ^ (h >> 29);
    }
  };

  /// All that depends on the executed nodes alone.
  struct Stage {
    BitSet128 executed, needed, useful;
    BitSet128 alive; ///< useful, or the base of a useful view
    /// The cheapest way to each set that is resident.
    std::unordered_map<BitSet128, ExtraCost, SetHash> reached;
    DominanceTree expanded;
  };

  bool isOverLimit();
  uint32_t stageOf(BitSet128 executed);
  std::optional<ExtraCost> boundOf(const Stage &stage,
                                   BitSet128 resident) const;
  bool isRunnable(BitSet128 executed, BitSet128 resident, unsigned n) const;
  bool isSafeNow(unsigned n, int64_t live) const;
  bool isOutdated(const State &s);
  void expand(uint32_t index);
  void tryNode(uint32_t index, unsigned n, int64_t live);
  void chooseFrees(size_t from, int64_t missing);
  void push(BitSet128 resident);
  RunSequence runsTo(uint32_t index) const;

  ExactModel model;
  ExactStart start;
  OptimalLimits limits;
  ExtraCost upper; ///< only plans below it are of use
  std::chrono::steady_clock::time_point begin;
  uint64_t work = 0;
  uint64_t nextLook = 0; ///< work at which the clock is read
  bool isOver = false;
  std::vector<State> states;
  std::priority_queue<Open> open;
  std::vector<Stage> stages;
  std::unordered_map<BitSet128, uint32_t, SetHash> stageNumbers;

  // The run that is being tried.
  uint32_t parent = 0;
  uint32_t parentStage = 0, nextStage = 0;
  unsigned node = 0;
  ExtraCost soFar;                  ///< with the run
  BitSet128 kept = 0;               ///< resident less the chosen frees
  std::vector<unsigned> candidates; ///< groups to free, largest first
  std::vector<int64_t> suffixBytes; ///< of the candidates from each on
};

} // namespace reprise

#endif // REPRISE_PLANNER_EXACTSEARCH_H
