// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/Arguments.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"
#include "reprise/tools/ExplainText.h"
#include "reprise/tools/ScheduleInput.h"

namespace reprise {

namespace {

/// The arguments of `reprise explain`, as written.
struct ExplainCommandOptions {
  GraphArguments graph;
  std::string schedulePath;
  ControlArguments control; ///< only what is allowed
  size_t top = 10;
  unsigned depth = 0; ///< see explain()
  bool json = false;
};

} // namespace

/// Explains the schedule on the standard output. Returns the exit code; a
/// schedule that is not valid is an InputError.
static llvm::Expected<int> runExplain(const ExplainCommandOptions &options) {
  llvm::Expected<ScheduleInput> input =
      loadSchedule(options.graph, options.schedulePath, options.control);
  if (!input)
    return input.takeError();
  const Graph &graph = input->loaded.graph;
  llvm::Expected<Explanation> explanation =
      explain(graph, input->costs, input->plan, options.depth);
  if (!explanation)
    return explanation.takeError();
  ExplainOutput output{graph,
                       input->plan,
                       *explanation,
                       input->objective,
                       input->file.budgetBytes,
                       input->baselinePeakBytes,
                       input->baselineCost,
                       options.top};
  if (options.json)
    writeExplanationJson(llvm::outs(), output);
  else
    writeExplanationText(llvm::outs(), output);
  if (llvm::Error e = finishOutput())
    return e;
  return kExitYes;
}

void addExplainCommand(CLI::App &app, Command &chosen) {
  CLI::App &command = *app.add_subcommand(
      "explain", "Show what fills the memory of a schedule, and what it "
                 "recomputes for it");
  auto options = std::make_shared<ExplainCommandOptions>();
  addGraph(command, options->graph)->required();
  command
      .add_option("SCHEDULE", options->schedulePath,
                  "Schedule file; - is the standard input")
      ->type_name("")
      ->required();
  command.add_option("--top", options->top, "Rows of each table")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--depth", options->depth,
                  "Parts of a node's name that make its layer, as / and . "
                  "separate them (_ in a name without); default: the fewest "
                  "that make four layers")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  addAllow(command, options->control);
  addReading(command, options->graph);
  command.add_flag("--json", options->json, "All rows, as JSON");
  command.callback([&chosen, options] {
    chosen = [options] { return runExplain(*options); };
  });
}

} // namespace reprise
