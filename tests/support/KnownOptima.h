// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problems whose optimum the exact method proves, for tests of bounds.

#ifndef REPRISE_TESTS_SUPPORT_KNOWNOPTIMA_H
#define REPRISE_TESTS_SUPPORT_KNOWNOPTIMA_H

#include "reprise/planner/Floor.h"
#include "reprise/planner/Optimal.h"

#include <doctest/doctest.h>

namespace reprise {

/// Calls \p visit with a problem of \p graph and the least cost of its plans,
/// for each budget from the floor to below the baseline's peak where that is
/// proven within little work.
template <typename Visitor>
void forEachOptimum(const Graph &graph, Visitor visit) {
  int64_t peak = peakOfRuns(graph, graph.order());
  for (int64_t budget = peakFloor(graph).bytes; budget < peak; ++budget) {
    Problem problem = Problem::of(graph, budget);
    OptimalLimits limits;
    limits.maxWork = 5'000'000;
    OptimalResult optimum = solveOptimal(problem, limits);
    if (!optimum.proven || !optimum.runs)
      continue;
    CAPTURE(budget);
    visit(problem, costOfRuns(problem.costs, *optimum.runs));
  }
}

} // namespace reprise

#endif // REPRISE_TESTS_SUPPORT_KNOWNOPTIMA_H
