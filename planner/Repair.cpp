// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Repair.h"

#include <algorithm>
#include <cmath>

namespace reprise {

namespace {

/// What one relief with one way of treating inputs comes to.
struct Trial {
  size_t relief = SIZE_MAX;
  double holdPrice = 0;
  double ratio = 0; ///< cost per byte-run of overflow removed
  double gain = 0;  ///< overflow removed
};

class Repairer {
public:
  Repairer(RunList &list, Moves &moves, const RepairOptions &options,
           Random &random)
      : list(list), moves(moves), options(options), random(random) {}

  bool run();

private:
  bool relieve(RunId at);
  bool isCurrent(const Relief &relief, RunId at) const;
  void attempt(size_t index, RunId at, double holdPrice, Trial &best);
  bool exhausted() const {
    return applied >= options.maxReliefs || list.cost() > options.costLimit ||
           list.work() > options.workLimit ||
           (options.stop && options.stop->load(std::memory_order_relaxed));
  }

  RunList &list;
  Moves &moves;
  const RepairOptions &options;
  Random &random;
  std::vector<Relief> reliefs;
  double overflow = 0;
  size_t applied = 0;
};

} // namespace

/// Is the gap still one after what was applied since it was listed?
bool Repairer::isCurrent(const Relief &relief, RunId at) const {
  const Gap &gap = relief.gap;
  if (!list.isPresent(gap.from) || !list.before(gap.from, at) ||
      (gap.to != kNone && !list.isPresent(gap.to)) ||
      !list.before(at, gap.to) ||
      (relief.remake != kNone && !list.isPresent(relief.remake)))
    return false;
  llvm::ArrayRef<RunId> accesses = list.accesses(gap.storage);
  auto it = llvm::find(accesses, gap.from);
  if (it == accesses.end())
    return false;
  return (it + 1 == accesses.end() ? kNone : *(it + 1)) == gap.to;
}

void Repairer::attempt(size_t index, RunId at, double holdPrice,
                       Trial &best) {
  size_t mark = list.mark();
  double cost = list.cost();
  if (moves.apply(reliefs[index], at, holdPrice)) {
    double gain = overflow - list.overflow();
    if (gain > 0) {
      double ratio = (list.cost() - cost) / gain;
      // Free reliefs compete by what they free.
      bool better = best.relief == SIZE_MAX || ratio < best.ratio ||
                    (ratio == best.ratio && gain > best.gain);
      if (better)
        best = {index, holdPrice, ratio, gain};
    }
  }
  list.rollback(mark);
}

/// Lowers the usage at \p at to the budget as far as reliefs go. True when
/// anything was applied.
bool Repairer::relieve(RunId at) {
  double excess = double(list.usageBytes(at) - list.budgetBytes());
  moves.reliefs(at, options.listed, int64_t(excess * options.minShare),
                reliefs);
  if (options.noise > 0) {
    for (Relief &r : reliefs)
      r.price *= 1 + options.noise * random.unit();
    std::stable_sort(
        reliefs.begin(), reliefs.end(),
        [](const Relief &a, const Relief &b) { return a.price < b.price; });
  }
  bool any = false;
  constexpr double kNeverHold = 1e300;
  size_t next = 0;
  std::vector<size_t> window;
  while (!exhausted() && list.isPresent(at) &&
         list.usageBytes(at) > list.budgetBytes()) {
    while (window.size() < options.lookahead && next < reliefs.size())
      window.push_back(next++);
    if (window.empty())
      break;
    Trial best;
    for (size_t index : window) {
      if (!isCurrent(reliefs[index], at))
        continue;
      attempt(index, at, kNeverHold, best);
      if (reliefs[index].kind == Relief::Drop)
        attempt(index, at, std::max(reliefs[index].price, 0.0), best);
    }
    if (best.relief == SIZE_MAX) {
      window.clear();
      continue;
    }
    moves.apply(reliefs[best.relief], at, best.holdPrice);
    overflow = list.overflow();
    window.erase(llvm::find(window, best.relief));
    any = true;
    ++applied;
  }
  return any;
}

bool Repairer::run() {
  overflow = list.overflow();
  while (overflow > 0) {
    if (exhausted())
      return false;
    RunId at = list.peakRun();
    if (relieve(at))
      continue;
    // Nothing helps at the very peak; the runs around it may still give way
    // and free something at the peak as well.
    bool any = false;
    for (RunId r : {list.previous(at), list.next(at)})
      if (r != kNone && list.usageBytes(r) > list.budgetBytes() && !any)
        any = relieve(r);
    if (!any)
      return false;
  }
  return list.isExecutable();
}

bool repair(RunList &list, Moves &moves,
            const RepairOptions &options, Random &random) {
  return Repairer(list, moves, options, random).run();
}

} // namespace reprise
