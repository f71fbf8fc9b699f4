// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Segments between cuts (Chen, Xu, Zhang, Guestrin 2016, section 4), on any
// training graph. The forward pass keeps only the crossing sets of k - 1 cuts.
// The last segment stays as it is; every other one is run again right before
// its own backward part. Nine equal steps in three segments:
//
//   a1 a2 a3 | a4 a5 a6 | a7 a8 a9 | b9 b8 b7 | a4 a5 b6 b5 b4 | a1 a2 b3 ..
//   kept:  a3         a6
//
// While segment m is processed, the crossing sets of the cuts up to its right
// end are held, so an early segment has more room than a late one. For a
// target of T bytes the segments are therefore grown from the left, each to
// the most that T leaves it; for each k the least T that gives k segments is
// found by bisection. Each boundary then goes to the cheapest cut in the last
// part of what its segment may reach (three choices of how large a part). Under
// a budget the last cut is also moved left as far as the budget allows: what
// the last segment takes over is not run again.
//
// The byte counts that guide this are estimates from prefix sums; every
// candidate is replayed. All k are tried on graphs of a few thousand nodes, a
// geometric selection of them on larger ones. O(nodes + edges) for each k.

#include "reprise/planner/Emitter.h"
#include "reprise/planner/Incumbent.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/TimedStop.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace reprise {

namespace {

/// Grows segments within a target of bytes, constants not included.
class Segmenter {
public:
  Segmenter(const Graph &graph, const Cuts &cuts)
      : graph(graph), cuts(cuts), n(cuts.numForward()), localUsage(n, 0) {
    // Per forward index: what its own step or its backward part takes beyond
    // what is kept.
    for (uint32_t i = 0; i < n; ++i) {
      NodeId node = cuts.forward[i];
      localUsage[i] =
          graph.workspaceBytes(node) +
          std::max<int64_t>(0, graph.ownedBytes(node) - cuts.keptBytes[i]);
      for (uint32_t p = cuts.side[i + 1]; p < cuts.side[i]; ++p)
        localUsage[i] = std::max(localUsage[i], cuts.backwardUsage[p]);
    }
  }

  /// Right ends of the segments but the last, for a target of \p bytes. Each
  /// goes to the cheapest cut in the last \p percent of its segment's reach.
  std::vector<uint32_t> split(int64_t bytes, uint32_t percent) const {
    std::vector<uint32_t> boundaries;
    int64_t held = 0;
    uint32_t from = 0;
    while (from < n) {
      uint32_t reach = farthest(from, bytes - held);
      if (reach == n)
        break;
      uint32_t to = cheapestCut(from, reach, percent);
      held += newBytes(from, to);
      boundaries.push_back(to);
      from = to;
    }
    return boundaries;
  }

  /// The least target, at most \p high, that \p k segments are enough for.
  int64_t leastTarget(uint32_t k, int64_t high, uint32_t percent) const {
    int64_t low = 0;
    // Exact in small graphs, to a millionth of the peak in all.
    for (int step = 0; step < 20 && low < high; ++step) {
      int64_t middle = low + (high - low) / 2;
      if (split(middle, percent).size() < k)
        high = middle;
      else
        low = middle + 1;
    }
    return high;
  }

  /// Moves the last boundary left while the last segment fits into \p bytes.
  void extendTail(std::vector<uint32_t> &boundaries, int64_t bytes) const {
    if (boundaries.empty())
      return;
    uint32_t floor = 0;
    int64_t held = 0;
    for (size_t i = 0; i + 1 < boundaries.size(); ++i) {
      held += newBytes(floor, boundaries[i]);
      floor = boundaries[i];
    }
    int64_t kept = 0, local = 0;
    uint32_t from = n, best = boundaries.back();
    while (from > floor + 1) {
      --from;
      kept += cuts.keptBytes[from];
      local = std::max(local, localUsage[from]);
      if (held + kept + local > bytes)
        break;
      // The crossing set was not part of the sums so far.
      if (from < best &&
          held + kept + local + cuts.crossingBytes[from] <= bytes)
        best = from;
    }
    boundaries.back() = best;
  }

private:
  /// The largest end of a segment from \p from that fits into \p bytes.
  uint32_t farthest(uint32_t from, int64_t bytes) const {
    int64_t kept = 0, local = 0;
    uint32_t to = from;
    while (to < n) {
      kept += cuts.keptBytes[to];
      local = std::max(local, localUsage[to]);
      if (kept + local > bytes && to > from)
        return to;
      ++to;
    }
    return n;
  }

