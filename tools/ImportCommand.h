// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `reprise import`: a model in, a graph file with all costs out.

#ifndef REPRISE_TOOLS_IMPORTCOMMAND_H
#define REPRISE_TOOLS_IMPORTCOMMAND_H

#include "reprise/tools/GraphInput.h"

#include "llvm/Support/Error.h"

#include <string>

namespace reprise {

/// The arguments of `reprise import`, as written.
struct ImportCommandOptions {
  GraphArguments graph;
  std::string outputPath = "-"; ///< "-": standard output
  bool training = false;        ///< with the derived backward pass
};

/// Reads a model, fills in what the operator table knows, and writes it as a
/// graph file. Returns the exit code.
llvm::Expected<int> runImport(const ImportCommandOptions &options);

} // namespace reprise

#endif // REPRISE_TOOLS_IMPORTCOMMAND_H
