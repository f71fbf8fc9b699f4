// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a schedule file by the memory model of the graph format, private to
// io/. It shares nothing with the planner, whose work it judges.

#ifndef REPRISE_IO_SCHEDULEREPLAY_H
#define REPRISE_IO_SCHEDULEREPLAY_H

#include "reprise/graph/Graph.h"
#include "reprise/io/Findings.h"
#include "reprise/io/ScheduleReader.h"

#include <vector>

namespace reprise {

/// A storage's stay in memory.
struct Residency {
  TensorId owner;   ///< the tensor that the storage was made for
  size_t firstStep; ///< of its node's run
  size_t lastStep;  ///< of the free that ended it, or the last of the schedule
};

/// What running a schedule takes.
struct ReplayFigures {
  int64_t peakBytes = 0;
  size_t peakStep = 0; ///< first step that reaches it
  double cost = 0;
  size_t recomputedRuns = 0;
  std::vector<Residency> residencies; ///< in order of firstStep
};

/// Adds up doubles and keeps what rounding drops (Neumaier 1974).
class CompensatedSum {
public:
  void add(double value);
  double total() const { return sum + lost; }

private:
  double sum = 0, lost = 0;
};

/// Runs the steps of \p file on \p graph, with \p costs per node, and tells
/// \p findings about each that cannot run. Goes on after a fault as if the
/// step had been possible.
ReplayFigures replaySchedule(const Graph &graph, const ScheduleFile &file,
                             llvm::ArrayRef<double> costs, Findings &findings);

/// Peak of the schedule that runs the nodes in the graph's order and frees
/// each tensor at its last use.
int64_t baselinePeakBytes(const Graph &graph);

} // namespace reprise

#endif // REPRISE_IO_SCHEDULEREPLAY_H
