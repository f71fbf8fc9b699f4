// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Strategies.h"

#include "reprise/graph/Error.h"

#include <algorithm>

namespace reprise {

/// A strategy that proves nothing.
template <RunSequence (*Find)(const Problem &, const PlanOptions &)>
static ProvenRuns heuristic(const Problem &problem,
                            const PlanOptions &options) {
  return {Find(problem, options)};
}

static constexpr Strategy kStrategies[] = {
    {"auto",
     "portfolio of the strategies below, then search; the cheapest that fits",
     "none: the default", automatic},
    {"keep-all",
     "the baseline: recompute nothing, free every tensor at its last use",
     "fits only budgets at or above the baseline's peak", heuristic<keepAll>},
    {"sqrt",
     "Chen's sqrt(n) checkpointing: segments between cuts, each run again "
     "just before its backward pass",
     "one level of recomputation", heuristic<sqrtN>},
    {"greedy",
     "drop and recompute what is cheapest per byte and step at the peak",
     "may miss very small budgets", heuristic<greedy>},
    {"chain", "interval dynamic programming over cuts; optimal on chains",
     "long graphs are coarsened to a few hundred cuts", heuristic<chainDp>},
    {"search",
     "local search from the best of these: give up recomputations, repair, "
     "reorder",
     "anytime; no search above 50,000 nodes", heuristic<search>},
    {"optimal",
     "best-first search over all orders and recomputations, with proof",
     "graphs of some tens of nodes; stops after 60 s unless --time-limit says "
     "otherwise",
     optimal},
};

llvm::ArrayRef<Strategy> strategies() { return kStrategies; }

llvm::Expected<const Strategy *> findStrategy(llvm::StringRef name) {
  std::string known;
  for (const Strategy &s : strategies()) {
    if (s.name == name)
      return &s;
    known += (known.empty() ? "" : ", ") + s.name.str();
  }
  return makeInputError("strategy '" + name + "': unknown; one of " + known);
}

bool isTooLargeToPlan(const Graph &graph) {
  int64_t total = graph.constantBytes();
  constexpr int64_t kLimit = int64_t(1) << 61;
  for (NodeId n = 0; n < graph.numNodes() && total <= kLimit; ++n)
    total += std::min(kLimit, graph.ownedBytes(n)) / 2 +
             std::min(kLimit, graph.workspaceBytes(n)) / 2;
  return total > kLimit;
}

} // namespace reprise
