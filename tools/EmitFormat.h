// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms in which `reprise plan --emit` writes a plan.

#ifndef REPRISE_TOOLS_EMITFORMAT_H
#define REPRISE_TOOLS_EMITFORMAT_H

#include "reprise/io/GraphReader.h"
#include "reprise/io/ScheduleWriter.h"
#include "reprise/planner/Planner.h"

#include <string>
#include <vector>

namespace reprise {

/// What is there to be written.
struct EmitInput {
  const LoadedGraph &loaded; ///< with its backward pass
  const ScheduleInfo &info;
  const PlanResult &result;
  llvm::ArrayRef<double> costs; ///< of one run of each node
};

/// The values of `--emit`, the default one first.
std::vector<std::string> emitFormatNames();

/// One line of help: what each of them is.
std::string emitFormatHelp();

/// The text of \p input in \p format, which is one of emitFormatNames(). The
/// same bytes for the same arguments. Fails with an InputError.
llvm::Expected<std::string> emitPlan(llvm::StringRef format,
                                     const EmitInput &input);

} // namespace reprise

#endif // REPRISE_TOOLS_EMITFORMAT_H
