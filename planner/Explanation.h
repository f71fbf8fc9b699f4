// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a plan takes the memory and the time that it takes.

#ifndef REPRISE_PLANNER_EXPLANATION_H
#define REPRISE_PLANNER_EXPLANATION_H

#include "reprise/planner/Residencies.h"
#include "reprise/planner/Simulator.h"

#include <string>

namespace reprise {

/// A node that runs again, all its runs beyond the first together.
struct RecomputedNode {
  NodeId node;
  size_t runs = 0; ///< beyond the first
  double cost = 0; ///< of these
  /// What is not in memory between two of its runs: bytes of its outputs, at
  /// most at any one time.
  int64_t freedBytes = 0;
  /// What the plan would peak at if these bytes stayed between the runs and
  /// all else were the same.
  int64_t peakIfKeptBytes = 0;
};

/// Nodes that have something in common.
struct NodeGroup {
  std::string name;
  size_t nodes = 0;
  size_t recomputedRuns = 0;
  double cost = 0;           ///< of all runs
  double recomputedCost = 0; ///< of runs beyond the first
  int64_t peakBytes = 0;     ///< in memory at the peak, made by these nodes
  int64_t turnBytes = 0;     ///< held across the turn, likewise
};

struct Explanation {
  Simulation simulation;
  std::vector<Stay> stays;
  NodeId peakNode = kNone; ///< the node that runs at the peak
  /// In memory at the peak step, its node's outputs included, by falling bytes.
  std::vector<Stay> atPeak;
  /// Copies of what is resident already that the peak's node makes and drops.
  int64_t secondCopyBytes = 0;
  /// Step of the first run of Graph::turn(); the number of steps without one.
  size_t turnStep = 0;
  /// In memory before and after that run, by falling bytes.
  std::vector<Stay> acrossTurn;
  int64_t turnBytes = 0; ///< of these
  /// By falling cost.
  std::vector<RecomputedNode> recomputed;
  /// By falling bytes at the peak.
  std::vector<NodeGroup> byOperator, byPrefix;
};

/// Explains \p plan with \p costs per node. The prefix of a node is the first
/// \p depth parts of its name, which `/`, `.` and `::` separate (`_` where a
/// name has none of these); 0: the least depth that makes four groups. Fails
/// as simulate() does.
llvm::Expected<Explanation> explain(const Graph &graph,
                                    llvm::ArrayRef<double> costs,
                                    const Plan &plan, unsigned depth = 0);

} // namespace reprise

#endif // REPRISE_PLANNER_EXPLANATION_H
