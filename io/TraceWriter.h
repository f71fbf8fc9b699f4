// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a plan as a trace for Perfetto and for Chrome's trace viewer.

#ifndef REPRISE_IO_TRACEWRITER_H
#define REPRISE_IO_TRACEWRITER_H

#include "reprise/planner/Objective.h"
#include "reprise/planner/Plan.h"

#include <optional>
#include <string>

namespace reprise {

/// What is traced.
struct TraceInput {
  const Graph &graph;
  const Plan &plan;
  llvm::ArrayRef<int64_t> usageBytes; ///< by step, see Simulation
  llvm::ArrayRef<double> costs;       ///< of one run of each node
  Objective objective;
  std::optional<int64_t> budgetBytes;
};

/// The text of the trace: one slice per run, on a track of its own for forward
/// runs, backward runs and recomputations, and the memory in use as a counter.
/// A run lasts as long as it costs; a million FLOPs count as a microsecond. The
/// same bytes for the same arguments.
std::string writeTrace(const TraceInput &input);

} // namespace reprise

#endif // REPRISE_IO_TRACEWRITER_H
