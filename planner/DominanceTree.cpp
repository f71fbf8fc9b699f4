// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DominanceTree.h"

#include <algorithm>
#include <array>

namespace reprise {

/// A leaf with more entries than this is split.
static constexpr size_t kLeafEntries = 24;

uint32_t DominanceTree::addNode() {
  Node &node = nodes.emplace_back();
  node.common = ~BitSet128(0);
  node.least = {std::numeric_limits<double>::infinity(), 0};
  return nodes.size() - 1;
}

void DominanceTree::addTo(uint32_t at, const Entry &entry) {
  Node &node = nodes[at];
  node.all |= entry.resident;
  node.common &= entry.resident;
  node.least = std::min(node.least, entry.cost);
}

void DominanceTree::insert(BitSet128 resident, ExtraCost cost) {
  if (nodes.empty())
    addNode();
  Entry entry{resident, cost};
  uint32_t at = 0;
  addTo(at, entry);
  while (nodes[at].with) {
    const Node &node = nodes[at];
    at = resident & bitOf(node.tensor) ? node.with : node.without;
    addTo(at, entry);
  }
  nodes[at].entries.push_back(entry);
  if (nodes[at].entries.size() > kLeafEntries)
    split(at);
}

/// By the tensor that comes closest to halving the leaf. Equal sets stay
/// together.
void DominanceTree::split(uint32_t at) {
  BitSet128 mixed = nodes[at].all & ~nodes[at].common;
  if (!mixed)
    return;
  std::array<size_t, 128> counts{};
  for (const Entry &entry : nodes[at].entries)
    forEachBit(entry.resident & mixed, [&](unsigned t) { ++counts[t]; });
  size_t total = nodes[at].entries.size(), best = total;
  unsigned tensor = 0;
  forEachBit(mixed, [&](unsigned t) {
    size_t larger = std::max(counts[t], total - counts[t]);
    if (larger < best) {
      best = larger;
      tensor = t;
    }
  });
  uint32_t with = addNode(), without = addNode();
  std::vector<Entry> entries = std::move(nodes[at].entries);
  nodes[at].entries.clear();
  nodes[at].with = with;
  nodes[at].without = without;
  nodes[at].tensor = tensor;
  for (const Entry &entry : entries) {
    uint32_t child = entry.resident & bitOf(tensor) ? with : without;
    addTo(child, entry);
    nodes[child].entries.push_back(entry);
  }
}

bool DominanceTree::dominates(BitSet128 resident, ExtraCost cost,
                              uint64_t &work) const {
  // A path of the tree splits by different tensors, so that the stack never
  // holds more than one sibling for each.
  std::array<uint32_t, 132> stack;
  size_t size = 0;
  if (!nodes.empty())
    stack[size++] = 0;
  while (size > 0) {
    const Node &node = nodes[stack[--size]];
    ++work;
    if ((resident & ~node.all) || cost < node.least)
      continue;
    if (node.with) {
      if (!(resident & bitOf(node.tensor)))
        stack[size++] = node.without;
      stack[size++] = node.with;
      continue;
    }
    work += node.entries.size();
    for (const Entry &entry : node.entries)
      if (!(resident & ~entry.resident) && entry.cost <= cost)
        return true;
  }
  return false;
}

} // namespace reprise
