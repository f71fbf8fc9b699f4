// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage formulation of recomputation as a linear program, for every order.

#ifndef REPRISE_PLANNER_STAGEPROGRAM_H
#define REPRISE_PLANNER_STAGEPROGRAM_H

#include "reprise/planner/LinearProgram.h"
#include "reprise/planner/WindowBound.h"

namespace reprise {

/// A program whose least cost, less the cost of running each node once, is a
/// lower bound of the extra cost of every plan of \p problem. \p points: each
/// an ancestor of the next one. \p windows: as of costlyWindows().
LinearProgram stageProgram(const Problem &problem,
                           llvm::ArrayRef<NodeId> points,
                           llvm::ArrayRef<Window> windows);

} // namespace reprise

#endif // REPRISE_PLANNER_STAGEPROGRAM_H
