// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First fit keeps what lies below a block in view; the skyline forgets it. What
// is placed is a row of steps, and the next block goes onto the lowest step
// that holds one:
//
//   offset
//     |        +------+               step 2 is the lowest. No block lives
//     |   +----+      |               within it: it is raised to its lower
//     |   |    |      +----+----+     neighbor and one with it.
//     |   | 1  |      | 2  | 3  |
//     +---+----+------+----+----+--> sections
//
// Any layout can be pushed down to one that some choice of blocks makes in this
// way (see ArenaSearch). The blocks that live within a step are looked for in a
// k-d tree over where they begin and end (Bentley 1975) that knows the best
// rank below each of its nodes.

#include "reprise/planner/ArenaFit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace reprise {

namespace {

/// The blocks that are not placed, for the question which one comes first of
/// those that live within some sections.
class WaitingBlocks {
public:
  WaitingBlocks(const ArenaModel &model, llvm::ArrayRef<uint32_t> order);

  /// The rank of that block; kNone: there is none.
  uint32_t firstWithin(uint32_t first, uint32_t end) const;
  void remove(uint32_t rank);

private:
  struct Node {
    uint32_t minFirst, maxFirst, minEnd, maxEnd;
    uint32_t best; ///< least rank of those waiting below; kNone: none
  };
  void build();

  const ArenaModel &model;
  llvm::ArrayRef<uint32_t> order;
  uint32_t leaves = 1; ///< a power of two: a heap of nodes, root at 1
  std::vector<Node> nodes;
  std::vector<uint32_t> leafOf; ///< by rank
};

/// A step of the skyline.
struct SkylineStep {
  uint32_t end;   ///< section
  int64_t height; ///< bytes
  uint32_t left;  ///< the step before, by its first section; kNone: none
};

class Skyline {
public:
  explicit Skyline(uint32_t sections);

  /// The lowest step, of these the first; as wide as its height goes.
  uint32_t lowest();
  const SkylineStep &step(uint32_t first) const { return steps[first]; }
  /// False where the step is all there is.
  bool raise(uint32_t first);
  void put(uint32_t step, const ArenaBlock &block);

private:
  void absorbRight(uint32_t first);
  void announce(uint32_t first) { queue.push({steps[first].height, first}); }
  bool isStep(uint32_t first, int64_t height) const {
    return steps[first].end > first && steps[first].height == height;
  }

  std::vector<SkylineStep> steps; ///< by first section; end 0: no step
  using Entry = std::pair<int64_t, uint32_t>; // height, first section
  /// Holds every step; entries of steps that changed are skipped.
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
};

} // namespace

WaitingBlocks::WaitingBlocks(const ArenaModel &model,
                             llvm::ArrayRef<uint32_t> order)
    : model(model), order(order), leafOf(order.size()) {
  while (leaves < order.size())
    leaves *= 2;
  nodes.assign(2 * size_t(leaves), {UINT32_MAX, 0, UINT32_MAX, 0, kNone});
  build();
}

