// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Greedy recomputation: from the baseline, while the profile exceeds the
// budget somewhere, take the highest run and the cheapest way to lower the
// usage there.
//
//   1. List the storages that are resident across the peak and that nobody
//      touches there: each is a gap between two accesses.
//   2. Price each gap: what making the storage again just before the second
//      access costs, with the inputs that are gone by then, per byte. Running
//      its maker later, or its last reader earlier, costs nothing.
//   3. Try the cheapest few on the real profile, what their own recomputation
//      needs included, and take the one that costs least per byte and run of
//      overflow that it removes.
//
//        usage   ▄▄▄▄█████▄▄▄       peak: a1, a2, a3 are resident across it
//        budget  ------------       cheapest: a2, made again before b2
//                ▄▄▄▄▅▅▅▅▅▄▄▅▄
//
// Every step lowers the overflow, so that this ends; what it cannot bring
// under the budget it leaves to strategies that see further. The idea of
// pricing a recomputation against the bytes it frees over the time it frees
// them is that of XLA's HloRematerialization and of DTR (Kirisame et al. 2021,
// arXiv:2006.09616); trying on the exact profile is what makes prices honest.
//
// Time: about (peaks visited) x (storages) + (reliefs) x (runs / block).

#include "reprise/planner/Repair.h"
#include "reprise/planner/Strategies.h"

#include "reprise/planner/Liveness.h"
#include "reprise/planner/Turn.h"

namespace reprise {

/// Above this many nodes each relief that helps is taken as it comes.
static constexpr size_t kLookaheadNodes = 12000;

RunSequence greedyFrom(const Problem &problem, const PlanOptions &options,
                       RunSequence start, uint64_t work) {
  start = forgetAtTurn(problem.graph, std::move(start));
  RunList list(problem.graph, problem.costs, start, problem.budgetBytes);
  Moves moves(list, problem.costs);
  Random random(options.seed);
  RepairOptions repairOptions;
  if (problem.graph.numNodes() > kLookaheadNodes)
    repairOptions.lookahead = 1;
  repairOptions.workLimit = work;
  repairOptions.stop = options.stop;
  repair(list, moves, repairOptions, random);
  return withoutIdleRuns(problem.graph, list.sequence());
}

RunSequence greedyWithin(const Problem &problem, const PlanOptions &options,
                         uint64_t work) {
  return greedyFrom(problem, options, keepAll(problem, options), work);
}

RunSequence greedy(const Problem &problem, const PlanOptions &options) {
  return greedyWithin(problem, options, UINT64_MAX);
}

} // namespace reprise
