// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Incumbent.h"

#include "reprise/planner/Turn.h"

#include <tuple>

namespace reprise {

int64_t Incumbent::offer(RunSequence candidate) {
  candidate = forgetAtTurn(problem.graph, std::move(candidate));
  int64_t newPeak = peakOfRuns(problem.graph, candidate);
  double newCost = costOfRuns(problem.costs, candidate);
  auto rank = [&](int64_t p, double c, size_t count) {
    bool over = p > problem.budgetBytes;
    return std::make_tuple(over, over ? p : 0, c, count, p);
  };
  if (!isKnown || rank(newPeak, newCost, candidate.size()) <
                      rank(peak, bestCost, runs.size())) {
    isKnown = true;
    runs = std::move(candidate);
    peak = newPeak;
    bestCost = newCost;
  }
  return newPeak;
}

} // namespace reprise
