// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/LpBound.h"

#include "reprise/planner/LpSolver.h"
#include "reprise/planner/MomentScan.h"
#include "reprise/planner/PathScan.h"
#include "reprise/planner/RemainingTime.h"
#include "reprise/planner/StageProgram.h"

#include <algorithm>
#include <cmath>

namespace reprise {

static constexpr double kDefaultSeconds = 60;
/// Moments by which the programs grow, and entries that one may have.
static constexpr size_t kStepPoints = 12;
static constexpr size_t kMostEntries = 600'000;
/// Effort for the windows, in arcs of networks looked at.
static constexpr uint64_t kWindowWork = 60'000'000;
/// The solver's tolerances suit costs that add up to this.
static constexpr double kScaledCost = 1e6;

/// Programs of more and more moments, none of which is sure to prove more.
static double mostOfPrograms(const Problem &problem,
                             const PlanOptions &options) {
  const Graph &graph = problem.graph;
  double once = costOfRuns(problem.costs, graph.order());
  if (graph.numNodes() == 0 || once <= 0 ||
      problem.budgetBytes <= graph.constantBytes())
    return 0;
  BestMoment best = bestMoment(problem, longestPath(graph),
                               std::numeric_limits<double>::infinity());
  if (best.node == kNone || std::isinf(best.cost))
    return once + best.cost;
  std::vector<NodeId> path = longestPathThrough(graph, best.node);
  WindowRow row = costlyRow(problem, path, best.node, kWindowWork);
  RemainingTime remaining(options);
  double most = 0;
  for (size_t count = kStepPoints;; count += kStepPoints) {
    std::vector<NodeId> points = sampleNodes(graph, path, count, row.starts);
    std::vector<Window> windows = costlyWindows(problem, points, kWindowWork);
    LinearProgram program = stageProgram(problem, points, windows);
    double seconds = remaining.in(options).timeLimitSeconds;
    bool isStopped = seconds <= 0 || (options.stop && options.stop->load());
    if (isStopped || (most > 0 && program.columns.size() > kMostEntries))
      return most;
    for (double &cost : program.costs)
      cost *= kScaledCost / once;
    std::vector<double> duals = solveForDuals(program, seconds, options.stop);
    most = std::max(most, program.bound(duals) / kScaledCost * once);
    if (points.size() < count || points.size() == path.size())
      return most;
  }
}

double lpLowerBound(const Problem &problem, PlanOptions options) {
  if (!hasLpSolver())
    return 0;
  if (options.timeLimitSeconds < 0)
    options.timeLimitSeconds = kDefaultSeconds;
  return mostOfPrograms(problem, options) * (1 - 1e-12);
}

} // namespace reprise
