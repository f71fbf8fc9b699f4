// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `reprise info`: what is in a graph, and what it takes to run it.

#ifndef REPRISE_TOOLS_INFOCOMMAND_H
#define REPRISE_TOOLS_INFOCOMMAND_H

#include "reprise/tools/GraphInput.h"

#include "llvm/Support/Error.h"

#include <string>

namespace reprise {

/// The arguments of `reprise info`, as written.
struct InfoCommandOptions {
  GraphArguments graph;
  unsigned top = 5; ///< how many of the largest tensors to list
  bool json = false;
};

/// Prints counts, the baseline, the floor and the largest tensors of a graph.
/// Returns the exit code.
llvm::Expected<int> runInfo(const InfoCommandOptions &options);

} // namespace reprise

#endif // REPRISE_TOOLS_INFOCOMMAND_H
