// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A single moment counts all that is made again after it, but only for the
// memory of that moment. Windows that do not overlap add up:
//
//   |--------- 40 ---------|----- 7 -----|          sum 47
//   |------------------ 43 ---------------|         the moment by itself
//
// A row begins as the better one of two: the window from the best single moment
// to the end, and the best row among all pairs of some sampled nodes, by dynamic
// programming. Then it climbs: a start moves along the path, a window is split
// in two, another window is put before the first, as long as the sum grows and
// the effort lasts. Each window's cost is that of a moment (MomentBound.h), by
// relaxation and a few steps of branch and bound.

#include "reprise/planner/WindowBound.h"

#include "reprise/planner/MomentBound.h"
#include "reprise/planner/PathScan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace reprise {

/// Steps of branch and bound at a window that is tried, and at one of the row.
static constexpr unsigned kTrySteps = 6;
static constexpr unsigned kRowSteps = 60;
/// Nodes of which all pairs are tried, at most.
static constexpr size_t kMostPairs = 32;
/// Places at which a window is split.
static constexpr uint32_t kSplits = 6;

static constexpr double kNoTarget = std::numeric_limits<double>::infinity();

namespace {

/// Costs of windows between nodes, each an ancestor of the next one.
class WindowCosts {
public:
  WindowCosts(const Problem &problem, llvm::ArrayRef<NodeId> points,
              uint64_t maxWork)
      : points(points), analysis(problem), maxWork(maxWork),
        costUnit(commonCostUnit(problem.costs)),
        numNodes(problem.graph.numNodes()) {}

  double cost(uint32_t first, uint32_t last, unsigned steps);
  bool isOver() const { return used >= maxWork; }

private:
  struct Known {
    double cost = 0, price = 0;
    int steps = -1; ///< of branch and bound
  };

  llvm::ArrayRef<NodeId> points;
  MomentAnalysis analysis;
  uint64_t maxWork;
  double costUnit, lastPrice = 0;
  size_t numNodes;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, Known> known;
  uint64_t used = 0;
};

} // namespace

double WindowCosts::cost(uint32_t first, uint32_t last, unsigned steps) {
  if (first >= last)
    return 0;
  Known &window = known[{first, last}];
  if (window.steps >= int(steps))
    return window.cost;
  Moment moment = analysis.at(points[first],
                              last < points.size() ? points[last] : kNone);
  MomentBound bound(moment, costUnit);
  double price = window.steps < 0 ? lastPrice : window.price;
  window.cost = std::max(window.cost, bound.relax(0, price));
  window.price = bound.price();
  if (window.cost > 0) {
    lastPrice = window.price;
    // A step takes two relaxations; no window takes more than a share.
    uint64_t left = maxWork - std::min(maxWork, used);
    uint64_t affordable = left / 4 / (2 * bound.work() + 1);
    bound.branch(std::min<uint64_t>(steps, affordable), kNoTarget);
    window.cost = std::max(window.cost, bound.bound());
  }
  window.steps = steps;
  used += bound.work() + 8 * numNodes;
  return window.cost;
}

std::vector<Window> costlyWindows(const Problem &problem,
                                  llvm::ArrayRef<NodeId> points,
                                  uint64_t maxWork) {
  std::vector<Window> windows;
  if (!MomentBound::isSmallEnough(problem.graph))
    return windows;
  WindowCosts costs(problem, points, maxWork);
  for (uint32_t last = 1; last <= points.size(); ++last)
    for (uint32_t first = 0; first < last && !costs.isOver(); ++first)
      if (double cost = costs.cost(first, last, kTrySteps); cost > 0)
        windows.push_back({first, last, cost});
  return windows;
}

namespace {

class RowSearch {
public:
  RowSearch(const Problem &problem, llvm::ArrayRef<NodeId> path,
            uint64_t maxWork)
      : problem(problem), path(path), costs(problem, path, maxWork),
        maxWork(maxWork) {}

  WindowRow run(NodeId likely);

private:
  using Row = std::vector<uint32_t>; ///< starts, by position in the path

  bool isOver() const { return costs.isOver(); }
  uint32_t endOf(const Row &row, size_t i) const {
    return i + 1 < row.size() ? row[i + 1] : uint32_t(path.size());
  }
  double costOf(const Row &row, unsigned steps);
  Row bestOfSample(NodeId likely);
  bool offer(Row row);
  bool moveStarts(uint32_t distance);
  bool addStarts();

