// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is certain about memory at one moment of every plan: the first run of a
// node x. All ancestors of x have run before it, none of its descendants has.
//
//   - What x reads is resident.
//   - A buffer that an ancestor has made and a descendant reads, or that is an
//     output of the graph, is resident, or its maker runs again later.
//   - When a maker runs again later, each buffer that it reads is resident at
//     the moment, or *its* maker runs again later.
//
// A buffer is a tensor and all views of it. So much is true of every order and
// every recomputation.

#ifndef REPRISE_PLANNER_MOMENT_H
#define REPRISE_PLANNER_MOMENT_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// A buffer that may be resident at the moment.
struct MomentUnit {
  int64_t bytes = 0;
  uint32_t maker = kNone; ///< index in Moment::makers; kNone: runs only once
  bool isNeeded = false;  ///< by a descendant, or at the end
};

/// The units that are neither resident for certain nor of no use, and who
/// makes them.
struct Moment {
  std::vector<MomentUnit> units;
  std::vector<double> makerCosts;
  Rows makerReads; ///< units that each maker reads
  /// Bytes that the units may take; negative: the budget is infeasible.
  int64_t capacityBytes = 0;
};

/// Analyses moments of one problem; linear in the graph for each.
class MomentAnalysis {
public:
  explicit MomentAnalysis(const Problem &problem);

  /// The moment of the first run of \p x. With a descendant \p last only what
  /// is read by its first run counts: what has to be made again for that is
  /// made again between the two.
  Moment at(NodeId x, NodeId last = kNone);

private:
  void markRelatives(NodeId x);
  void endWith(NodeId last);
  void markCertain(NodeId x, Moment &moment);
  bool isReadLater(TensorId t) const;
  uint32_t unitOf(TensorId t, Moment &moment);

  const Problem &problem;
  const Graph &graph;
  std::vector<TensorId> owner; ///< what a chain of views starts at
  // Of the present moment.
  bool isToEnd = true; ///< outputs of the graph are needed
  std::vector<uint8_t> isAncestor, isDescendant;       ///< by node
  std::vector<uint8_t> isNeeded, isCertain;            ///< by owner
  std::vector<uint32_t> unitNumbers, makerNumbers;     ///< kNone: not yet one
  std::vector<TensorId> unitOwners;
};

} // namespace reprise

#endif // REPRISE_PLANNER_MOMENT_H
