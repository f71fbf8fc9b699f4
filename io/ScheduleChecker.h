// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The independent judge of schedules: it knows the two file formats and
// nothing of how plans are made.

#ifndef REPRISE_IO_SCHEDULECHECKER_H
#define REPRISE_IO_SCHEDULECHECKER_H

#include "reprise/io/GraphReader.h"
#include "reprise/io/ScheduleReader.h"

#include <string>
#include <vector>

namespace reprise {

struct ScheduleCheckOptions {
  /// Replay the schedule even if it names another graph.
  bool allowOtherGraph = false;
};

/// The verdict on a schedule, and the figures that its replay finds.
struct ScheduleCheck {
  /// One line per fault, at most 40 and a count of the rest; empty: valid.
  std::vector<std::string> errors;
  int64_t peakBytes = 0; ///< constants included
  size_t peakStep = 0;   ///< first step that reaches the peak
  std::string objective; ///< "flops" or "seconds"
  double cost = 0;       ///< of all runs, in the objective's unit
  int64_t baselinePeakBytes = 0;
  double baselineCost = 0;   ///< of one run of each node
  size_t recomputedRuns = 0; ///< runs beyond the first of each node
  std::vector<double> costs; ///< of one run of each node

  bool isValid() const { return errors.empty(); }
};

/// Replays \p file on \p loaded and compares every figure that it claims.
/// Bytes must be equal, costs within 1e-9 of each other. For a schedule with
/// derived nodes, \p loaded is the graph with these added (see
/// GraphReadOptions::derivedNodes).
ScheduleCheck checkSchedule(const LoadedGraph &loaded, const ScheduleFile &file,
                            const ScheduleCheckOptions &options);

} // namespace reprise

#endif // REPRISE_IO_SCHEDULECHECKER_H
