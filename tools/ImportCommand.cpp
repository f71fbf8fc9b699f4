// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/ImportCommand.h"

#include "reprise/io/GraphWriter.h"
#include "reprise/io/OutputFile.h"
#include "reprise/tools/Console.h"

namespace reprise {

llvm::Expected<int> runImport(const ImportCommandOptions &options) {
  GraphArguments arguments = options.graph;
  arguments.completion = Completion::Import;
  arguments.inference = !options.training;
  llvm::Expected<GraphInput> input = loadTrainingGraph(arguments);
  if (!input)
    return input.takeError();
  if (llvm::Error e =
          writeOutput(options.outputPath, writeGraph(input->loaded)))
    return e;
  if (llvm::Error e = finishOutput())
    return e;
  return kExitYes;
}

} // namespace reprise
