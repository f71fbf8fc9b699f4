// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/GraphWriter.h"
#include "reprise/io/OutputFile.h"
#include "reprise/tools/Arguments.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"

namespace reprise {

namespace {

/// The arguments of `reprise import`, as written.
struct ImportCommandOptions {
  GraphArguments graph;
  std::string outputPath = "-"; ///< "-": standard output
  bool training = false;        ///< with the derived backward pass
};

} // namespace

/// Reads a model, fills in what the operator table knows, and writes it as a
/// graph file. Returns the exit code.
static llvm::Expected<int> runImport(const ImportCommandOptions &options) {
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

void addImportCommand(CLI::App &app, Command &chosen) {
  CLI::App &command = *app.add_subcommand(
      "import", "Write a model as a graph file with all costs");
  auto options = std::make_shared<ImportCommandOptions>();
  addGraph(command, options->graph)->capture_default_str();
  command
      .add_option("-o,--output", options->outputPath,
                  "Graph file; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  addReading(command, options->graph);
  command.add_flag("--training", options->training,
                   "Add the derived backward pass: a training graph");
  addFrozen(command, options->graph);
  command.add_flag(
      "--pool-indices", options->graph.poolIndices,
      "MaxPool nodes also output their int64 indices, which their "
      "gradients read in place of input and output, as in PyTorch");
  command.callback([&chosen, options] {
    chosen = [options] { return runImport(*options); };
  });
}

} // namespace reprise
