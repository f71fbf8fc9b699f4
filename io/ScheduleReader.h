// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the schedule format (docs/formats.md) as it stands: names, not ids,
// and no judgement of the steps. Whether they can be run is ScheduleChecker's
// question.

#ifndef REPRISE_IO_SCHEDULEREADER_H
#define REPRISE_IO_SCHEDULEREADER_H

#include "reprise/graph/Graph.h"
#include "reprise/graph/NodeRecord.h"
#include "reprise/planner/Roofline.h"

#include "llvm/Support/MemoryBuffer.h"

#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// One step of a schedule file; its name is ScheduleFile::stepNames[i].
struct ScheduleStep {
  enum Kind : uint8_t { Compute, Free };
  Kind kind;
  bool isRecompute; ///< the step says `"recompute": true`
};

/// The arena of a schedule file.
struct ArenaFile {
  struct Buffer {
    std::string tensor;
    int64_t firstStep, lastStep; ///< both included
    int64_t offset, bytes;
  };
  int64_t bytes = 0;
  int64_t alignment = 1;
  std::vector<Buffer> buffers;
};

/// A schedule file. What it does not say, or says as null, is absent.
struct ScheduleFile {
  std::optional<std::string> graphName, sha256;
  std::string strategy;
  std::string objective;        ///< "flops", "seconds", or empty
  std::optional<Device> device; ///< whose roofline the seconds are
  std::optional<int64_t> budgetBytes, peakBytes, baselinePeakBytes;
  std::optional<double> cost, baselineCost, lowerBound;
  std::vector<ScheduleStep> steps;
  Names stepNames;               ///< the node or tensor of each step
  std::vector<NodeRecord> nodes; ///< derived nodes, in file order
  std::optional<ArenaFile> arena;
};

/// Reads the schedule file \p path ("-": standard input). Unknown keys are
/// ignored. Fails with an InputError of one line for what is no schedule: a
/// wrong `format`, a later `version`, an unknown kind of step, a wrong type.
llvm::Expected<ScheduleFile> readSchedule(llvm::StringRef path);

/// The same for text in memory; the buffer's identifier names it in errors.
llvm::Expected<ScheduleFile> readScheduleBuffer(llvm::MemoryBufferRef buffer);

} // namespace reprise

#endif // REPRISE_IO_SCHEDULEREADER_H
