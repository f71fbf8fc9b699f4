// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The proven floor of any peak: what one step, or the end, forces.

#ifndef REPRISE_PLANNER_FLOOR_H
#define REPRISE_PLANNER_FLOOR_H

#include "reprise/graph/Graph.h"

namespace reprise {

/// A lower bound of the peak of every plan of a graph.
struct Floor {
  int64_t bytes = 0;
  /// The node whose first run needs that much; kNone when the graph outputs at the
  /// end, or the constants alone, do.
  NodeId node = kNone;
};

/// Largest usage that a single step forces (constants, the storages it reads,
/// the ones it makes, its workspace) with what nodes that run only once have
/// made for later, or the outputs at the end if larger. Nearly linear time.
Floor peakFloor(const Graph &graph);

} // namespace reprise

#endif // REPRISE_PLANNER_FLOOR_H
