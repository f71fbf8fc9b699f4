// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DpTable.h"
#include "reprise/planner/MinPlus.h"
#include "reprise/planner/TimedStop.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace reprise {

namespace {

/// A staircase in slots: values [low, low + length), constant from then on.
struct Slots {
  const float *values = nullptr;
  int32_t low = 0, length = 0; ///< length 0: never fits
  float last = 0;              ///< its least value
  int32_t high() const { return low + length - 1; }
};

/// Costs nothing, in any memory.
constexpr float kZero = 0;
constexpr Slots kNothing{&kZero, std::numeric_limits<int32_t>::min() / 2,
                         /*length=*/1, /*last=*/0};

/// The sum of two staircases, from a slot on; each has values up to its end
/// and its last one from there on.
struct Sum {
  const float *xs, *ys; ///< indexed by slots
  int64_t from, endX, endY;
  float lastX, lastY, extra, sum; ///< `sum` of the last ones and `extra`
};

/// What a checkpoint at k takes from the state (a, k), in a row for each a.
struct Left {
  int64_t newBytes, freedBytes, forwardNeed;
  float passCost;
  uint32_t id;
};

/// Floats that are allocated at once; a staircase is a fraction of them.
static constexpr int64_t kPoolPart = 1 << 18;

/// Room for values that never move.
class ValuePool {
public:
  /// Copies \p count values, at most kPoolPart of them.
  const float *add(const float *values, int64_t count) {
    if (count > left) {
      parts.push_back(std::make_unique_for_overwrite<float[]>(kPoolPart));
      left = kPoolPart;
    }
    float *place = parts.back().get() + (kPoolPart - left);
    left -= count;
    return std::copy_n(values, count, place) - count;
  }

private:
  std::vector<std::unique_ptr<float[]>> parts;
  int64_t left = 0;
};

class GridTable final : public DpTable {
public:
  GridTable(const DpModel &model, const DpStates &states, int64_t mostBytes,
            int64_t unitBytes)
      : model(model), states(states), unit(unitBytes), perByte(1.0 / unitBytes),
        cap(std::max<int64_t>(0, mostBytes / unitBytes)),
        table(states.states.size()), held(states.states.size()),
        after(states.states.size()), best(cap + 1) {
    for (uint32_t a = 0; a < model.last(); ++a)
      for (uint32_t k = a + 1; k <= model.last(); ++k) {
        const DpPair &p = model.pair(a, k);
        lefts.push_back({p.newBytes, p.freedBytes, p.forwardNeed,
                         float(p.passCost),
                         states.idOf[model.pairIndex(a, k)]});
      }
  }

  /// False when \p stop is set before the end.
  bool fill(const std::atomic<bool> *stop) {
    for (size_t id = 0; id < table.size(); ++id) {
      if (isSet(stop))
        return false;
      auto [a, b] = states.states[id];
      table[id] = after[id] = fill(a, b, /*holds=*/false);
      if (model.pair(a, b).heldGain <= 0)
        continue;
      held[id] = fill(a, b, /*holds=*/true);
      after[id] = merge(table[id], held[id], up(model.pair(a, b).heldBytes));
    }
    return true;
  }

  double cost(uint32_t a, uint32_t b, int64_t bytes,
              bool holds) const override {
    const Slots &s = slots(a, b, holds);
    int64_t slot = down(bytes);
    if (s.length == 0 || slot < s.low)
      return std::numeric_limits<double>::infinity();
    return s.values[std::min<int64_t>(slot - s.low, s.length - 1)];
  }

private:
  /// Whole slots in \p bytes, towards minus infinity; no slow division.
  int64_t down(int64_t bytes) const {
    int64_t slots = int64_t(double(bytes) * perByte);
    int64_t rest = bytes - slots * unit;
    return slots - (rest < 0) + (rest >= unit);
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
        add(slots(save.to, b, holds), up(save.heldBytes), kNothing, 0, least,
            extra);
    }
    const Left *left = &lefts[rowOf(a)];
    for (uint32_t k = a + 1; k < b; ++k, ++left) {
      int64_t regained = left->freedBytes - model.growth(k, b) +
                         (holds ? model.pair(k, b).heldBytes : 0);
      add(slots(k, b, holds), up(left->newBytes), after[left->id],
          -down(regained), up(left->forwardNeed + gradients),
          fresh ? 0 : left->passCost);
    }
    apply();
    return store();
  }

  /// The better of a state that forgets and one that holds. Most often one of
  /// them is it everywhere.
  Slots merge(const Slots &goes, Slots stays, int64_t shift) {
    stays.low += shift;
    reset(std::max<int64_t>(goes.high(), stays.high()));
    add(goes, 0, kNothing, 0, 0, 0);
    add(stays, 0, kNothing, 0, 0, 0);
    apply();
    if (goes.length > 0 && equals(goes))
      return goes;
    if (stays.length > 0 && equals(stays))
      return stays;
    return store();
  }

