// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the schedule format (docs/formats.md).

#ifndef REPRISE_IO_SCHEDULEWRITER_H
#define REPRISE_IO_SCHEDULEWRITER_H

#include "reprise/planner/Objective.h"
#include "reprise/planner/Plan.h"
#include "reprise/planner/Roofline.h"

#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// Offsets of the storages of a plan in one block of memory.
struct ScheduleArena {
  struct Buffer {
    TensorId tensor;    ///< the owner of the storage
    uint64_t firstStep; ///< steps firstStep .. lastStep, both included
    uint64_t lastStep;
    int64_t offset; ///< bytes from the start of the arena
    int64_t bytes;
  };
  int64_t bytes = 0;     ///< the highest end of a buffer
  int64_t alignment = 1; ///< bytes; every offset is a multiple
  std::vector<Buffer> buffers;
};

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
  std::optional<ScheduleArena> arena;
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
