// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First the relaxations: at every node of a small graph; on a path of a large
// one at evenly spread nodes, then around the best of them, halving the
// distance. Most moments are given up after one flow, as they cannot beat the
// best so far. Then branch and bound at the best moments: a little at many,
// much at those that gain most by it.

#include "reprise/planner/MomentScan.h"

#include "reprise/planner/Liveness.h"
#include "reprise/planner/MomentBound.h"
#include "reprise/planner/PathScan.h"

#include "llvm/ADT/STLExtras.h"

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
/// Nodes of either kind that are tried on a large graph before the path.
static constexpr size_t kLikely = 8;
static constexpr size_t kLikelyNodes = 1'000'000; ///< in all their graphs
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
  Branching(NodeId node, Moment m, double costUnit)
      : node(node), moment(std::move(m)), bound(moment, costUnit) {}

  NodeId node;
  Moment moment;
  MomentBound bound;
};

class MomentScan {
public:
  MomentScan(const Problem &problem, double target,
             const std::atomic<bool> *stop)
      : problem(problem), analysis(problem),
        costUnit(commonCostUnit(problem.costs)), target(target), stop(stop),
        scanWork(kScanWork + kScanWorkPerNode * problem.graph.numNodes()) {}

  BestMoment run(llvm::ArrayRef<NodeId> path);

private:
  double relaxAt(NodeId x, uint64_t &work);
  bool isStopped() const {
    return stop && stop->load(std::memory_order_relaxed);
  }
  std::vector<NodeId> likelyNodes() const;
  void branchAtBest();

  const Problem &problem;
  MomentAnalysis analysis;
  double costUnit;
  double target;
  const std::atomic<bool> *stop; ///< null: never
  uint64_t scanWork;
  BestMoment best;
  double bestPrice = 0;
  std::vector<Tried> tried;
};

} // namespace

double MomentScan::relaxAt(NodeId x, uint64_t &work) {
  if (isStopped()) {
    work += scanWork; // ends the scan
    return 0;
  }
  Moment moment = analysis.at(x);
  work += 8 * problem.graph.numNodes();
  if (moment.capacityBytes < 0) {
    best = {std::numeric_limits<double>::infinity(), x};
    return best.cost;
  }
  MomentBound bound(moment, costUnit);
  double value = bound.relax(best.cost, bestPrice);
  work += bound.work();
  tried.push_back({value, x, bound.price()});
  if (value > best.cost) {
    best = {value, x};
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
    if (b.bound.bound() > best.cost)
      best = {b.bound.bound(), b.node};
  };
  for (const Tried &t : tried) {
    if (used >= kBranchWork / 2 || best.cost >= target || isStopped())
      break;
    open.push_back(
        std::make_unique<Branching>(t.node, analysis.at(t.node), costUnit));
    open.back()->bound.relax(0, t.price);
    // Two relaxations a step: not where one takes too long.
    if (2 * kFirstSteps * open.back()->bound.work() > kBranchWork)
      return;
    branch(*open.back(), kFirstSteps);
  }
  while (used < kBranchWork && best.cost < target && !isStopped()) {
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

/// The nodes at which keep-all holds most, and those with the largest steps.
std::vector<NodeId> MomentScan::likelyNodes() const {
  const Graph &graph = problem.graph;
  std::vector<std::pair<int64_t, NodeId>> usage, steps;
  Plan plan = planFromRuns(graph, graph.order());
  llvm::Expected<Simulation> simulation = simulate(graph, problem.costs, plan);
  if (!simulation) {
    llvm::consumeError(simulation.takeError());
    return {};
  }
  for (size_t k = 0; k < plan.steps.size(); ++k)
    if (plan.steps[k].kind == Step::Compute)
      usage.push_back({-simulation->usageBytes[k], plan.steps[k].id});
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    steps.push_back({-stepBytes(graph, n), n});
  std::vector<NodeId> likely;
  for (auto *list : {&usage, &steps}) {
    size_t count =
        std::min({kLikely, kLikelyNodes / list->size() + 1, list->size()});
    std::partial_sort(list->begin(), list->begin() + count, list->end());
    for (auto [bytes, n] : llvm::makeArrayRef(*list).take_front(count))
      if (!llvm::is_contained(likely, n))
        likely.push_back(n);
  }
  return likely;
}

BestMoment MomentScan::run(llvm::ArrayRef<NodeId> path) {
  llvm::ArrayRef<NodeId> order = problem.graph.order();
  auto valueAt = [&](NodeId x, uint64_t &work) { return relaxAt(x, work); };
  if (order.size() > kAllNodes) {
    scanNodes(likelyNodes(), scanWork / 4, target, valueAt);
    scanNodes(path, scanWork, target, valueAt);
  } else {
    scanNodes(order, scanWork, target, valueAt);
  }
  if (best.cost < target)
    branchAtBest();
  return best;
}

BestMoment bestMoment(const Problem &problem, llvm::ArrayRef<NodeId> path,
                      double target, const std::atomic<bool> *stop) {
  if (!MomentBound::isSmallEnough(problem.graph))
    return {};
  return MomentScan(problem, target, stop).run(path);
}

} // namespace reprise