  /// Is `best` this staircase, as far as it goes?
  bool equals(const Slots &x) const {
    int64_t end = std::min<int64_t>(x.high(), top) + 1;
    return x.low >= 0 &&
           std::equal(best.begin() + std::min<int64_t>(x.low, end),
                      best.begin() + end, x.values) &&
           best[top] >= x.last &&
           (x.low == 0 || x.low > top ||
            best[x.low - 1] == std::numeric_limits<float>::infinity());
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
    s.low = low;
    s.length = high - low + 1;
    s.last = best[high];
    s.values = pool.add(best.data() + low, s.length);
    return s;
  }

  /// First slot in [from, top + 1] whose value is at most \p bound; nothing
  /// from there on can be improved by options of that cost or more.
  int64_t improvableEnd(int64_t from, float bound) const {
    if (best[from] <= bound)
      return from;
    if (best[top] > bound)
      return top + 1;
    const float *at = best.data() + from; // *at is above the bound
    for (int64_t length = top - from; length > 1;) {
      int64_t half = length / 2;
      at = at[half] > bound ? at + half : at;
      length -= half;
    }
    return at - best.data() + 1;
  }

  void addConstant(int64_t least, float extra) {
    for (int64_t m = std::max<int64_t>(least, 0); m <= top && best[m] > extra;
         ++m)
      best[m] = extra;
  }

  /// Notes the sum of two staircases, each shifted, from \p least on.
  void add(const Slots &x, int64_t shiftX, const Slots &y, int64_t shiftY,
           int64_t least, float extra) {
    if (x.length == 0 || y.length == 0)
      return;
    int64_t from =
        std::max<int64_t>({least, x.low + shiftX, y.low + shiftY, 0});
    float sum = x.last + y.last + extra;
    if (from > top || best[from] <= sum)
      return;
    sums.push_back({x.values - (x.low + shiftX), y.values - (y.low + shiftY),
                    from, x.high() + shiftX + 1, y.high() + shiftY + 1, x.last,
                    y.last, extra, sum});
  }

  /// Lowers `best` to all sums. The staircases lie far apart in memory, so
  /// that most of the time goes by until the first of their values arrive;
  /// they are asked for some sums ahead.
  void apply() {
    constexpr size_t kAhead = 8;
    for (size_t i = 0; i < sums.size() + kAhead; ++i) {
      if (i < sums.size()) {
        const Sum &ahead = sums[i];
        if (ahead.from < ahead.endX)
          __builtin_prefetch(ahead.xs + ahead.from);
        if (ahead.from < ahead.endY)
          __builtin_prefetch(ahead.ys + ahead.from);
      }
      if (i >= kAhead)
        apply(sums[i - kAhead]);
    }
    sums.clear();
  }

  void apply(const Sum &s) {
    int64_t end = improvableEnd(s.from, s.sum);
    if (s.from == end)
      return;
    int64_t endX = std::clamp(s.endX, s.from, end);
    int64_t endY = std::clamp(s.endY, s.from, end);
    int64_t both = std::min(endX, endY);
    float *out = best.data();
    if (s.from < both)
      lowerBySum(out + s.from, s.xs + s.from, s.ys + s.from, s.extra,
                 both - s.from);
    if (both < endX)
      lowerBySum(out + both, s.xs + both, s.lastY + s.extra, endX - both);
    if (both < endY)
      lowerBySum(out + both, s.ys + both, s.lastX + s.extra, endY - both);
    int64_t flat = std::max(endX, endY);
    if (flat < end)
      lowerTo(out + flat, s.sum, end - flat);
  }

  const Slots &slots(uint32_t a, uint32_t b, bool holds) const {
    uint32_t id = states.idOf[model.pairIndex(a, b)];
    return holds && model.pair(a, b).heldGain > 0 ? held[id] : table[id];
  }

  /// Index of the Left of (\p a, a + 1).
  size_t rowOf(uint32_t a) const {
    return size_t(a) * model.last() - size_t(a) * (a - 1) / 2;
  }

  const DpModel &model;
  const DpStates &states;
  int64_t unit;
  double perByte;
  int64_t cap, top = 0;
  std::vector<Left> lefts;
  std::vector<Slots> table, held, after; ///< as in ExactTable
  ValuePool pool;
  std::vector<float> best;
  std::vector<Sum> sums; ///< to be applied to `best`
};

} // namespace

std::unique_ptr<DpTable> makeGridTable(const DpModel &model,
                                       const DpStates &states,
                                       int64_t mostBytes, int64_t unitBytes,
                                       const std::atomic<bool> *stop) {
  auto table = std::make_unique<GridTable>(model, states, mostBytes, unitBytes);
  if (!table->fill(stop))
    return nullptr;
  return table;
}

} // namespace reprise
