// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DominanceTree.h"

#include "reprise/planner/Random.h"

#include <doctest/doctest.h>

using namespace reprise;

TEST_CASE("a superset that costs no more dominates") {
  DominanceTree tree;
  uint64_t work = 0;
  CHECK_FALSE(tree.dominates(0b0110, {5, 1}, work));
  tree.insert(0b0111, {5, 1});
  CHECK(tree.dominates(0b0110, {5, 1}, work));
  CHECK(tree.dominates(0b0111, {5, 2}, work));
  CHECK_FALSE(tree.dominates(0b0110, {4, 9}, work));
  CHECK_FALSE(tree.dominates(0b0110, {5, 0}, work));
  CHECK_FALSE(tree.dominates(0b1110, {9, 9}, work));
}

TEST_CASE("the tree answers as a list does") {
  Random random(1);
  DominanceTree tree;
  std::vector<std::pair<BitSet128, ExtraCost>> list;
  unsigned dominated = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    // Tensors of both halves of the word; sets that repeat; few costs.
    BitSet128 set = BitSet128(random.below(1 << 12)) << 58;
    if (random.below(4) == 0)
      set |= bitOf(random.below(128));
    ExtraCost cost{double(random.below(30)), uint32_t(random.below(3))};
    bool expected = false;
    for (auto [other, otherCost] : list)
      expected |= !(set & ~other) && otherCost <= cost;
    uint64_t work = 0;
    CHECK(tree.dominates(set, cost, work) == expected);
    dominated += expected;
    if (random.below(2) == 0)
      continue;
    tree.insert(set, cost);
    list.push_back({set, cost});
  }
  CHECK(dominated > 500);
  CHECK(dominated < 3500);
}