  const Problem &problem;
  llvm::ArrayRef<NodeId> path;
  WindowCosts costs;
  uint64_t maxWork;
  Row best;
  double bestCost = 0;
};

} // namespace

double RowSearch::costOf(const Row &row, unsigned steps) {
  double sum = 0;
  for (size_t i = 0; i < row.size(); ++i)
    sum += costs.cost(row[i], endOf(row, i), steps);
  return sum;
}

bool RowSearch::offer(Row row) {
  double cost = costOf(row, kTrySteps);
  if (cost <= bestCost * (1 + 1e-9))
    return false;
  best = std::move(row);
  bestCost = cost;
  return true;
}

/// By dynamic programming from the end: the best row of the windows between
/// some nodes, relaxed.
RowSearch::Row RowSearch::bestOfSample(NodeId likely) {
  size_t count = kMostPairs;
  while (count > 1 && count * count * problem.graph.numNodes() > maxWork / 8)
    count /= 2;
  Row points;
  size_t at = 0;
  for (NodeId n : sampleNodes(problem.graph, path, count, likely)) {
    while (path[at] != n)
      ++at;
    points.push_back(at);
  }
  points.push_back(path.size());
  std::vector<double> sums(points.size(), 0);
  std::vector<size_t> next(points.size(), points.size() - 1);
  size_t first = points.size() - 1;
  for (size_t i = points.size() - 1; i-- > 0;) {
    for (size_t k = i + 1; k < points.size() && !isOver(); ++k) {
      double sum = costs.cost(points[i], points[k], 0) + sums[k];
      if (sum <= sums[i])
        continue;
      sums[i] = sum;
      next[i] = k;
    }
    if (sums[i] >= sums[first])
      first = i;
    else if (sums[i + 1] > sums[i]) {
      // To begin later is as good: the row may leave a stretch out.
      sums[i] = sums[i + 1];
      next[i] = next[i + 1];
    }
  }
  Row row;
  for (size_t i = first; i + 1 < points.size(); i = next[i])
    row.push_back(points[i]);
  return row;
}

bool RowSearch::moveStarts(uint32_t distance) {
  bool isBetter = false;
  for (size_t i = 0; i < best.size(); ++i)
    for (int step : {-int(distance), int(distance)}) {
      int64_t place = int64_t(best[i]) + step;
      int64_t low = i > 0 ? best[i - 1] + 1 : 0;
      if (isOver() || place < low || place >= endOf(best, i))
        continue;
      Row row = best;
      row[i] = place;
      isBetter |= offer(std::move(row));
    }
  return isBetter;
}

bool RowSearch::addStarts() {
  bool isBetter = false;
  for (size_t i = 0; i <= best.size(); ++i) {
    uint32_t begin = i > 0 ? best[i - 1] : 0;
    uint32_t end = i < best.size() ? best[i] : path.size();
    for (uint32_t k = 1; k <= kSplits && !isOver(); ++k) {
      uint32_t place = begin + uint64_t(end - begin) * k / (kSplits + 1);
      if (place == begin || llvm::is_contained(best, place))
        continue;
      Row row = best;
      row.insert(row.begin() + i, place);
      if (!offer(std::move(row)))
        continue;
      isBetter = true;
      break;
    }
  }
  return isBetter;
}

WindowRow RowSearch::run(NodeId likely) {
  offer({uint32_t(llvm::find(path, likely) - path.begin())});
  offer(bestOfSample(likely));
  uint32_t farthest = std::max<size_t>(1, path.size() / 16);
  for (bool isBetter = true; isBetter && !isOver();) {
    isBetter = false;
    for (uint32_t distance = farthest; distance > 0; distance /= 2)
      while (moveStarts(distance))
        isBetter = true;
    isBetter |= addStarts();
  }
  WindowRow row;
  for (uint32_t start : best)
    row.starts.push_back(path[start]);
  row.cost = costOf(best, kRowSteps);
  return row;
}

WindowRow costlyRow(const Problem &problem, llvm::ArrayRef<NodeId> path,
                    NodeId likely, uint64_t maxWork) {
  if (!MomentBound::isSmallEnough(problem.graph))
    return {};
  return RowSearch(problem, path, maxWork).run(likely);
}

} // namespace reprise
