// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DpTable.h"

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

  bool fill(uint64_t pointLimit) {
    for (size_t id = 0; id < table.size(); ++id) {
      auto [a, b] = states.states[id];
      collect(a, b, /*holds=*/false);
      prune(table[id]);
      after[id] = table[id];
      if (model.pair(a, b).heldGain > 0) {
        collect(a, b, /*holds=*/true);
        prune(held[id]);
        made = table[id];
        for (const Point &point : held[id])
          add(point.bytes + model.pair(a, b).heldBytes, point.cost);
        after[id].clear();
        prune(after[id]);
      }
      if (points > pointLimit)
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
        return;
      at = next;
    }
  }

  void collect(uint32_t a, uint32_t b, bool holds) {
    made.clear();
    const DpPair &pair = model.pair(a, b);
    bool fresh = model.isFresh(b);
    if (holds)
      add(model.leafNeedHolding(a, b), pair.leafCost - pair.heldGain);
    else
      add(pair.leafNeed, fresh ? 0 : pair.leafCost);
    int64_t gradients = model.gradients(b);
    for (const DpSave &save : model.saves(a)) {
      if (save.to > b)
        break;
      int64_t least = std::max(save.forwardNeed + gradients,
                               save.backwardNeed + model.growth(save.to, b));
      double extra = save.set.extraCost + (fresh ? 0 : save.restoreCost);
      if (save.to == b)
        add(least, extra);
      else
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
    points += made.size();
  }
  /// Leaves the falling part of `made` in \p stairs.
  void prune(Staircase &stairs) {
    llvm::sort(made, [](const Point &x, const Point &y) {
      return std::make_pair(x.bytes, x.cost) < std::make_pair(y.bytes, y.cost);
    });
    for (const Point &point : made)
      if (stairs.empty() || point.cost < stairs.back().cost)
        stairs.push_back(point);
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
  Staircase made;
  const Staircase nothing{{std::numeric_limits<int32_t>::min(), 0}};
  uint64_t points = 0;
};

/// A staircase in slots: values [low, low + length), constant from then on.
struct Slots {
  size_t offset = 0;
  int32_t low = 0, length = 0; ///< length 0: never fits
  int32_t high() const { return low + length - 1; }
};

class GridTable final : public DpTable {
public:
  GridTable(const DpModel &model, const DpStates &states, int64_t mostBytes,
            int64_t unitBytes)
      : model(model), states(states), unit(unitBytes),
        cap(std::max<int64_t>(0, mostBytes / unitBytes)),
        table(states.states.size()), held(states.states.size()),
        after(states.states.size()), best(cap + 1) {
    for (size_t id = 0; id < table.size(); ++id) {
      auto [a, b] = states.states[id];
      table[id] = after[id] = fill(a, b, /*holds=*/false);
      if (model.pair(a, b).heldGain <= 0)
        continue;
      held[id] = fill(a, b, /*holds=*/true);
      after[id] = merge(table[id], held[id], up(model.pair(a, b).heldBytes));
    }
  }

  double cost(uint32_t a, uint32_t b, int64_t bytes,
              bool holds) const override {
    const Slots &s = slots(a, b, holds);
    int64_t slot = down(bytes);
    if (s.length == 0 || slot < s.low)
      return kInfinite;
    return values[s.offset + std::min<int64_t>(slot - s.low, s.length - 1)];
  }

private:
  int64_t down(int64_t bytes) const {
    return bytes >= 0 ? bytes / unit : -((-bytes + unit - 1) / unit);
  }
  int64_t up(int64_t bytes) const { return -down(-bytes); }

  Slots fill(uint32_t a, uint32_t b, bool holds) {
    const DpPair &pair = model.pair(a, b);
    bool fresh = model.isFresh(b);
    int64_t leaf = std::max<int64_t>(
        0, up(holds ? model.leafNeedHolding(a, b) : pair.leafNeed));
    reset(leaf); // beyond a leaf there is nothing to gain
    addConstant(leaf, fresh ? 0 : pair.leafCost - (holds ? pair.heldGain : 0));
    int64_t gradients = model.gradients(b);
    for (const DpSave &save : model.saves(a)) {
      if (save.to > b)
        break;
      int64_t least =
          up(std::max(save.forwardNeed + gradients,
                      save.backwardNeed + model.growth(save.to, b)));
      float extra = save.set.extraCost + (fresh ? 0 : save.restoreCost);
      if (save.to == b)
        addConstant(least, extra);
      else
        addOne(slots(save.to, b, holds), up(save.heldBytes), least, extra);
    }
    for (uint32_t k = a + 1; k < b; ++k) {
      const DpPair &left = model.pair(a, k);
      int64_t regained =
          holds ? model.regainedHolding(a, k, b) : model.regained(a, k, b);
      addTwo(slots(k, b, holds), up(left.newBytes),
             after[states.idOf[model.pairIndex(a, k)]], -down(regained),
             up(left.forwardNeed + gradients), fresh ? 0 : left.passCost);
    }
    return store();
  }

  /// The better of a state that forgets and one that holds.
  Slots merge(const Slots &goes, const Slots &stays, int64_t shift) {
    reset(std::max<int64_t>(goes.high(), stays.high() + shift));
    addOne(goes, 0, 0, 0);
    addOne(stays, shift, 0, 0);
    return store();
  }

  /// Starts a staircase of slots 0 .. \p high, or fewer.
  void reset(int64_t high) {
    top = std::clamp<int64_t>(high, 0, cap);
    std::fill(best.begin(), best.begin() + top + 1,
              std::numeric_limits<float>::infinity());
  }

  /// Appends the finite part of `best` up to where it stops falling.
  Slots store() {
    Slots s;
    int64_t low = 0, high = top;
    while (low <= top && best[low] == std::numeric_limits<float>::infinity())
      ++low;
    if (low > top)
      return s;
    while (high > low && best[high - 1] == best[high])
      --high;
    s.offset = values.size();
    s.low = low;
    s.length = high - low + 1;
    values.insert(values.end(), best.begin() + low, best.begin() + high + 1);
    return s;
  }

  /// First slot in [from, top + 1] whose value is at most \p bound; nothing
  /// from there on can be improved by options of that cost or more.
  int64_t improvableEnd(int64_t from, float bound) const {
    return std::partition_point(best.begin() + from, best.begin() + top + 1,
                                [&](float v) { return v > bound; }) -
           best.begin();
  }

  void addConstant(int64_t least, float extra) {
    for (int64_t m = std::max<int64_t>(least, 0); m <= top && best[m] > extra;
         ++m)
      best[m] = extra;
  }

  void addOne(const Slots &x, int64_t shift, int64_t least, float extra) {
    if (x.length == 0)
      return;
    int64_t from = std::max<int64_t>({least, x.low + shift, 0});
    if (from > top)
      return;
    const float *xs = values.data() + x.offset - (x.low + shift);
    float last = values[x.offset + x.length - 1] + extra;
    int64_t end = improvableEnd(from, last);
    int64_t ramp = std::clamp<int64_t>(x.high() + shift + 1, from, end);
    for (int64_t m = from; m < ramp; ++m)
      best[m] = std::min(best[m], xs[m] + extra);
    for (int64_t m = ramp; m < end; ++m)
      best[m] = std::min(best[m], last);
  }

  void addTwo(const Slots &x, int64_t shiftX, const Slots &y, int64_t shiftY,
              int64_t least, float extra) {
    if (x.length == 0 || y.length == 0)
      return;
    int64_t from =
        std::max<int64_t>({least, x.low + shiftX, y.low + shiftY, 0});
    if (from > top)
      return;
    float lastX = values[x.offset + x.length - 1];
    float lastY = values[y.offset + y.length - 1];
    int64_t end = improvableEnd(from, lastX + lastY + extra);
    const float *xs = values.data() + x.offset - (x.low + shiftX);
    const float *ys = values.data() + y.offset - (y.low + shiftY);
    int64_t endX = std::clamp<int64_t>(x.high() + shiftX + 1, from, end);
    int64_t endY = std::clamp<int64_t>(y.high() + shiftY + 1, from, end);
    int64_t both = std::min(endX, endY);
    float *out = best.data();
    for (int64_t m = from; m < both; ++m)
      out[m] = std::min(out[m], xs[m] + ys[m] + extra);
    for (int64_t m = both; m < endX; ++m)
      out[m] = std::min(out[m], xs[m] + (lastY + extra));
    for (int64_t m = both; m < endY; ++m)
      out[m] = std::min(out[m], ys[m] + (lastX + extra));
    for (int64_t m = std::max(endX, endY); m < end; ++m)
      out[m] = std::min(out[m], lastX + lastY + extra);
  }

  const Slots &slots(uint32_t a, uint32_t b, bool holds) const {
    uint32_t id = states.idOf[model.pairIndex(a, b)];
    return holds && model.pair(a, b).heldGain > 0 ? held[id] : table[id];
  }

  const DpModel &model;
  const DpStates &states;
  int64_t unit, cap, top = 0;
  std::vector<Slots> table, held, after; ///< as in ExactTable
  std::vector<float> values, best;
};

} // namespace

std::unique_ptr<DpTable> makeExactTable(const DpModel &model,
                                        const DpStates &states,
                                        int64_t mostBytes,
                                        uint64_t pointLimit) {
  auto table = std::make_unique<ExactTable>(model, states, mostBytes);
  if (!table->fill(pointLimit))
    return nullptr;
  return table;
}

std::unique_ptr<DpTable> makeGridTable(const DpModel &model,
                                       const DpStates &states,
                                       int64_t mostBytes, int64_t unitBytes) {
  return std::make_unique<GridTable>(model, states, mostBytes, unitBytes);
}

} // namespace reprise
