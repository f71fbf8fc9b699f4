// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `reprise plan`: a graph and a budget in, a schedule out.

#ifndef REPRISE_TOOLS_PLANCOMMAND_H
#define REPRISE_TOOLS_PLANCOMMAND_H

#include "reprise/tools/CostInput.h"
#include "reprise/tools/GraphInput.h"

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace reprise {

/// The arguments of `reprise plan`, as written.
struct PlanCommandOptions {
  GraphArguments graph;
  std::string outputPath = "-"; ///< "-": standard output
  std::string budget;           ///< see parseByteSize(); empty: none
  std::string minimize;         ///< "memory": no budget, the least peak
  std::string maxOverhead;      ///< with it: "20%"; empty: at any price
  std::string strategy = "auto";
  CostArguments costs;
  double timeLimitSeconds = -1; ///< negative: by the size of the graph
  uint64_t effort = 0;          ///< search iterations; 0: by the clock
  uint64_t seed = 1;
  unsigned threads = 2;
  std::string bound = "fast";    ///< "fast" or "lp"
  bool json = false;             ///< summary as JSON
};

/// Plans and writes the schedule, and a summary on the standard error (or, as
/// JSON and with the schedule in a file, on the standard output). Returns the
/// exit code; a fault of the input or of I/O is an InputError.
llvm::Expected<int> runPlan(const PlanCommandOptions &options);

} // namespace reprise

#endif // REPRISE_TOOLS_PLANCOMMAND_H
