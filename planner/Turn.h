// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must not be kept from the forward to the backward pass.
//
//   runs    f1  f2  f3 | b3  f2  b2  b1        | the turn: just before b3
//   a2          [make .|.. x                   held across the turn
//                          [make read]         made again after it: fine

#ifndef REPRISE_PLANNER_TURN_H
#define REPRISE_PLANNER_TURN_H

#include "reprise/planner/Plan.h"

namespace reprise {

/// \p runs with what it takes to hold none of Graph::droppedAtTurn() across
/// the first run of Graph::turn(): each reader behind it makes what it misses
/// again, right before it runs. The same runs where the graph has no such rule
/// or they follow it already; they do not where something that would have to
/// run again cannot. Linear in the reads of \p runs.
RunSequence forgetAtTurn(const Graph &graph, RunSequence runs);

/// A tensor that \p runs, which must be executable, hold across the turn
/// although they must not; or kNone.
TensorId heldAcrossTurn(const Graph &graph, llvm::ArrayRef<NodeId> runs);

} // namespace reprise

#endif // REPRISE_PLANNER_TURN_H
