// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds states that are at least as good as a given one: that hold all that
// it holds, and have cost no more.

#ifndef REPRISE_PLANNER_DOMINANCETREE_H
#define REPRISE_PLANNER_DOMINANCETREE_H

#include "reprise/planner/ExactModel.h"

#include <compare>

namespace reprise {

/// Cost of extra runs, then their number: ties go to the shorter plan.
struct ExtraCost {
  double cost = 0;
  uint32_t runs = 0;

  auto operator<=>(const ExtraCost &) const = default;
};

/// Sets of resident tensors with costs, in a binary tree: inner nodes split by
/// one tensor, leaves hold a few entries. Every node knows the union of its
/// sets and its least cost, which rules out most of the tree for most queries.
class DominanceTree {
public:
  void insert(BitSet128 resident, ExtraCost cost);

  /// Is there an entry with a superset of \p resident that costs no more?
  /// Adds the nodes and entries that were looked at to \p work.
  bool dominates(BitSet128 resident, ExtraCost cost, uint64_t &work) const;

private:
  struct Entry {
    BitSet128 resident;
    ExtraCost cost;
  };
  struct Node {
    BitSet128 all = 0;    ///< union of the sets
    BitSet128 common;     ///< intersection of the sets
    ExtraCost least;      ///< of the entries
    uint32_t with = 0;    ///< child whose sets have the tensor; 0: a leaf
    uint32_t without = 0; ///< child whose sets lack it
    uint8_t tensor = 0;   ///< that tells the children apart
    std::vector<Entry> entries;
  };

  uint32_t addNode();
  void addTo(uint32_t node, const Entry &entry);
  void split(uint32_t node);

  std::vector<Node> nodes;
};

} // namespace reprise

#endif // REPRISE_PLANNER_DOMINANCETREE_H
