// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arena of a plan: where in one block of memory each of its storages lies,
// each time that it is made.

#ifndef REPRISE_PLANNER_PLANARENA_H
#define REPRISE_PLANNER_PLANARENA_H

#include "reprise/planner/Arena.h"
#include "reprise/planner/Plan.h"

namespace reprise {

/// Offsets of the storages of a plan in one block of memory. Graph inputs and
/// initializers are outside of it.
struct PlanArena {
  /// One stay of a storage in memory.
  struct Buffer {
    TensorId tensor;    ///< the owner of the storage
    uint64_t firstStep; ///< steps firstStep .. lastStep, both included
    uint64_t lastStep;
    int64_t offset; ///< bytes from the start of the arena
    int64_t bytes;
  };
  /// The scratch memory of one run.
  struct Workspace {
    NodeId node;
    uint64_t step;
    int64_t offset;
    int64_t bytes;
  };

  int64_t bytes = 0;                 ///< the highest end of a buffer
  int64_t alignment = 1;             ///< bytes; every offset is a multiple
  std::vector<Buffer> buffers;       ///< by firstStep
  std::vector<Workspace> workspaces; ///< by step
  /// The highest end of a buffer or workspace: what there has to be.
  int64_t neededBytes = 0;
  /// The most that is live at one time, in whole multiples of the alignment.
  int64_t liveBytes = 0;
};

/// Lays out \p plan, which is executable on \p graph: storages that views and
/// in-place results share are one buffer, and so is the second copy of an
/// output that is resident already, for its step. \p alignment is at least 1.
/// Fails with an InputError where the bytes of all buffers leave 63 bits.
llvm::Expected<PlanArena> layOutPlan(const Graph &graph, const Plan &plan,
                                     int64_t alignment,
                                     const ArenaOptions &options = {});

} // namespace reprise

#endif // REPRISE_PLANNER_PLANARENA_H
