// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the options of a plan from a JSON object (docs/formats.md): the command
// line's, for programs.

#ifndef REPRISE_IO_OPTIONSREADER_H
#define REPRISE_IO_OPTIONSREADER_H

#include "reprise/io/GraphReader.h"
#include "reprise/io/TrainingGraph.h"
#include "reprise/planner/Planner.h"

#include <optional>
#include <string>

namespace reprise {

/// The options, as written.
struct OptionsFile {
  GraphReadOptions reading;
  TrainingOptions training;
  PlanOptions planning;
  std::string budget;           ///< see parseByteSize(); empty: none
  std::string objective;        ///< "flops", "time", "roofline" or empty
  std::optional<Device> device; ///< of the roofline
};

/// Reads \p buffer, whose identifier names it in errors. Fails with an
/// InputError, for a key that is not known as well: a slip in a key would
/// otherwise be a limit that is not kept.
llvm::Expected<OptionsFile> readOptionsBuffer(llvm::MemoryBufferRef buffer);

/// The problem of \p graph, which must outlive it, under \p options. Fails with
/// an InputError that names the option.
llvm::Expected<Problem> makeProblem(const Graph &graph,
                                    const OptionsFile &options);

} // namespace reprise

#endif // REPRISE_IO_OPTIONSREADER_H
