// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default strategy: what is sure first, what is quick next, and search
// with the effort that is left.
//
//   1. The baseline, if it fits: nothing is cheaper.
//   2. The interval dynamic programming; beside it sqrt, greedy and the bound.
//   3. What is proven to be next to optimal is left alone.
//   4. The exact method on small graphs; its optimum ends it.
//   5. Search from the best of them.

#include "reprise/planner/Incumbent.h"
#include "reprise/planner/LowerBound.h"
#include "reprise/planner/Optimal.h"
#include "reprise/planner/Parallel.h"
#include "reprise/planner/RemainingTime.h"
#include "reprise/planner/Search.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/TimedStop.h"

#include <algorithm>

namespace reprise {

/// Graphs up to this many nodes are tried with the exact method.
static constexpr size_t kExactNodes = 40;
/// About half a second.
static constexpr uint64_t kExactWork = 50'000'000;
/// Work of greedy beside other strategies, and where none of them fits.
static constexpr uint64_t kGreedyWork = 50'000'000;
static constexpr uint64_t kLongGreedyWork = 2'000'000'000;
/// A plan that is proven to be this close to the optimum is not searched on.
static constexpr double kGoodEnough = 1e-4;

static uint64_t workFor(const Problem &problem, const PlanOptions &options) {
  if (options.effort)
    return options.effort;
  uint64_t work = defaultWork(problem.graph);
  // A limit above the default is meant to be used.
  if (options.timeLimitSeconds > 0)
    work = std::max(work, uint64_t(options.timeLimitSeconds * 400e6));
  return work;
}

/// The plan to start from, and what greedy makes of it where it does not fit.
static void offerStart(const Problem &problem, const PlanOptions &options,
                       Incumbent &best) {
  if (options.start.empty() || best.offer(options.start) <= problem.budgetBytes)
    return;
  best.offer(greedyFrom(problem, options, options.start, kLongGreedyWork));
}

/// What takes about a second on any graph: the interval dynamic programming,
/// which has nothing until its table is full, and beside it sqrt, which has
/// something soon, greedy, and, where \p lowerBound is not null, the bound.
static void runQuickStrategies(const Problem &problem,
                               const PlanOptions &options, Incumbent &best,
                               double *lowerBound = nullptr) {
  RunSequence ofTable;
  Incumbent quick(problem);
  forEachInParallel(options.threads, 2, [&](unsigned i) {
    if (i == 0) {
      ofTable = chainDp(problem, options);
      return;
    }
    quick.offer(sqrtN(problem, options));
    if (quick.fits() && isStopped(options))
      return;
    quick.offer(greedyWithin(problem, options, kGreedyWork));
    if (lowerBound && quick.fits())
      *lowerBound = costLowerBound(problem, quick.cost(), options.stop);
  });
  best.offer(std::move(ofTable));
  best.offer(quick.take());
  if (!best.fits())
    best.offer(greedyWithin(problem, options, kLongGreedyWork));
}

RunSequence search(const Problem &problem, const PlanOptions &options) {
  Incumbent best(problem);
  best.offer(keepAll(problem, options));
  if (best.fits() || isTooLargeToPlan(problem.graph))
    return best.take();
  RemainingTime remaining(options);
  if (options.start.empty()) {
    runQuickStrategies(problem, options, best);
    best.offer(greedyWithin(problem, options,
                            best.fits() ? kGreedyWork : kLongGreedyWork));
  } else {
    offerStart(problem, options, best);
  }
  uint64_t work = workFor(problem, options);
  best.offer(improve(problem, best.get(), remaining.in(options), work));
  return best.take();
}

ProvenRuns automatic(const Problem &problem, const PlanOptions &options) {
  const Graph &graph = problem.graph;
  Incumbent best(problem);
  best.offer(keepAll(problem, options));
  if (best.fits() || isTooLargeToPlan(graph))
    return {best.take()};
  RemainingTime remaining(options);
  offerStart(problem, options, best);
  double lowerBound = 0;
  runQuickStrategies(problem, options, best, &lowerBound);
  if (best.fits() && isStopped(options))
    return {best.take(), lowerBound};
  if (lowerBound == 0 && best.fits())
    lowerBound = costLowerBound(problem, best.cost(), options.stop);
  if (graph.numNodes() <= kExactNodes) {
    OptimalLimits limits;
    limits.maxWork = kExactWork;
    limits.maxSeconds = remaining.in(options).timeLimitSeconds;
    limits.stop = options.stop;
    OptimalResult exact = solveOptimal(problem, limits, best.get());
    lowerBound = std::max(lowerBound, exact.lowerBound);
    if (exact.runs)
      best.offer(std::move(*exact.runs));
    if (exact.proven && graph.droppedAtTurn().empty())
      return {best.take(), lowerBound};
  }
  if (best.fits() &&
      (isStopped(options) || best.cost() <= lowerBound * (1 + kGoodEnough)))
    return {best.take(), lowerBound};
  uint64_t work = workFor(problem, options);
  best.offer(improve(problem, best.get(), remaining.in(options), work));
  return {best.take(), lowerBound};
}

} // namespace reprise
