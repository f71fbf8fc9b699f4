// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From cheap to dear, until the goal is met: no more bytes than are live at one
// time, or than the capacity.
//
//   1. skylines in several orders (ArenaFit), at first with what persists
//      stacked at the bottom, so that what it leaves is in one piece
//   2. first fit in several orders, and again with what came to lie too high
//      first ("squeaky wheel": D. Joslin, D. Clements 1999)
//   3. search for the goal (ArenaSearch), and where that fails for capacities
//      between the goal and what there is, by halves

#include "reprise/planner/Arena.h"

#include "reprise/planner/ArenaFit.h"
#include "reprise/planner/ArenaSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace reprise {

namespace {

/// Lays out one model.
class ArenaPlacer {
public:
  ArenaPlacer(const ArenaModel &model, const ArenaOptions &options,
              int64_t goalBytes, uint64_t &work)
      : model(model), options(options), work(work),
        lowerBound(model.mostLiveBytes()), goal(goalBytes),
        persistent(llvm::count_if(model.blocks, [](const ArenaBlock &block) {
          return block.persists;
        })) {}

  void run();

  std::vector<int64_t> best; ///< offsets, by block
  int64_t bestTop = INT64_MAX;
  int64_t lowerBoundBytes() const { return lowerBound; }

private:
  bool isDone() const {
    return bestTop <= goal || work == 0 ||
           (options.stop && options.stop->load());
  }
  void keep(std::vector<int64_t> offsets);
  void spend(uint64_t some) { work -= std::min(work, some); }
  std::vector<uint32_t> ordered(const ArenaOrder &order, bool isStacked) const;
  void fitSkylines(bool isStacked);
  void fitFirst(const Rows &live, bool isStacked);
  void squeak(const Rows &live, std::vector<uint32_t> order, size_t stacked);
  void search(const Rows &live);

  const ArenaModel &model;
  const ArenaOptions &options;
  uint64_t &work;
  int64_t lowerBound, goal;
  size_t persistent; ///< blocks
};

} // namespace

void ArenaPlacer::keep(std::vector<int64_t> offsets) {
  int64_t top = topOf(model, offsets);
  if (top >= bestTop)
    return;
  bestTop = top;
  best = std::move(offsets);
}

/// All blocks by \p order; if \p isStacked, after those that persist, by their
/// first sections.
std::vector<uint32_t> ArenaPlacer::ordered(const ArenaOrder &order,
                                           bool isStacked) const {
  std::vector<uint32_t> blocks, stack;
  for (uint32_t b = 0; b < model.blocks.size(); ++b)
    (isStacked && model.blocks[b].persists ? stack : blocks).push_back(b);
  sortBlocks(model, order, model.liveBytes, blocks);
  stack.insert(stack.end(), blocks.begin(), blocks.end());
  return stack;
}

void ArenaPlacer::fitSkylines(bool isStacked) {
  using Key = ArenaKey;
  static constexpr ArenaOrder orders[] = {
      {Key::Contention, Key::Time, Key::Area},
      {Key::Time, Key::Area, Key::Bytes},
      {Key::Contention, Key::Area, Key::Time},
      {Key::Sections, Key::Contention, Key::Area},
      {Key::Area, Key::Time, Key::Bytes}};
  for (const ArenaOrder &order : orders) {
    keep(skylineFit(model, ordered(order, isStacked),
                    isStacked ? persistent : 0));
    spend(2000 * model.blocks.size());
    if (isDone())
      return;
  }
}

void ArenaPlacer::fitFirst(const Rows &live, bool isStacked) {
  using Key = ArenaKey;
  static constexpr ArenaOrder orders[] = {
      {Key::Bytes, Key::Time, Key::Area},
      {Key::Time, Key::Bytes, Key::Area},
      {Key::Area, Key::Bytes, Key::Time},
      {Key::Contention, Key::Bytes, Key::Time}};
  for (const ArenaOrder &order : orders) {
    squeak(live, ordered(order, isStacked), isStacked ? persistent : 0);
    if (isDone())
      return;
  }
}

