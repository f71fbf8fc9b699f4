// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `reprise check`: is a schedule valid, and are its figures true?

#ifndef REPRISE_TOOLS_CHECKCOMMAND_H
#define REPRISE_TOOLS_CHECKCOMMAND_H

#include "reprise/tools/GraphInput.h"

#include "llvm/Support/Error.h"

#include <string>

namespace reprise {

/// The arguments of `reprise check`, as written.
struct CheckCommandOptions {
  GraphArguments graph;
  std::string schedulePath;
  bool allowOtherGraph = false; ///< do not compare the graph's digest
  bool json = false;
};

/// Replays the schedule on the graph and prints the verdict: one line when it
/// is valid, else every fault found. Returns the exit code.
llvm::Expected<int> runCheck(const CheckCommandOptions &options);

} // namespace reprise

#endif // REPRISE_TOOLS_CHECKCOMMAND_H
