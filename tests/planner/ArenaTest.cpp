// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Arena.h"
#include "reprise/planner/ArenaFit.h"
#include "reprise/planner/ArenaSearch.h"
#include "reprise/planner/Random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace reprise;

static std::vector<ArenaBuffer> randomBuffers(uint64_t seed, size_t count,
                                              uint64_t times, uint64_t bytes) {
  Random random(seed);
  std::vector<ArenaBuffer> buffers(count);
  for (ArenaBuffer &buffer : buffers) {
    buffer.lower = static_cast<int64_t>(random.below(times)) - 3;
    buffer.upper = buffer.lower + static_cast<int64_t>(random.below(times));
    buffer.bytes = static_cast<int64_t>(random.below(bytes));
  }
  return buffers;
}

/// The quadratic way.
static bool overlap(llvm::ArrayRef<ArenaBuffer> buffers,
                    const ArenaLayout &layout) {
  for (size_t a = 0; a < buffers.size(); ++a) {
    const ArenaBuffer &x = buffers[a];
    if (layout.offsets[a] < 0 ||
        (x.isLive() && layout.offsets[a] + x.bytes > layout.bytes))
      return true;
    for (size_t b = 0; b < a; ++b) {
      const ArenaBuffer &y = buffers[b];
      if (x.isLive() && y.isLive() && x.lower < y.upper && y.lower < x.upper &&
          layout.offsets[a] < layout.offsets[b] + y.bytes &&
          layout.offsets[b] < layout.offsets[a] + x.bytes)
        return true;
    }
  }
  return false;
}

static int64_t liveBytes(llvm::ArrayRef<ArenaBuffer> buffers) {
  int64_t most = 0;
  for (const ArenaBuffer &x : buffers) {
    int64_t sum = 0;
    for (const ArenaBuffer &y : buffers)
      if (y.isLive() && y.lower <= x.lower && x.lower < y.upper)
        sum += y.bytes;
    most = std::max(most, sum);
  }
  return most;
}

/// The smallest layout there is: the best of first fit in every order.
static int64_t smallestBytes(llvm::ArrayRef<ArenaBuffer> buffers) {
  int64_t smallest = 0;
  for (const ArenaModel &model : modelArena(buffers)) {
    Rows live = liveBlocks(model);
    std::vector<uint32_t> order(model.blocks.size());
    std::iota(order.begin(), order.end(), 0);
    int64_t best = INT64_MAX;
    do
      best = std::min(best, topOf(model, firstFit(model, live, order)));
    while (std::next_permutation(order.begin(), order.end()));
    smallest = std::max(smallest, best);
  }
  return smallest;
}

TEST_CASE("no two buffers that live together overlap, by any way of placing") {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<ArenaBuffer> buffers =
        randomBuffers(seed, 2 + seed * 2, 3 + seed % 37, 1 + seed % 50);
    ArenaLayout layout = layOutArena(buffers, {.work = 3'000'000});
    CHECK_FALSE(overlap(buffers, layout));
    CHECK(layout.liveBytes == liveBytes(buffers));
    CHECK(layout.lowerBoundBytes >= layout.liveBytes);
    CHECK(layout.bytes >= layout.lowerBoundBytes);
    for (const ArenaModel &model : modelArena(buffers)) {
      std::vector<uint32_t> order(model.blocks.size());
      std::iota(order.rbegin(), order.rend(), 0);
      for (auto offsets : {skylineFit(model, order),
                           firstFit(model, liveBlocks(model), order)}) {
        ArenaLayout part{std::move(offsets), 0, 0, 0};
        part.bytes = topOf(model, part.offsets);
        std::vector<ArenaBuffer> blocks;
        for (uint32_t b : model.buffers)
          blocks.push_back(buffers[b]);
        CHECK_FALSE(overlap(blocks, part));
      }
    }
  }
}

TEST_CASE("the layouts of few buffers are as small as can be, and proven") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<ArenaBuffer> buffers = randomBuffers(seed, 7, 9, 12);
    ArenaLayout layout = layOutArena(buffers);
    CHECK(layout.bytes == smallestBytes(buffers));
    CHECK(layout.lowerBoundBytes == layout.bytes);
  }
}

