// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads decisions off a table and turns them into runs.

#ifndef REPRISE_PLANNER_DPTRACE_H
#define REPRISE_PLANNER_DPTRACE_H

#include "reprise/planner/DpTable.h"
#include "reprise/planner/Emitter.h"

namespace reprise {

/// The runs of the best schedule of the whole graph with \p bytes at hand,
/// constants not included. Where the table has no schedule for so few bytes
/// the segments concerned run as leaves, so that the sequence is executable in
/// any case.
RunSequence traceRuns(const Graph &graph, const Cuts &cuts,
                      const DpModel &model, const DpTable &table,
                      int64_t bytes);

} // namespace reprise

#endif // REPRISE_PLANNER_DPTRACE_H
