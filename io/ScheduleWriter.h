// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the schedule format (docs/formats.md).

#ifndef REPRISE_IO_SCHEDULEWRITER_H
#define REPRISE_IO_SCHEDULEWRITER_H

#include "reprise/planner/Objective.h"
#include "reprise/planner/PlanArena.h"
#include "reprise/planner/Roofline.h"

#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// What a schedule file says besides its steps.
struct ScheduleInfo {
  std::string graphName;
  std::string sha256; ///< of the graph file's bytes
  std::string strategy;
  Objective objective = Objective::Flops;
  std::optional<Device> device; ///< whose roofline the costs are
  std::optional<int64_t> budgetBytes;
  int64_t peakBytes = 0;
  double cost = 0; ///< all runs, in the objective's unit
  int64_t baselinePeakBytes = 0;
  double baselineCost = 0;
  std::optional<double> lowerBound; ///< on the cost
  /// A JSON object of the derived nodes, as text.
  std::string nodesJson = "{}";
  std::optional<PlanArena> arena;
};

/// The text of the schedule file: the same bytes for the same arguments, one
/// step per line.
std::string writeSchedule(const Graph &graph, const ScheduleInfo &info,
                          const Plan &plan);

/// Appends \p text to \p json as a JSON string; bytes that are not UTF-8
/// become U+FFFD.
void appendJsonString(std::string &json, llvm::StringRef text);

/// Appends the shortest decimal that reads back as \p value; `null` where it
/// is not finite.
void appendJsonNumber(std::string &json, double value);

} // namespace reprise

#endif // REPRISE_IO_SCHEDULEWRITER_H
