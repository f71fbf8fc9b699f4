// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DpTable.h"
#include "reprise/planner/TimedStop.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>

namespace reprise {

static constexpr double kInfinite = std::numeric_limits<double>::infinity();

namespace {

/// A breakpoint: from `bytes` on the cost is `cost`, up to the next one.
struct Point {
  int64_t bytes;
  double cost;
};
using Staircase = std::vector<Point>;

double costAt(const Staircase &stairs, int64_t bytes) {
  auto it = std::upper_bound(
      stairs.begin(), stairs.end(), bytes,
      [](int64_t b, const Point &point) { return b < point.bytes; });
  return it == stairs.begin() ? kInfinite : std::prev(it)->cost;
}

class ExactTable final : public DpTable {
public:
  ExactTable(const DpModel &model, const DpStates &states, int64_t mostBytes)
      : model(model), states(states), mostBytes(mostBytes),
        table(states.states.size()), held(states.states.size()),
        after(states.states.size()) {}

  bool fill(uint64_t pointLimit, const std::atomic<bool> *stop) {
    for (size_t id = 0; id < table.size(); ++id) {
      auto [a, b] = states.states[id];
      collect(a, b, /*holds=*/false);
      table[id] = best;
      after[id] = table[id];
      if (model.pair(a, b).heldGain > 0) {
        collect(a, b, /*holds=*/true);
        held[id] = best;
        best = table[id];
        for (const Point &point : held[id])
          add(point.bytes + model.pair(a, b).heldBytes, point.cost);
        merge();
        after[id] = best;
      }
      if (points > pointLimit || isSet(stop))
        return false;
    }
    return true;
  }

  double cost(uint32_t a, uint32_t b, int64_t bytes,
              bool holds) const override {
    return costAt(stairs(a, b, holds), bytes);
  }

private:
  void add(int64_t bytes, double cost) {
    if (bytes <= mostBytes)
      made.push_back({bytes, cost});
  }
  /// The sum of two staircases, the second shifted, from \p least on.
  void addSum(const Staircase &x, int64_t shiftX, const Staircase &y,
              int64_t shiftY, int64_t least, double extra) {
    if (x.empty() || y.empty())
      return;
    size_t i = 0, j = 0;
    int64_t at = std::max({least, x[0].bytes + shiftX, y[0].bytes + shiftY});
    while (true) {
      while (i + 1 < x.size() && x[i + 1].bytes + shiftX <= at)
        ++i;
      while (j + 1 < y.size() && y[j + 1].bytes + shiftY <= at)
        ++j;
      add(at, extra + x[i].cost + y[j].cost);
      int64_t next = std::numeric_limits<int64_t>::max();
      if (i + 1 < x.size())
        next = std::min(next, x[i + 1].bytes + shiftX);
      if (j + 1 < y.size())
        next = std::min(next, y[j + 1].bytes + shiftY);
      if (next > mostBytes)
        break;
      at = next;
    }
    merge();
  }

  void collect(uint32_t a, uint32_t b, bool holds) {
    best.clear();
    const DpPair &pair = model.pair(a, b);
    bool fresh = model.isFresh(b);
    if (holds)
      add(model.leafNeedHolding(a, b), pair.leafCost - pair.heldGain);
    else
      add(pair.leafNeed, fresh ? 0 : pair.leafCost);
    merge();
    int64_t gradients = model.gradients(b);
    for (const DpSave &save : model.saves(a)) {
      if (save.to > b)
        break;
      int64_t least = std::max(save.forwardNeed + gradients,
                               save.backwardNeed + model.growth(save.to, b));
      double extra = save.set.extraCost + (fresh ? 0 : save.restoreCost);
      if (save.to == b) {
        add(least, extra);
        merge();
        continue;
      }
      addSum(stairs(save.to, b, holds), save.heldBytes, nothing, 0, least,
             extra);
    }
    for (uint32_t k = a + 1; k < b; ++k) {
      const DpPair &left = model.pair(a, k);
      int64_t regained =
          holds ? model.regainedHolding(a, k, b) : model.regained(a, k, b);
      addSum(stairs(k, b, holds), left.newBytes,
             after[states.idOf[model.pairIndex(a, k)]], -regained,
             left.forwardNeed + gradients, fresh ? 0 : left.passCost);
    }
  }
  /// Lowers `best` to what was added, whose bytes rise.
  void merge() {
    points += made.size();
    // Most often nothing of it is cheaper.
    size_t i = 0;
    llvm::erase_if(made, [&](const Point &point) {
      while (i < best.size() && best[i].bytes <= point.bytes)
        ++i;
      return i > 0 && best[i - 1].cost <= point.cost;
    });
    if (made.empty())
      return;
    merged.clear();
    std::merge(best.begin(), best.end(), made.begin(), made.end(),
               std::back_inserter(merged), [](const Point &x, const Point &y) {
                 return std::make_pair(x.bytes, x.cost) <
                        std::make_pair(y.bytes, y.cost);
               });
    best.clear();
    for (const Point &point : merged)
      if (best.empty() || point.cost < best.back().cost)
        best.push_back(point);
    made.clear();
  }
  const Staircase &stairs(uint32_t a, uint32_t b, bool holds) const {
    uint32_t id = states.idOf[model.pairIndex(a, b)];
    return holds && model.pair(a, b).heldGain > 0 ? held[id] : table[id];
  }

  const DpModel &model;
  const DpStates &states;
  int64_t mostBytes;
  /// By state id; `held` empty where holding gains nothing, `after` the better
  /// of both after a checkpoint.
  std::vector<Staircase> table, held, after;
  Staircase best, made, merged; ///< the present one, additions, scratch
  const Staircase nothing{{std::numeric_limits<int32_t>::min(), 0}};
  uint64_t points = 0;
};

} // namespace

std::unique_ptr<DpTable> makeExactTable(const DpModel &model,
                                        const DpStates &states,
                                        int64_t mostBytes, uint64_t pointLimit,
                                        const std::atomic<bool> *stop) {
  auto table = std::make_unique<ExactTable>(model, states, mostBytes);
  if (!table->fill(pointLimit, stop))
    return nullptr;
  return table;
}

} // namespace reprise
