// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What strategies that ask other strategies keep book of: the best plan so
// far, and the time that is left.

#ifndef REPRISE_PLANNER_INCUMBENT_H
#define REPRISE_PLANNER_INCUMBENT_H

#include "reprise/planner/Planner.h"

#include <algorithm>
#include <chrono>

namespace reprise {

/// The best sequence so far: the cheapest that fits, else the least peak.
class Incumbent {
public:
  explicit Incumbent(const Problem &problem) : problem(problem) {}

  void offer(RunSequence candidate) {
    int64_t peak = peakOfRuns(problem.graph, candidate);
    double cost = costOfRuns(problem.costs, candidate);
    bool doesFit = peak <= problem.budgetBytes;
    bool better = runs.empty() || doesFit != isWithin;
    if (better)
      better = runs.empty() || doesFit;
    else if (doesFit)
      better = cost < bestCost ||
               (cost == bestCost && candidate.size() < runs.size());
    else
      better = peak < bestPeak;
    if (!better)
      return;
    runs = std::move(candidate);
    isWithin = doesFit;
    bestCost = cost;
    bestPeak = peak;
  }

  bool fits() const { return isWithin; }
  double cost() const { return bestCost; }
  RunSequence take() { return std::move(runs); }
  const RunSequence &get() const { return runs; }

private:
  const Problem &problem;
  RunSequence runs;
  bool isWithin = false;
  double bestCost = 0;
  int64_t bestPeak = 0;
};

/// What is left of a time limit.
class RemainingTime {
public:
  explicit RemainingTime(const PlanOptions &options)
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

} // namespace reprise

#endif // REPRISE_PLANNER_INCUMBENT_H
