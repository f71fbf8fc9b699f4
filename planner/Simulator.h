// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory model, and the only place of the planner that adds up bytes and
// costs for a result. At a step that runs node v,
//
//   usage = bytes of all resident storages + bytes that v's outputs own
//           + workspace(v)
//
// with graph inputs and initializers resident from the first step to the last.
// The peak is the largest usage.

#ifndef REPRISE_PLANNER_SIMULATOR_H
#define REPRISE_PLANNER_SIMULATOR_H

#include "reprise/planner/Plan.h"

#include <string>

namespace reprise {

/// What running a plan takes.
struct Simulation {
  int64_t peakBytes = 0;     ///< largest usage, constants included
  size_t peakStep = 0;       ///< first step that reaches it
  double cost = 0;           ///< sum over all runs
  size_t recomputedRuns = 0; ///< runs beyond the first of each node
  /// Usage at each run; bytes resident at each free. One entry per step.
  std::vector<int64_t> usageBytes;
};

/// Replays \p plan on \p graph, \p costs per node. Fails with an InputError
/// that names the step, the node or the tensor when the plan reads or frees
/// what is not resident, runs a `never` node twice or out of order, leaves a
/// node or an output out, or holds across the turn what must not be.
llvm::Expected<Simulation>
simulate(const Graph &graph, llvm::ArrayRef<double> costs, const Plan &plan);

/// Peak of the usages that a sequence of runs takes when every tensor is freed
/// right after its last use. Cheaper than simulate(); for sequences that are
/// known to be executable.
int64_t peakOfRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs);

/// Sum of \p costs over \p runs, in an order-independent exact-enough way
/// (compensated summation).
double costOfRuns(llvm::ArrayRef<double> costs, llvm::ArrayRef<NodeId> runs);

} // namespace reprise

#endif // REPRISE_PLANNER_SIMULATOR_H
