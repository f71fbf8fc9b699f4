// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training graph seen as a chain. Forward nodes f_0 .. f_{n-1} in order, then
// backward nodes. Cut i splits before f_i; its backward side is a position
// from which on the backward pass reads nothing made at or after i: the first
// such, or a later one that is reached without reading anything new.
//
//   f_0 f_1 | f_2 f_3 | f_4      b_0 | b_1 b_2 | b_3 b_4
//         cut 2     cut 4     side of 4     side of 2
//
// Segment [i, j) is f_i .. f_{j-1} with the backward positions between the
// sides of j and i. The crossing set of a cut is what was made before it and
// is read by the segments at or after it. A storage crosses the cuts of one
// interval, so that every table here is a prefix sum over intervals, whatever
// the skips of the graph.

#ifndef REPRISE_PLANNER_CUTS_H
#define REPRISE_PLANNER_CUTS_H

#include "reprise/graph/Graph.h"

#include <vector>

namespace reprise {

/// Cuts, crossing sets and profiles of one training graph. Linear in nodes and
/// edges in time and space.
struct Cuts {
  /// All cuts of \p graph. A forward node that depends on a backward one, or
  /// that must not run before one, counts as backward.
  static Cuts of(const Graph &graph);

  uint32_t numForward() const { return forward.size(); }
  uint32_t numBackward() const { return backward.size(); }
  /// Does storage \p s belong to the crossing set of \p cut?
  bool crosses(StorageId s, uint32_t cut) const {
    return made[s] < cut && cut < end[s];
  }

  std::vector<NodeId> forward, backward; ///< in the order of first runs
  std::vector<uint32_t> place;           ///< per node: index in its list
  std::vector<uint8_t> isForward;        ///< per node

  /// Per node: may run again at any later time, as all that it reads is either
  /// kept or can be made again.
  std::vector<uint8_t> rerunnable;
  /// Per storage: holds an output of a node that is not rerunnable. It is
  /// kept from its making to its last reader.
  std::vector<uint8_t> pinned;

  /// Per backward position: one past the largest forward index read at or
  /// after it. Never grows.
  std::vector<uint32_t> needEnd;
  /// Per cut 0..n: its backward side.
  std::vector<uint32_t> side;

  // Per storage; kNone throughout for storages that no forward node makes.
  std::vector<uint32_t> made;        ///< forward index of the owner
  std::vector<uint32_t> end;         ///< crosses the cuts in (made, end)
  std::vector<uint32_t> lastForward; ///< forward index of the last reader
  /// Last backward position that reads it, numBackward() for a graph output,
  /// kNone when the backward pass does not read it.
  std::vector<uint32_t> lastBackward;

  std::vector<int64_t> crossingBytes; ///< per cut
  /// Per backward position: bytes that backward nodes made and that are alive
  /// there, with the node's own outputs and workspace.
  std::vector<int64_t> backwardUsage;
  /// Per backward position 0..m: bytes that backward nodes made before it and
  /// that are alive there.
  std::vector<int64_t> gradientsAt;
  /// The part of it that stays to the end.
  std::vector<int64_t> outputsAt;
  /// Per forward index: bytes made there that the backward pass reads.
  std::vector<int64_t> keptBytes;
};

} // namespace reprise

#endif // REPRISE_PLANNER_CUTS_H
