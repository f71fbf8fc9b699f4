// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default strategy: what is sure first, what is quick next, and search
// with the effort that is left.
//
//   1. The baseline, if it fits: nothing is cheaper.
//   2. The exact method on small graphs; its optimum ends it.
//   3. Greedy, sqrt and the interval dynamic programming.
//   4. Search from the best of them.

#include "reprise/planner/Liveness.h"
#include "reprise/planner/Optimal.h"
#include "reprise/planner/Search.h"
#include "reprise/planner/Strategies.h"

#include <algorithm>
#include <chrono>

namespace reprise {

/// Graphs up to this many nodes are tried with the exact method first.
static constexpr size_t kExactNodes = 40;
static constexpr uint64_t kExactStates = 400'000;

namespace {

/// The best sequence so far: the cheapest that fits, else the least peak.
class Best {
public:
  explicit Best(const Problem &problem) : problem(problem) {}

  void offer(RunSequence candidate) {
    int64_t peak = peakOfRuns(problem.graph, candidate);
    double cost = costOfRuns(problem.costs, candidate);
    bool fits = peak <= problem.budgetBytes;
    bool better = runs.empty() || fits != doesFit;
    if (better)
      better = runs.empty() || fits;
    else if (fits)
      better = cost < bestCost ||
               (cost == bestCost && candidate.size() < runs.size());
    else
      better = peak < bestPeak;
    if (!better)
      return;
    runs = std::move(candidate);
    doesFit = fits;
    bestCost = cost;
    bestPeak = peak;
  }

  bool fits() const { return doesFit; }
  RunSequence take() { return std::move(runs); }
  const RunSequence &get() const { return runs; }

private:
  const Problem &problem;
  RunSequence runs;
  bool doesFit = false;
  double bestCost = 0;
  int64_t bestPeak = 0;
};

/// What is left of a time limit.
class Remaining {
public:
  explicit Remaining(const PlanOptions &options)
      : limit(options.timeLimitSeconds),
        begin(std::chrono::steady_clock::now()) {}

  /// \p options with the rest of the limit.
  PlanOptions in(PlanOptions options) const {
    if (limit >= 0) {
      std::chrono::duration<double> used =
          std::chrono::steady_clock::now() - begin;
      options.timeLimitSeconds = std::max(0.0, limit - used.count());
    }
    return options;
  }

private:
  double limit;
  std::chrono::steady_clock::time_point begin;
};

} // namespace

/// Sums of such totals can overflow where storages are resident twice.
static bool isTooLargeToPlan(const Graph &graph) {
  int64_t total = graph.constantBytes();
  constexpr int64_t kLimit = int64_t(1) << 61;
  for (NodeId n = 0; n < graph.numNodes() && total <= kLimit; ++n)
    total += std::min(kLimit, graph.ownedBytes(n)) / 2 +
             std::min(kLimit, graph.workspaceBytes(n)) / 2;
  return total > kLimit;
}

static uint64_t workFor(const Problem &problem, const PlanOptions &options) {
  if (options.effort)
    return options.effort;
  uint64_t work = defaultWork(problem.graph);
  // A limit above the default is meant to be used.
  if (options.timeLimitSeconds > 0)
    work = std::max(work, uint64_t(options.timeLimitSeconds * 400e6));
  return work;
}

RunSequence search(const Problem &problem, const PlanOptions &options) {
  Best best(problem);
  best.offer(keepAll(problem, options));
  if (best.fits() || isTooLargeToPlan(problem.graph))
    return best.take();
  Remaining remaining(options);
  best.offer(greedy(problem, options));
  uint64_t work = workFor(problem, options);
  best.offer(improve(problem, best.get(), remaining.in(options), work));
  return best.take();
}

RunSequence automatic(const Problem &problem, const PlanOptions &options) {
  const Graph &graph = problem.graph;
  Best best(problem);
  best.offer(keepAll(problem, options));
  if (best.fits() || isTooLargeToPlan(graph))
    return best.take();
  Remaining remaining(options);
  if (graph.numNodes() <= kExactNodes) {
    OptimalLimits limits;
    limits.maxStates = kExactStates;
    OptimalResult exact = solveOptimal(problem, limits);
    if (exact.runs)
      best.offer(std::move(*exact.runs));
    if (exact.proven)
      return best.take();
  }
  best.offer(greedy(problem, options));
  best.offer(sqrtN(problem, options));
  best.offer(chainDp(problem, options));
  uint64_t work = workFor(problem, options);
  best.offer(improve(problem, best.get(), remaining.in(options), work));
  return best.take();
}

} // namespace reprise
