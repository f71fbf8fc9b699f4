// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule file on the command line, with the graph that it is for.

#ifndef REPRISE_TOOLS_SCHEDULEINPUT_H
#define REPRISE_TOOLS_SCHEDULEINPUT_H

#include "reprise/io/ScheduleReader.h"
#include "reprise/planner/Planner.h"
#include "reprise/tools/ControlInput.h"
#include "reprise/tools/GraphInput.h"

namespace reprise {

/// A graph and a valid schedule of it.
struct ScheduleInput {
  ScheduleFile file;
  LoadedGraph loaded; ///< with the nodes that the schedule adds
  Plan plan;
  Objective objective = Objective::Flops;
  std::vector<double> costs; ///< of one run of each node
  int64_t baselinePeakBytes = 0;
  double baselineCost = 0;
};

/// Reads the schedule \p path and the graph of \p arguments, and checks one
/// against the other, with what \p control allows. Fails with an InputError,
/// for a schedule that is not valid as well.
llvm::Expected<ScheduleInput> loadSchedule(const GraphArguments &arguments,
                                           llvm::StringRef path,
                                           const ControlArguments &control);

/// The runs of the schedule \p path, to start a search on \p problem from. The
/// graph may have changed since, as long as the runs can still be executed.
/// Fails with an InputError.
llvm::Expected<RunSequence> loadStart(const Problem &problem,
                                      llvm::StringRef path);

} // namespace reprise

#endif // REPRISE_TOOLS_SCHEDULEINPUT_H
