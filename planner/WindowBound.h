// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to be made again between two moments.

#ifndef REPRISE_PLANNER_WINDOWBOUND_H
#define REPRISE_PLANNER_WINDOWBOUND_H

#include "reprise/planner/Planner.h"

namespace reprise {

/// From the first run of a point to that of a later one, or to the end.
struct Window {
  uint32_t first, last; ///< indices of points; `last` may be their number
  /// In every plan ancestors of the first point run again within the window at
  /// this cost or more.
  double cost;
};

/// The windows of \p points, each an ancestor of the next one, that cost
/// something for certain, by their last points. \p maxWork: in arcs of
/// networks looked at.
std::vector<Window> costlyWindows(const Problem &problem,
                                  llvm::ArrayRef<NodeId> points,
                                  uint64_t maxWork);

/// Windows one after the other, the last one up to the end.
struct WindowRow {
  std::vector<NodeId> starts;
  double cost = 0; ///< of all: a bound of the extra cost
};

/// A row that costs much, of windows that start at nodes of \p path; \p likely
/// is one that is likely to be a good start.
WindowRow costlyRow(const Problem &problem, llvm::ArrayRef<NodeId> path,
                    NodeId likely, uint64_t maxWork);

} // namespace reprise

#endif // REPRISE_PLANNER_WINDOWBOUND_H
