// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A single moment counts all that is made again after it, but only for the
// memory of that moment. Windows that do not overlap add up:
//
//   |--------- 40 ---------|----- 7 -----|          sum 47
//   |------------------ 43 ---------------|         the moment by itself
//
// All pairs of points are relaxed, the best row of windows is found by dynamic
// programming, and its windows are branched on; what that gains may make
// another row the best one, until the best row has been branched on throughout
// or the effort is spent.

#include "reprise/planner/WindowBound.h"

#include "reprise/planner/MomentBound.h"

#include <algorithm>

namespace reprise {

/// Steps of branch and bound at each window.
static constexpr unsigned kSteps = 40;

/// The indices of the best row; windows are sorted by their last point.
static std::vector<size_t> bestRow(llvm::ArrayRef<Window> windows,
                                   size_t numPoints, double &cost) {
  std::vector<double> best(numPoints + 1, 0);
  std::vector<size_t> chosen(numPoints + 1, windows.size());
  size_t w = 0;
  for (size_t p = 1; p <= numPoints; ++p) {
    best[p] = best[p - 1];
    for (; w < windows.size() && windows[w].last == p; ++w) {
      double sum = best[windows[w].first] + windows[w].cost;
      if (sum <= best[p])
        continue;
      best[p] = sum;
      chosen[p] = w;
    }
  }
  cost = best[numPoints];
  std::vector<size_t> row;
  for (size_t p = numPoints; p > 0;) {
    if (chosen[p] == windows.size()) {
      --p;
      continue;
    }
    row.push_back(chosen[p]);
    p = windows[chosen[p]].first;
  }
  return row;
}

double costOfWindows(llvm::ArrayRef<Window> windows, size_t numPoints) {
  double cost = 0;
  bestRow(windows, numPoints, cost);
  return cost;
}

namespace {

class WindowSearch {
public:
  WindowSearch(const Problem &problem, llvm::ArrayRef<NodeId> points)
      : points(points), analysis(problem),
        costUnit(commonCostUnit(problem.costs)) {}

  std::vector<Window> run(uint64_t maxWork);

private:
  Moment momentOf(const Window &window) {
    return analysis.at(points[window.first], window.last < points.size()
                                                 ? points[window.last]
                                                 : kNone);
  }
  void relaxAll(uint64_t maxWork);
  bool branchOn(llvm::ArrayRef<size_t> row);

  llvm::ArrayRef<NodeId> points;
  MomentAnalysis analysis;
  double costUnit;
  std::vector<Window> windows;
  std::vector<double> prices;      ///< by window
  std::vector<uint8_t> isBranched; ///< by window
  uint64_t work = 0;
};

} // namespace

void WindowSearch::relaxAll(uint64_t maxWork) {
  for (uint32_t last = 1; last <= points.size(); ++last)
    for (uint32_t first = 0; first < last && work < maxWork; ++first) {
      Window window{first, last, 0};
      Moment moment = momentOf(window);
      MomentBound bound(moment, costUnit);
      window.cost = bound.relax(0, prices.empty() ? 0 : prices.back());
      work += bound.work();
      if (window.cost <= 0)
        continue;
      windows.push_back(window);
      prices.push_back(bound.price());
    }
}

/// False when all of \p row has been branched on before.
bool WindowSearch::branchOn(llvm::ArrayRef<size_t> row) {
  bool isNew = false;
  for (size_t w : row) {
    if (isBranched[w])
      continue;
    isBranched[w] = isNew = true;
    Moment moment = momentOf(windows[w]);
    MomentBound bound(moment, costUnit);
    bound.relax(0, prices[w]);
    bound.branch(kSteps, std::numeric_limits<double>::infinity());
    windows[w].cost = std::max(windows[w].cost, bound.bound());
    work += bound.work();
  }
  return isNew;
}

std::vector<Window> WindowSearch::run(uint64_t maxWork) {
  relaxAll(maxWork / 2);
  isBranched.assign(windows.size(), false);
  double cost = 0;
  while (work < maxWork && branchOn(bestRow(windows, points.size(), cost))) {
  }
  return std::move(windows);
}

std::vector<Window> costlyWindows(const Problem &problem,
                                  llvm::ArrayRef<NodeId> points,
                                  uint64_t maxWork) {
  if (!MomentBound::isSmallEnough(problem.graph))
    return {};
  return WindowSearch(problem, points).run(maxWork);
}

} // namespace reprise
