// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the relaxations: at every node of a small graph; on a path of a large
// one at evenly spread nodes, then around the best of them, halving the
// distance. Most moments are given up after one flow, as they cannot beat the
// best so far. Then branch and bound at the best moments: a little at many,
// much at those that gain most by it.

#include "reprise/planner/MomentScan.h"

#include "reprise/planner/MomentBound.h"
#include "reprise/planner/PathScan.h"

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
  double relaxAt(NodeId x, uint64_t &work);
  void branchAtBest();

  const Problem &problem;
  MomentAnalysis analysis;
  double costUnit;
  double target;
  uint64_t scanWork;
  double best = 0, bestPrice = 0;
  std::vector<Tried> tried;
};

} // namespace

double MomentScan::relaxAt(NodeId x, uint64_t &work) {
  Moment moment = analysis.at(x);
  work += 8 * problem.graph.numNodes();
  if (moment.capacityBytes < 0) {
    best = std::numeric_limits<double>::infinity();
    return best;
  }
  MomentBound bound(moment, costUnit);
  double value = bound.relax(best, bestPrice);
  work += bound.work();
  tried.push_back({value, x, bound.price()});
  if (value > best) {
    best = value;
    bestPrice = bound.price();
  }
  return value;
}

void MomentScan::branchAtBest() {
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
  uint64_t work = 0;
  auto valueAt = [&](NodeId x, uint64_t &used) {
    double value = relaxAt(x, used);
    work = used;
    return value;
  };
  scanNodes(order.size() > kAllNodes ? path : order, scanWork, target, valueAt);
  // Two relaxations a step: not where one takes too long.
  if (best < target && tried.size() * kBranchWork > 2 * kFirstSteps * work)
    branchAtBest();
  return best;
}

double bestMoment(const Problem &problem, llvm::ArrayRef<NodeId> path,
                  double target) {
  if (!MomentBound::isSmallEnough(problem.graph))
    return 0;
  return MomentScan(problem, target).run(path);
}

} // namespace reprise