/// What searching \p buffers, which are one model, for \p capacity finds.
static ArenaAnswer ask(llvm::ArrayRef<ArenaBuffer> buffers, int64_t capacity) {
  std::vector<ArenaModel> models = modelArena(buffers);
  REQUIRE(models.size() == 1);
  Rows live = liveBlocks(models[0]);
  std::vector<int64_t> offsets;
  uint64_t work = 10'000'000;
  ArenaAnswer answer = searchArena({models[0], live, capacity}, work, offsets);
  CHECK(work > 0);
  if (answer == ArenaAnswer::Fits)
    CHECK(topOf(models[0], offsets) <= capacity);
  return answer;
}

TEST_CASE("a search proves that more may be needed than is live") {
  // Never more than 7 are live, but no layout is smaller than 8.
  std::vector<ArenaBuffer> buffers = {{6, 10, 4}, {2, 3, 3}, {4, 5, 2},
                                      {0, 1, 4},  {0, 2, 2}, {0, 4, 1},
                                      {2, 6, 3},  {3, 7, 2}};
  CHECK(liveBytes(buffers) == 7);
  CHECK(smallestBytes(buffers) == 8);
  CHECK(ask(buffers, 7) == ArenaAnswer::Never);
  CHECK(ask(buffers, 8) == ArenaAnswer::Fits);
  ArenaLayout layout = layOutArena(buffers);
  CHECK(layout.bytes == 8);
  CHECK(layout.lowerBoundBytes == 8);
  CHECK_FALSE(overlap(buffers, layout));
  // The same in units of 64 bytes, backwards in time.
  for (ArenaBuffer &buffer : buffers)
    buffer = {-buffer.upper, -buffer.lower, 64 * buffer.bytes};
  CHECK(ask(buffers, 511) == ArenaAnswer::Never);
  CHECK(layOutArena(buffers).lowerBoundBytes == 512);
}

TEST_CASE("layouts that no order of beginnings finds") {
  // 320 bytes: C (192) below, A (128) on top of B's place, which is first free
  // at 192. In order of allocation B lands at 128 and C on top of it.
  std::vector<ArenaBuffer> buffers = {
      {0, 2, 128}, {1, 4, 64}, {2, 4, 192}, {3, 5, 64}};
  ArenaLayout layout = layOutArena(buffers);
  CHECK(layout.bytes == 320);
  CHECK(layout.liveBytes == 320);
  CHECK_FALSE(overlap(buffers, layout));
}

TEST_CASE("a capacity is enough, what is never live takes nothing") {
  std::vector<ArenaBuffer> buffers = {{0, 9, 10}, {3, 3, 100}, {4, 5, 0}};
  ArenaLayout layout = layOutArena(buffers, {.capacityBytes = 50});
  CHECK(layout.bytes == 10);
  CHECK(layOutArena({}).bytes == 0);
  // Times at both ends of their range.
  buffers = {{INT64_MIN, INT64_MAX, 1}, {INT64_MIN, 0, 2}, {0, INT64_MAX, 3}};
  CHECK(layOutArena(buffers).bytes == 4);
}

TEST_CASE("a hundred thousand buffers are placed, the same each time") {
  std::vector<ArenaBuffer> nested;
  for (int64_t i = 0; i < 50'000; ++i) {
    nested.push_back({i, 200'000 - i, 64 * (1 + i % 7)});
    nested.push_back({100'000 + i, 100'002 + i, 64 * (1 + i % 5)});
  }
  ArenaLayout layout = layOutArena(nested, {.work = 100'000'000});
  CHECK(layout.bytes == layout.liveBytes);
  std::vector<ArenaBuffer> random = randomBuffers(5, 100'000, 1000, 1000);
  ArenaOptions options{.work = 100'000'000};
  ArenaLayout first = layOutArena(random, options);
  CHECK(first.bytes <= first.liveBytes + first.liveBytes / 10);
  CHECK(first.offsets == layOutArena(random, options).offsets);
}