/// First fit in \p order, and a few times more with the blocks that end above
/// the goal ahead of the others; the first \p stacked ones stay.
void ArenaPlacer::squeak(const Rows &live, std::vector<uint32_t> order,
                         size_t stacked) {
  constexpr int rounds = 12;
  for (int round = 0; round < rounds && !isDone(); ++round) {
    std::vector<int64_t> offsets = firstFit(model, live, order);
    spend(64 * model.numLive());
    auto above = [&](uint32_t b) {
      return offsets[b] + model.blocks[b].bytes > goal;
    };
    std::stable_partition(order.begin() + stacked, order.end(), above);
    keep(std::move(offsets));
  }
}

void ArenaPlacer::search(const Rows &live) {
  int64_t grain = model.grainBytes();
  auto ask = [&](int64_t capacity, uint64_t share) {
    uint64_t allowed = std::min(work, share), rest = allowed;
    std::vector<int64_t> offsets;
    ArenaAnswer answer =
        searchArena({model, live, capacity, options.stop}, rest, offsets);
    spend(allowed - rest);
    if (answer == ArenaAnswer::Fits)
      keep(std::move(offsets));
    if (answer == ArenaAnswer::Never)
      lowerBound = std::max(lowerBound, capacity + grain);
    return answer;
  };
  // With a capacity there is nothing else to ask for.
  if (ask(goal, options.capacityBytes > 0 ? work : work / 2) ==
      ArenaAnswer::Fits)
    return;
  // Every layout that matters ends at a multiple of the grain.
  int64_t low = goal;
  while (work > 0 && bestTop - low > grain &&
         !(options.stop && options.stop->load())) {
    int64_t middle = low + (bestTop - low) / 2 / grain * grain;
    middle = std::max(middle, low + grain);
    if (ask(middle, work / 4) == ArenaAnswer::Fits)
      continue;
    low = middle;
  }
}

void ArenaPlacer::run() {
  // Beyond so many pairs of a block and a section, only what is nearly linear.
  constexpr uint64_t mostLive = 40'000'000;
  if (persistent > 0)
    fitSkylines(/*isStacked=*/true);
  if (!isDone())
    fitSkylines(/*isStacked=*/false);
  if (isDone() || model.numLive() > mostLive)
    return;
  Rows live = liveBlocks(model);
  if (persistent > 0)
    fitFirst(live, /*isStacked=*/true);
  if (!isDone())
    fitFirst(live, /*isStacked=*/false);
  if (!isDone())
    search(live);
}

ArenaLayout layOutArena(llvm::ArrayRef<ArenaBuffer> buffers,
                        const ArenaOptions &options) {
  ArenaLayout layout;
  layout.offsets.assign(buffers.size(), 0);
  std::vector<ArenaModel> models = modelArena(buffers);
  for (const ArenaModel &model : models)
    layout.liveBytes = std::max(layout.liveBytes, model.mostLiveBytes());
  layout.lowerBoundBytes = layout.liveBytes;
  // None needs to be lower than the one that needs the most.
  int64_t goal = std::max(options.capacityBytes, layout.liveBytes);
  uint64_t work = options.work;
  for (const ArenaModel &model : models) {
    uint64_t share = work;
    ArenaPlacer placer(model, options, goal, share);
    placer.run();
    work = std::max(share, options.work / 16);
    for (size_t b = 0; b < model.blocks.size(); ++b)
      layout.offsets[model.buffers[b]] = placer.best[b];
    layout.bytes = std::max(layout.bytes, placer.bestTop);
    layout.lowerBoundBytes =
        std::max(layout.lowerBoundBytes, placer.lowerBoundBytes());
  }
  return layout;
}

} // namespace reprise
