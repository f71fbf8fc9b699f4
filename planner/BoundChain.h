// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is certain about memory at given moments of every plan. The moments are
// the first runs of nodes x_0, x_1, .. x_{k-1}, each an ancestor of the next
// one. Before the first run of x_i all of its ancestors have run; none of its
// descendants has.
//
//   interval i: from the first run of x_i to that of x_{i+1}, or to the end
//
// A tensor made by an ancestor of x_i and read by a node that is certain to
// run in interval i or later is resident at x_i, or made again after it.

#ifndef REPRISE_PLANNER_BOUNDCHAIN_H
#define REPRISE_PLANNER_BOUNDCHAIN_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// Why a tensor is wanted around a moment. Bits of BoundUnit's flags.
enum BoundNeed : uint8_t {
  ReadAtOnce = 1,  ///< by x_i itself: resident at x_i in every plan
  ReadInside = 2,  ///< in interval i, for certain
  ReadSometime = 4 ///< in interval i or later
};

/// A buffer that may be dropped and made again.
struct BoundUnit {
  int64_t bytes = 0;
  double cost = 0; ///< of making it again: its share of its node's cost
  /// The first moment before which its node has run for certain, and the last
  /// one with a need.
  uint32_t first = 0, last = 0;
  size_t flagsAt = 0; ///< of moment `first`, in BoundChain::flags
};

/// The moments of a chain of nodes, and what has to fit into memory there.
struct BoundChain {
  std::vector<NodeId> points; ///< each an ancestor of the next one
  std::vector<BoundUnit> units;
  std::vector<uint8_t> flags; ///< BoundNeed, a row per unit
  /// By moment: bytes that units which are not read at once may take;
  /// negative: the budget is infeasible.
  std::vector<int64_t> capacityBytes;
};

/// Where nodes run for the first time, as far as \p points tell, each of which
/// is an ancestor of the next one.
struct ChainPlaces {
  /// Least i such that the node is an ancestor of x_i; else their number.
  std::vector<uint32_t> before;
  /// Greatest i such that the node is x_i or a descendant; else -1.
  std::vector<int32_t> after;
};

/// Linear in the graph.
ChainPlaces placeOnChain(const Graph &graph, llvm::ArrayRef<NodeId> points);

/// Analyses \p points, each an ancestor of the next one. Linear in the graph
/// and in the intervals over which tensors are needed.
BoundChain analyseChain(const Problem &problem, std::vector<NodeId> points);

/// The least extra cost at one moment, by the fractional knapsack: the units
/// that are cheapest per byte are dropped until the rest fits. \p price
/// becomes the cost per byte at which the last one goes.
double knapsackAt(const BoundChain &chain, uint32_t moment, double &price);

/// A lower bound of the extra cost, from all moments together: of the
/// Lagrangean relaxation of the capacities at \p prices (cost per byte, by
/// moment, >= 0). \p overBytes becomes by how much each capacity is exceeded
/// at the relaxation's optimum: a subgradient.
double relaxedCost(const BoundChain &chain, llvm::ArrayRef<double> prices,
                   std::vector<double> &overBytes);

} // namespace reprise

#endif // REPRISE_PLANNER_BOUNDCHAIN_H
