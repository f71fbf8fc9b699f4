// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How cheap a plan within the budget can be at all. Every node runs once; the
// question is what the least *extra* cost is.
//
// One moment. When a node x first runs, all of its ancestors have run and none
// of its descendants. What the former made and the latter read is resident at
// that moment, or is made again later, with what that needs (Moment.h). Some
// has to go when not all fits:
//
//   a1 [4]  a2 [4]  a3 [4]  made by 10, 2 and 6 FLOPs, read after x; 6 bytes
//   are left by what x itself takes:   drop two of them:   extra >= 8
//
// This holds for every order, and for every x, so the largest counts
// (MomentScan.h).
//
// Many moments. Along a path x_0 .. x_{k-1} of the graph a making after x_i
// and before x_{i+1} is another one than those in other intervals, so that
// what is dropped and made again and again costs each time. The relaxation
// puts a price on the bytes at each moment (Lagrange; Held, Wolfe, Crowder
// 1974). At given prices every buffer goes its own way: hold and pay the rent,
// or drop and pay the making, a shortest path over the moments. Any prices
// give a lower bound; a subgradient ascent finds good ones, from the price of
// the best single moment's fractional knapsack (Dantzig 1957).
//
// The path is a longest one of the graph: the trunk of the network, forward
// and back.
//
// Linear in buffers x moments per iteration of the ascent; the number of
// moments shrinks with the size of the graph. Not used with many moments: that
// a making needs its inputs. Not used at all: what lies between two moments.

#include "reprise/planner/LowerBound.h"
#include "reprise/planner/BoundChain.h"
#include "reprise/planner/MomentScan.h"
#include "reprise/planner/PathScan.h"
#include "reprise/planner/TimedStop.h"
#include "reprise/planner/WindowBound.h"

#include <algorithm>

namespace reprise {

/// Buffers times moments that one iteration of the ascent may take.
static constexpr size_t kPathWork = 200'000;
static constexpr unsigned kIterations = 120;
/// Effort for windows, in arcs of networks looked at.
static constexpr uint64_t kWindowWork = 60'000'000;

namespace {

/// A bound of the extra cost and the prices that prove it.
struct Ascent {
  double cost = 0;
  std::vector<double> prices; ///< by moment
};

} // namespace

/// Subgradient steps with Polyak's step length towards a target that is a
/// little above the best so far; the steps shrink when nothing improves.
static void ascend(const BoundChain &chain, Ascent &best,
                   const std::atomic<bool> *stop) {
  std::vector<double> prices = best.prices, over;
  double length = 1;
  unsigned stale = 0;
  for (unsigned i = 0; i < kIterations && length > 1e-3; ++i) {
    if (isSet(stop))
      return;
    double cost = relaxedCost(chain, prices, over);
    if (cost > best.cost) {
      stale = cost > best.cost * 1.001 ? 0 : stale + 1;
      best = {cost, prices};
    } else {
      ++stale;
    }
    if (stale >= 6) {
      length /= 2;
      stale = 0;
      prices = best.prices;
      relaxedCost(chain, prices, over);
    }
    double norm = 0;
    for (size_t m = 0; m < over.size(); ++m)
      if (prices[m] > 0 || over[m] > 0)
        norm += over[m] * over[m];
    if (norm <= 0)
      return;
    double step = length * (best.cost * 1.2 - std::min(cost, best.cost)) / norm;
    for (size_t m = 0; m < over.size(); ++m)
      prices[m] = std::max(0.0, prices[m] + step * over[m]);
  }
}

/// The bound of all moments of \p points together.
static double bestOfChain(const Problem &problem, std::vector<NodeId> points,
                          const std::atomic<bool> *stop) {
  BoundChain chain = analyseChain(problem, std::move(points));
  Ascent best;
  best.prices.assign(chain.points.size(), 0);
  for (uint32_t m = 0; m < chain.points.size(); ++m) {
    if (chain.capacityBytes[m] < 0)
      return 0; // infeasible: any bound is right
    double price = 0;
    double cost = knapsackAt(chain, m, price);
    if (cost <= best.cost)
      continue;
    best.cost = cost;
    best.prices.assign(chain.points.size(), 0);
    best.prices[m] = price;
  }
  if (best.cost > 0)
    ascend(chain, best, stop);
  return best.cost;
}

double costLowerBound(const Problem &problem, double target,
                      const std::atomic<bool> *stop) {
  const Graph &graph = problem.graph;
  llvm::ArrayRef<NodeId> order = graph.order();
  double once = costOfRuns(problem.costs, order);
  if (order.empty() || problem.budgetBytes < graph.constantBytes() ||
      peakOfRuns(graph, order) <= problem.budgetBytes)
    return once;
  std::vector<NodeId> path = longestPath(graph);
  size_t length = std::clamp<size_t>(kPathWork / order.size(), 6, 128);
  double extra =
      bestOfChain(problem, sampleNodes(graph, path, length), stop) * (1 - 1e-9);
  BestMoment moment = bestMoment(problem, path, target - once, stop);
  extra = std::max(extra, moment.cost);
  if (moment.cost > 0 && once + extra < target && !isSet(stop))
    extra = std::max(extra,
                     costlyRow(problem, longestPathThrough(graph, moment.node),
                               moment.node, kWindowWork)
                         .cost);
  // Sums of whole costs are exact; others must not profit from rounding.
  double exact = commonCostUnit(problem.costs) > 0 ? 1 : 1 - 1e-12;
  return std::max(once, (once + extra) * exact);
}

} // namespace reprise