void WaitingBlocks::build() {
  // Halves by where blocks begin and by where they end in turn.
  std::vector<uint32_t> ranks(order.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  bool byFirst = true;
  for (size_t size = leaves; size > 1; size /= 2, byFirst = !byFirst)
    for (size_t from = 0; from < ranks.size(); from += size) {
      size_t to = std::min(from + size, ranks.size());
      if (from + size / 2 >= to)
        continue;
      std::nth_element(ranks.begin() + from, ranks.begin() + from + size / 2,
                       ranks.begin() + to, [&](uint32_t a, uint32_t b) {
                         const ArenaBlock &x = model.blocks[order[a]];
                         const ArenaBlock &y = model.blocks[order[b]];
                         uint32_t left = byFirst ? x.first : x.end;
                         uint32_t right = byFirst ? y.first : y.end;
                         return left != right ? left < right : a < b;
                       });
    }
  for (uint32_t i = 0; i < ranks.size(); ++i) {
    const ArenaBlock &block = model.blocks[order[ranks[i]]];
    leafOf[ranks[i]] = leaves + i;
    nodes[leaves + i] = {block.first, block.first, block.end, block.end,
                         ranks[i]};
  }
  for (uint32_t i = leaves - 1; i > 0; --i) {
    const Node &a = nodes[2 * size_t(i)], &b = nodes[2 * size_t(i) + 1];
    nodes[i] = {std::min(a.minFirst, b.minFirst),
                std::max(a.maxFirst, b.maxFirst), std::min(a.minEnd, b.minEnd),
                std::max(a.maxEnd, b.maxEnd), std::min(a.best, b.best)};
  }
}

uint32_t WaitingBlocks::firstWithin(uint32_t first, uint32_t end) const {
  uint32_t best = kNone;
  llvm::SmallVector<uint32_t, 64> open{1};
  while (!open.empty()) {
    uint32_t i = open.pop_back_val();
    const Node &node = nodes[i];
    if (node.best >= best || node.maxFirst < first || node.minEnd > end)
      continue;
    if (node.minFirst >= first && node.maxEnd <= end) {
      best = node.best;
      continue;
    }
    // The better half first: it may make the other one needless.
    uint32_t left = 2 * i, right = left + 1;
    bool leftFirst = nodes[left].best < nodes[right].best;
    open.push_back(leftFirst ? right : left);
    open.push_back(leftFirst ? left : right);
  }
  return best;
}

void WaitingBlocks::remove(uint32_t rank) {
  uint32_t i = leafOf[rank];
  nodes[i].best = kNone;
  for (i /= 2; i > 0; i /= 2)
    nodes[i].best =
        std::min(nodes[2 * size_t(i)].best, nodes[2 * size_t(i) + 1].best);
}

Skyline::Skyline(uint32_t sections) : steps(sections, {0, 0, kNone}) {
  steps[0].end = sections;
  announce(0);
}

/// Makes the step and the ones right of it that are as high into one.
void Skyline::absorbRight(uint32_t first) {
  SkylineStep &step = steps[first];
  while (step.end < steps.size() && steps[step.end].height == step.height) {
    uint32_t next = step.end;
    step.end = steps[next].end;
    steps[next].end = 0;
  }
  if (step.end < steps.size())
    steps[step.end].left = first;
}

uint32_t Skyline::lowest() {
  while (!isStep(queue.top().second, queue.top().first))
    queue.pop();
  return queue.top().second;
}

bool Skyline::raise(uint32_t first) {
  SkylineStep &step = steps[first];
  bool isLast = step.end == steps.size();
  if (isLast && step.left == kNone)
    return false;
  int64_t height = INT64_MAX;
  if (!isLast)
    height = steps[step.end].height;
  if (step.left != kNone)
    height = std::min(height, steps[step.left].height);
  step.height = height;
  absorbRight(first);
  if (step.left != kNone && steps[step.left].height == height) {
    first = step.left;
    absorbRight(first);
  }
  announce(first);
  return true;
}

void Skyline::put(uint32_t at, const ArenaBlock &block) {
  SkylineStep old = steps[at];
  uint32_t left = old.left;
  if (at < block.first) {
    steps[at].end = block.first;
    left = at;
    announce(at);
  }
  steps[block.first] = {block.end, old.height + block.bytes, left};
  if (block.end < old.end) {
    steps[block.end] = {old.end, old.height, block.first};
    announce(block.end);
  }
  if (old.end < steps.size())
    steps[old.end].left = block.end < old.end ? block.end : block.first;
  uint32_t made = block.first;
  absorbRight(made);
  if (left != kNone && steps[left].height == steps[made].height) {
    absorbRight(left);
    made = left;
  }
  announce(made);
}

std::vector<int64_t> skylineFit(const ArenaModel &model,
                                llvm::ArrayRef<uint32_t> order,
                                size_t stacked) {
  std::vector<int64_t> offsets(model.blocks.size(), 0);
  WaitingBlocks waiting(model, order);
  Skyline skyline(model.numSections());
  auto place = [&](uint32_t rank, uint32_t at) {
    uint32_t block = order[rank];
    offsets[block] = skyline.step(at).height;
    skyline.put(at, model.blocks[block]);
    waiting.remove(rank);
  };
  uint32_t last = 0;
  for (uint32_t rank = 0; rank < stacked; ++rank) {
    place(rank, last);
    last = model.blocks[order[rank]].first;
  }
  for (size_t placed = stacked; placed < order.size();) {
    uint32_t at = skyline.lowest();
    uint32_t rank = waiting.firstWithin(at, skyline.step(at).end);
    if (rank != kNone) {
      place(rank, at);
      ++placed;
    } else if (!skyline.raise(at)) {
      break;
    }
  }
  return offsets;
}

std::vector<int64_t> firstFit(const ArenaModel &model, const Rows &live,
                              llvm::ArrayRef<uint32_t> order) {
  std::vector<int64_t> offsets(model.blocks.size(), -1);
  std::vector<std::pair<int64_t, int64_t>> taken; // offset, end
  for (uint32_t b : order) {
    const ArenaBlock &block = model.blocks[b];
    taken.clear();
    auto look = [&](uint32_t other) {
      if (offsets[other] >= 0)
        taken.push_back(
            {offsets[other], offsets[other] + model.blocks[other].bytes});
    };
    for (uint32_t other : live[block.first])
      look(other);
    for (uint32_t other = model.firstAt[block.first + 1];
         other < model.firstAt[block.end]; ++other)
      look(other);
    llvm::sort(taken);
    int64_t offset = 0;
    for (auto [from, to] : taken) {
      if (from - offset >= block.bytes)
        break;
      offset = std::max(offset, to);
    }
    offsets[b] = offset;
  }
  return offsets;
}

int64_t topOf(const ArenaModel &model, llvm::ArrayRef<int64_t> offsets) {
  int64_t top = 0;
  for (size_t b = 0; b < model.blocks.size(); ++b)
    top = std::max(top, offsets[b] + model.blocks[b].bytes);
  return top;
}

} // namespace reprise
