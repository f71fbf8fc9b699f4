// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/ArenaModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

namespace reprise {

int64_t ArenaModel::mostLiveBytes() const {
  return *std::max_element(liveBytes.begin(), liveBytes.end());
}

uint64_t ArenaModel::numLive() const {
  uint64_t sum = 0;
  for (const ArenaBlock &block : blocks)
    sum += block.end - block.first;
  return sum;
}

int64_t ArenaModel::grainBytes() const {
  int64_t grain = 0;
  for (const ArenaBlock &block : blocks)
    grain = std::gcd(grain, block.bytes);
  return grain;
}

/// The model of the buffers \p byLower, which are sorted by where they begin.
static ArenaModel modelOf(llvm::ArrayRef<ArenaBuffer> buffers,
                          llvm::ArrayRef<uint32_t> byLower) {
  auto n = static_cast<uint32_t>(byLower.size());
  ArenaModel model;
  model.blocks.resize(n);
  model.buffers = byLower.vec();
  std::vector<uint32_t> byUpper(n);
  std::iota(byUpper.begin(), byUpper.end(), 0);
  llvm::stable_sort(byUpper, [&](uint32_t a, uint32_t b) {
    return buffers[byLower[a]].upper < buffers[byLower[b]].upper;
  });
  // A section for every run of beginnings that no end interrupts.
  uint32_t begun = 0, sections = 0;
  for (uint32_t ended : byUpper) {
    int64_t upper = buffers[byLower[ended]].upper;
    uint32_t before = begun;
    for (; begun < n && buffers[byLower[begun]].lower < upper; ++begun)
      model.blocks[begun].first = sections;
    if (begun > before) {
      model.firstAt.push_back(before);
      ++sections;
    }
    model.blocks[ended].end = sections;
  }
  model.firstAt.push_back(n);
  model.liveBytes.assign(sections + 1, 0);
  for (uint32_t i = 0; i < n; ++i) {
    const ArenaBuffer &buffer = buffers[byLower[i]];
    ArenaBlock &block = model.blocks[i];
    block.bytes = buffer.bytes;
    block.time =
        static_cast<double>(buffer.upper) - static_cast<double>(buffer.lower);
    block.persists = buffer.persists && block.end == sections;
    model.liveBytes[block.first] += block.bytes;
    model.liveBytes[block.end] -= block.bytes;
  }
  std::partial_sum(model.liveBytes.begin(), model.liveBytes.end(),
                   model.liveBytes.begin());
  model.liveBytes.pop_back();
  return model;
}

std::vector<ArenaModel> modelArena(llvm::ArrayRef<ArenaBuffer> buffers) {
  std::vector<uint32_t> byLower;
  for (uint32_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].isLive())
      byLower.push_back(b);
  llvm::stable_sort(byLower, [&](uint32_t a, uint32_t b) {
    return buffers[a].lower < buffers[b].lower;
  });
  std::vector<ArenaModel> models;
  for (size_t from = 0, to = 0; from < byLower.size(); from = to) {
    int64_t end = buffers[byLower[from]].upper;
    for (to = from; to < byLower.size() && buffers[byLower[to]].lower < end;
         ++to)
      end = std::max(end, buffers[byLower[to]].upper);
    models.push_back(
        modelOf(buffers, llvm::makeArrayRef(byLower).slice(from, to - from)));
  }
  return models;
}

Rows liveBlocks(const ArenaModel &model) {
  Rows rows;
  std::vector<uint32_t> live;
  for (uint32_t m = 0; m < model.numSections(); ++m) {
    llvm::erase_if(live, [&](uint32_t b) { return model.blocks[b].end <= m; });
    for (uint32_t b = model.firstAt[m]; b < model.firstAt[m + 1]; ++b)
      live.push_back(b);
    rows.push(live);
  }
  return rows;
}

namespace {

/// The largest of any run of values: at once, or for many long runs by a table
/// of the runs whose lengths are powers of two.
class RunMaximum {
public:
  RunMaximum(llvm::ArrayRef<int64_t> values, bool asTable)
      : rows{values.vec()} {
    for (size_t length = 1; asTable && 2 * length <= values.size();
         length *= 2) {
      const std::vector<int64_t> &half = rows.back();
      std::vector<int64_t> row(values.size() - 2 * length + 1);
      for (size_t i = 0; i < row.size(); ++i)
        row[i] = std::max(half[i], half[i + length]);
      rows.push_back(std::move(row));
    }
  }

  int64_t of(uint32_t first, uint32_t end) const {
    size_t level = rows.size() == 1 ? 0 : llvm::Log2_32(end - first);
    if (level == 0)
      return *std::max_element(rows[0].begin() + first, rows[0].begin() + end);
    return std::max(rows[level][first], rows[level][end - (1u << level)]);
  }

private:
  std::vector<std::vector<int64_t>> rows; ///< by logarithm of the length
};

} // namespace

static double keyOf(const ArenaBlock &block, ArenaKey key,
                    const RunMaximum &liveBytes) {
  switch (key) {
  case ArenaKey::Contention:
    return static_cast<double>(liveBytes.of(block.first, block.end));
  case ArenaKey::Area:
    return static_cast<double>(block.bytes) * block.time;
  case ArenaKey::Time:
    return block.time;
  case ArenaKey::Sections:
    return block.end - block.first;
  case ArenaKey::Bytes:
    return static_cast<double>(block.bytes);
  }
  return 0;
}

void sortBlocks(const ArenaModel &model, const ArenaOrder &order,
                llvm::ArrayRef<int64_t> liveBytes,
                std::vector<uint32_t> &blocks) {
  uint64_t lookedAt = 0;
  for (uint32_t b : blocks)
    lookedAt += model.blocks[b].end - model.blocks[b].first;
  RunMaximum maximum(liveBytes, lookedAt / 32 > liveBytes.size());
  std::vector<std::pair<std::array<double, 3>, uint32_t>> keyed;
  keyed.reserve(blocks.size());
  for (uint32_t b : blocks) {
    std::array<double, 3> keys;
    for (size_t i = 0; i < order.size(); ++i)
      keys[i] = keyOf(model.blocks[b], order[i], maximum);
    keyed.push_back({keys, b});
  }
  llvm::stable_sort(
      keyed, [](const auto &a, const auto &b) { return a.first > b.first; });
  for (size_t i = 0; i < blocks.size(); ++i)
    blocks[i] = keyed[i].second;
}

} // namespace reprise