  uint32_t cheapestCut(uint32_t from, uint32_t reach, uint32_t percent) const {
    uint32_t best = reach;
    uint64_t span = uint64_t(reach - from) * (100 - percent) / 100;
    for (uint32_t to = reach; to > from + span; --to)
      if (cuts.crossingBytes[to] < cuts.crossingBytes[best])
        best = to;
    return best;
  }

  /// Bytes made by [from, to) that cross the cut \p to.
  int64_t newBytes(uint32_t from, uint32_t to) const {
    int64_t bytes = 0;
    for (uint32_t i = from; i < to; ++i)
      for (TensorId t : graph.outputs(cuts.forward[i]))
        if (t != kNone && graph.storageUse(t) == StorageUse::Own &&
            cuts.crosses(graph.storage(t), to))
          bytes += graph.storageBytes(graph.storage(t));
    return bytes;
  }

  const Graph &graph;
  const Cuts &cuts;
  uint32_t n;
  std::vector<int64_t> localUsage;
};

} // namespace

static RunSequence runsOfSegments(const Graph &graph, const Cuts &cuts,
                                  llvm::ArrayRef<uint32_t> boundaries) {
  uint32_t n = cuts.numForward();
  Emitter emitter(graph, cuts);
  emitter.runForward(0, n);
  if (!boundaries.empty())
    emitter.forgetInterior(0, boundaries.back(), boundaries);
  emitter.runBackward(0, cuts.numBackward());
  return emitter.finish();
}

/// The numbers of segments to try: all up to a limit that keeps the total work
/// near forty million steps, then ever sparser ones.
static std::vector<uint32_t> segmentCounts(uint32_t n, size_t nodes) {
  size_t dense = std::clamp<size_t>(1'000'000 / (nodes + 1), 2, 2000);
  std::vector<uint32_t> counts;
  double factor = dense > 100 ? 1.1 : dense > 30 ? 1.3 : 2.0;
  for (uint32_t k = 2; k <= n;) {
    counts.push_back(k);
    k = k < dense ? k + 1 : std::max<uint32_t>(k + 1, k * factor);
  }
  return counts;
}

RunSequence sqrtN(const Problem &problem, const PlanOptions &options) {
  const Graph &graph = problem.graph;
  bool anyPeak = problem.budgetBytes == kNoBudget;
  Problem target = problem;
  if (anyPeak)
    target.budgetBytes = -1; // nothing fits: the smallest peak wins
  Incumbent best(target);
  RunSequence inOrder = keepAll(problem, options);
  int64_t baseline = best.offer(inOrder);
  if (!graph.isTraining() || best.fits())
    return best.take();

  Cuts cuts = Cuts::of(graph);
  Segmenter segmenter(graph, cuts);
  std::vector<std::vector<uint32_t>> tried;
  auto offer = [&](const std::vector<uint32_t> &boundaries) {
    if (llvm::is_contained(tried, boundaries))
      return;
    best.offer(runsOfSegments(graph, cuts, boundaries));
    tried.push_back(boundaries);
  };
  int64_t most = std::max<int64_t>(baseline - graph.constantBytes(), 0);
  int64_t room = problem.budgetBytes - graph.constantBytes();
  std::vector<uint32_t> counts =
      segmentCounts(cuts.numForward(), graph.numNodes());
  for (uint32_t percent : {35, 0, 70}) {
    int64_t high = most;
    for (uint32_t k : counts) {
      if (best.fits() && isStopped(options))
        return best.take();
      high = segmenter.leastTarget(k, high, percent);
      std::vector<uint32_t> boundaries = segmenter.split(high, percent);
      if (boundaries.size() + 1 < k / 2)
        break; // more segments than the cuts allow
      tried.clear();
      offer(boundaries);
      for (int sixteenth = 12; !anyPeak && sixteenth <= 18; ++sixteenth) {
        std::vector<uint32_t> longer = boundaries;
        segmenter.extendTail(longer, room / 16 * sixteenth +
                                         room % 16 * sixteenth / 16);
        offer(longer);
      }
    }
  }
  return best.take();
}

} // namespace reprise
