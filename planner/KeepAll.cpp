// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The baseline: every node once, in topological order. Liveness frees each
// tensor at its last use, so that this keeps everything that is still needed
// and nothing else. What must not be kept for the backward pass is made again.

#include "reprise/planner/Strategies.h"

#include "reprise/planner/Turn.h"

namespace reprise {

RunSequence keepAll(const Problem &problem, const PlanOptions &) {
  llvm::ArrayRef<NodeId> order = problem.graph.order();
  return forgetAtTurn(problem.graph, RunSequence(order.begin(), order.end()));
}

} // namespace reprise
