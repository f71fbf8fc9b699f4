// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small graph as bit sets, for the exact method.
//
// What is resident is a set of tensors. Views make that ambiguous in general:
// a base may be rebuilt while an older copy lives on in a view. But while a
// view is resident its base costs nothing to keep, so that only plans which
// free a base together with all its views need to be looked at. Then a
// storage has one copy at a time, and the *group* of a base (itself and its
// views) comes and goes as one.

#ifndef REPRISE_PLANNER_EXACTMODEL_H
#define REPRISE_PLANNER_EXACTMODEL_H

#include "reprise/planner/Planner.h"

#include <bit>

namespace reprise {

/// A set of up to 128 nodes or produced tensors.
using BitSet128 = unsigned __int128;

inline BitSet128 bitOf(unsigned i) { return BitSet128(1) << i; }

/// Index of the lowest bit of \p set, which is not empty.
inline unsigned lowestBit(BitSet128 set) {
  uint64_t low = uint64_t(set);
  return low ? std::countr_zero(low)
             : 64 + std::countr_zero(uint64_t(set >> 64));
}

/// Calls \p visit with each element of \p set, ascending.
template <typename Visitor> void forEachBit(BitSet128 set, Visitor visit) {
  for (; set; set &= set - 1)
    visit(lowestBit(set));
}

/// What one run of a node takes and changes.
struct ExactNode {
  BitSet128 reads = 0;    ///< produced tensors
  BitSet128 outputs = 0;  ///< tensors
  BitSet128 clears = 0;   ///< tensors that an in-place run ends
  BitSet128 blockers = 0; ///< nodes that overwrite a constant that it reads
  /// Nodes that must have run before the first run: earlier `never` nodes of
  /// a `never` node, other readers of what it overwrites.
  BitSet128 after = 0;
  int64_t bytes = 0;       ///< own outputs and workspace
  int64_t outputBytes = 0; ///< own outputs
  double cost = 0;
  bool mayRecompute = false;
};

/// One unit of memory: a tensor with a buffer of its own, and its views.
struct ExactGroup {
  BitSet128 tensors = 0;
  int64_t bytes = 0;
  unsigned root = 0; ///< tensor that is resident whenever the group is
};

/// The graph of a problem whose nodes and produced tensors are at most 128.
class ExactModel {
public:
  /// No nodes: to be filled in by hand.
  ExactModel() = default;
  explicit ExactModel(const Problem &problem);

  std::vector<ExactNode> nodes;   ///< by NodeId
  std::vector<uint8_t> producers; ///< by produced tensor
  std::vector<uint8_t> groupOf;   ///< by produced tensor
  std::vector<ExactGroup> groups;
  BitSet128 allNodes = 0;
  BitSet128 outputs = 0;      ///< tensors that must be resident at the end
  BitSet128 recomputable = 0; ///< tensors of nodes that may run again
  int64_t freeBytes = 0;      ///< budget less constants; negative: infeasible

  /// Bytes of the groups in \p resident.
  int64_t liveBytes(BitSet128 resident) const;
  /// Tensors that an unexecuted node reads or that must be there at the end.
  BitSet128 needed(BitSet128 executed) const;
  /// Tensors that a run after \p executed can be of use for: the needed ones,
  /// and what the recomputation of a useful one reads.
  BitSet128 useful(BitSet128 executed) const;
  /// \p tensors and the roots of their groups.
  BitSet128 withRoots(BitSet128 tensors) const;
  /// Makes \p tensor, the root of a group, count in liveBytes().
  void addRoot(unsigned tensor) { roots |= bitOf(tensor); }

private:
  void addTensors(const Graph &graph);
  void addNodes(const Problem &problem);
  void orderNodes(const Graph &graph);

  BitSet128 roots = 0; ///< roots of groups with bytes
};

} // namespace reprise

#endif // REPRISE_PLANNER_EXACTMODEL_H
