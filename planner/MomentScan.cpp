// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the relaxations: at every node of a small graph; on a path of a large
// one at evenly spread nodes, then around the best of them, halving the
// distance. Most moments are given up after one flow, as they cannot beat the
// best so far. Then branch and bound at the best moments: a little at many,
// much at those that gain most by it.

#include "reprise/planner/MomentScan.h"

#include "reprise/planner/MomentBound.h"

#include <algorithm>
#include <memory>

namespace reprise {

/// Effort, in arcs of networks looked at: some nanoseconds each.
static constexpr uint64_t kScanWork = 80'000'000;
/// More for each node, so that a large graph has some moments.
static constexpr uint64_t kScanWorkPerNode = 400;
static constexpr uint64_t kBranchWork = 60'000'000;
/// Graphs up to this many nodes have every node tried.
static constexpr size_t kAllNodes = 400;
/// Nodes of the path that are tried first.
static constexpr size_t kFirstMoments = 8;
/// Moments that are branched on at all, and steps at each at first.
static constexpr size_t kBranched = 24;
static constexpr unsigned kFirstSteps = 20;

namespace {

/// A moment that was tried.
struct Tried {
  double bound;
  NodeId node;
  double price;
};

/// A moment that is branched on.
struct Branching {
  Branching(Moment m, double costUnit)
      : moment(std::move(m)), bound(moment, costUnit) {}

  Moment moment;
  MomentBound bound;
};

class MomentScan {
public:
  MomentScan(const Problem &problem, double target)
      : problem(problem), analysis(problem),
        costUnit(commonCostUnit(problem.costs)), target(target),
        scanWork(kScanWork + kScanWorkPerNode * problem.graph.numNodes()) {}

  double run(llvm::ArrayRef<NodeId> path);

private:
  void relaxAt(NodeId x);
  bool isAffordable(size_t count) const;
  void scanPath(llvm::ArrayRef<NodeId> path);
  void branchAtBest();

  const Problem &problem;
  MomentAnalysis analysis;
  double costUnit;
  double target;
  uint64_t scanWork;
  double best = 0, bestPrice = 0;
  uint64_t work = 0;
  std::vector<Tried> tried;
};

} // namespace

void MomentScan::relaxAt(NodeId x) {
  Moment moment = analysis.at(x);
  work += 8 * problem.graph.numNodes();
  if (moment.capacityBytes < 0) {
    best = std::numeric_limits<double>::infinity();
    return;
  }
  MomentBound bound(moment, costUnit);
  double value = bound.relax(best, bestPrice);
  work += bound.work();
  tried.push_back({value, x, bound.price()});
  if (value <= best)
    return;
  best = value;
  bestPrice = bound.price();
}

/// Can \p count more moments be tried with the first half of the effort?
bool MomentScan::isAffordable(size_t count) const {
  return tried.empty() ||
         work + count * (work / tried.size()) < scanWork / 2;
}

/// Halves the distance between the moments from round to round while the
/// first half of the effort lasts; spends the rest on climbing from the best.
void MomentScan::scanPath(llvm::ArrayRef<NodeId> path) {
  std::vector<uint8_t> isTried(path.size(), 0);
  size_t at = 0;
  auto tryAt = [&](size_t i) {
    if (i >= path.size() || isTried[i] || best >= target)
      return;
    isTried[i] = 1;
    double before = best;
    relaxAt(path[i]);
    if (best > before)
      at = i;
  };
  size_t distance = std::max<size_t>(1, path.size() / kFirstMoments);
  for (; isAffordable(path.size() / distance); distance /= 2) {
    for (size_t i = distance / 2; i < path.size(); i += distance)
      tryAt(i);
    if (distance == 1)
      return;
  }
  while (distance > 0 && work < scanWork) {
    size_t center = at;
    tryAt(center + distance);
    tryAt(center - std::min(center, distance));
    if (at == center)
      distance /= 2;
  }
}

void MomentScan::branchAtBest() {
  // One step relaxes twice.
  if (tried.size() * kBranchWork < 2 * kFirstSteps * work)
    return;
  llvm::sort(tried, [](const Tried &a, const Tried &b) {
    return a.bound != b.bound ? a.bound > b.bound : a.node < b.node;
  });
  tried.resize(std::min(tried.size(), kBranched));
  std::vector<std::unique_ptr<Branching>> open;
  uint64_t used = 0;
  auto branch = [&](Branching &b, unsigned steps) {
    uint64_t before = b.bound.work();
    b.bound.branch(steps, target);
    used += b.bound.work() - before;
    best = std::max(best, b.bound.bound());
  };
  for (const Tried &t : tried) {
    if (used >= kBranchWork / 2 || best >= target)
      break;
    open.push_back(std::make_unique<Branching>(analysis.at(t.node), costUnit));
    open.back()->bound.relax(0, t.price);
    branch(*open.back(), kFirstSteps);
  }
  while (used < kBranchWork && best < target) {
    Branching *leader = nullptr;
    for (auto &b : open)
      if (!b->bound.isExact() &&
          (!leader || b->bound.bound() > leader->bound.bound()))
        leader = b.get();
    if (!leader)
      return;
    branch(*leader, kFirstSteps);
  }
}

double MomentScan::run(llvm::ArrayRef<NodeId> path) {
  llvm::ArrayRef<NodeId> order = problem.graph.order();
  if (order.size() > kAllNodes)
    scanPath(path);
  else
    for (NodeId x : order)
      relaxAt(x);
  if (best < target)
    branchAtBest();
  return best;
}

double bestMoment(const Problem &problem, llvm::ArrayRef<NodeId> path,
                  double target) {
  return MomentScan(problem, target).run(path);
}

} // namespace reprise
