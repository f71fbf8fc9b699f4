// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command: arguments in, exit code out. Parsing is here, work is in the
// *Command files.

#include "reprise/planner/Strategies.h"
#include "reprise/tools/CheckCommand.h"
#include "reprise/tools/Console.h"
#include "reprise/tools/ImportCommand.h"
#include "reprise/tools/InfoCommand.h"
#include "reprise/tools/PlanCommand.h"

#include "llvm/Config/llvm-config.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <functional>
#include <sstream>

using namespace reprise;

namespace {

/// The chosen subcommand, once the arguments are parsed.
using Command = std::function<llvm::Expected<int>()>;

} // namespace

static constexpr const char *kFooter = R"(
Examples:
  reprise plan examples/resnet50.json -b 50% -o schedule.json
  reprise check examples/resnet50.json schedule.json

Exit codes:
  0  planned within the budget; the schedule is valid
  1  no plan fits the budget; the schedule is not valid
  2  wrong usage, a faulty input file, a failed read or write
  3  interrupted (Ctrl-C); the best plan found by then, if any, was written
)";

static std::string strategyHelp() {
  std::string text = "How to plan:";
  for (const Strategy &strategy : strategies())
    text += ("\n  " + strategy.name + ": " + strategy.summary).str();
  return text;
}

static CLI::Option *addGraph(CLI::App &app, GraphArguments &graph) {
  return app
      .add_option("GRAPH", graph.path, "Graph file; - is the standard input")
      ->type_name("");
}

/// How the file of a graph is read.
static void addReading(CLI::App &app, GraphArguments &graph) {
  app.add_option("--dim", graph.dims,
                 "Value of a symbolic dimension of the graph's shapes")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--batch", graph.batch,
                 "Batch of an .onnx model: the first dimension of its inputs")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
}

static void addFrozen(CLI::App &app, GraphArguments &graph) {
  app.add_option("--frozen", graph.frozen,
                 "Initializers of a forward graph that are not trained, by "
                 "name; *, ? and [...] as in a shell")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
}

/// How the backward pass of a forward graph is derived.
static void addDerivation(CLI::App &app, GraphArguments &graph) {
  addFrozen(app, graph);
  app.add_flag("--inference", graph.inference,
               "Take a forward graph as it stands: derive no backward pass");
}

static void addCosts(CLI::App &app, CostArguments &costs) {
  app.add_option("--objective", costs.objective,
                 "What costs are: flops; time (measured seconds); or roofline "
                 "(seconds by FLOPs and memory traffic on a device); default: "
                 "time where every node has one, roofline with a device, else "
                 "flops")
      ->type_name("NAME");
  std::string names;
  for (const Device &device : knownDevices())
    names += (names.empty() ? "" : ", ") + device.name;
  app.add_option("--device", costs.device, "Device of the roofline: " + names)
      ->type_name("NAME");
  app.add_option("--peak-flops", costs.peakFlops,
                 "FLOP/s of the device, such as 19.5T; overrides --device")
      ->type_name("RATE");
  app.add_option("--bandwidth", costs.bandwidth,
                 "Bytes per second of the device's memory, such as 2039GB; "
                 "overrides --device")
      ->type_name("SIZE");
}

static void addPlan(CLI::App &app, PlanCommandOptions &options,
                    Command &command) {
  addGraph(app, options.graph)->capture_default_str();
  app.add_option("-b,--budget", options.budget,
                 "Largest peak allowed: bytes, 8GiB, 8GB, or 60% of the peak "
                 "without recomputation; none: every plan fits")
      ->type_name("SIZE");
  CLI::Option *minimize =
      app.add_option("--minimize", options.minimize,
                     "memory: instead of a budget, find the smallest peak")
          ->type_name("memory")
          ->check(CLI::IsMember({"memory"}))
          ->excludes("--budget");
  app.add_option("--max-overhead", options.maxOverhead,
                 "Most extra cost that the smallest peak may take, such as "
                 "20%; default: any")
      ->type_name("PERCENT")
      ->needs(minimize);
  app.add_option("-s,--strategy", options.strategy, strategyHelp())
      ->type_name("STRATEGY")
      ->capture_default_str();
  app.add_option("-o,--output", options.outputPath,
                 "Schedule file; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  addCosts(app, options.costs);
  app.add_option("--time-limit", options.timeLimitSeconds,
                 "Wall-clock limit of the search in seconds; default: by the "
                 "size of the graph")
      ->type_name("S")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--effort", options.effort,
                 "Limit the search by iterations, not by the clock: the same "
                 "schedule on every machine; 0: by the clock")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Seed of the search")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "Threads of the search")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--bound", options.bound,
                 "Lower bound of the cost: fast, or lp for a linear "
                 "relaxation as well (up to a minute, or --time-limit)")
      ->type_name("fast|lp")
      ->check(CLI::IsMember({"fast", "lp"}))
      ->capture_default_str();
  addReading(app, options.graph);
  addDerivation(app, options.graph);
  app.add_flag("--json", options.json,
               "Summary as JSON: on the standard output with -o FILE, else on "
               "the standard error");
  app.callback([&] { command = [&] { return runPlan(options); }; });
}

static void addCheck(CLI::App &app, CheckCommandOptions &options,
                     Command &command) {
  addGraph(app, options.graph)->required();
  app.add_option("SCHEDULE", options.schedulePath,
                 "Schedule file; - is the standard input")
      ->type_name("")
      ->required();
  app.add_flag("--allow-other-graph", options.allowOtherGraph,
               "Check even if the schedule was made for another graph file");
  addReading(app, options.graph);
  app.add_flag("--json", options.json, "Verdict as JSON");
  app.callback([&] { command = [&] { return runCheck(options); }; });
}

static void addInfo(CLI::App &app, InfoCommandOptions &options,
                    Command &command) {
  addGraph(app, options.graph)->capture_default_str();
  app.add_option("--top", options.top,
                 "How many of the largest tensors to list")
      ->type_name("N")
      ->capture_default_str();
  addReading(app, options.graph);
  addDerivation(app, options.graph);
  app.add_flag("--json", options.json, "Figures as JSON");
  app.callback([&] { command = [&] { return runInfo(options); }; });
}

static void addImport(CLI::App &app, ImportCommandOptions &options,
                      Command &command) {
  addGraph(app, options.graph)->capture_default_str();
  app.add_option("-o,--output", options.outputPath,
                 "Graph file; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  addReading(app, options.graph);
  app.add_flag("--training", options.training,
               "Add the derived backward pass: a training graph");
  addFrozen(app, options.graph);
  app.callback([&] { command = [&] { return runImport(options); }; });
}

// CLI11 misses a subcommand where a wrong one was given.
static std::string usageMessage(const CLI::App &app,
                                const CLI::ParseError &error) {
  std::vector<std::string> extra = app.remaining();
  std::string text = error.what();
  if (app.get_subcommands().empty() && !extra.empty())
    text = "unknown command or option '" + extra.front() + "'";
  return text + "; reprise --help shows what there is";
}

static int run(int argc, char **argv) {
  CLI::App app("Plans recomputation: trains in less memory for a little more "
               "work.",
               "reprise");
  app.set_version_flag("--version", "reprise " REPRISE_VERSION
                                    " (LLVM " LLVM_VERSION_STRING ")");
  app.require_subcommand(1);
  app.footer(kFooter);
  Command command;
  PlanCommandOptions planOptions;
  CheckCommandOptions checkOptions;
  InfoCommandOptions infoOptions;
  ImportCommandOptions importOptions;
  addPlan(*app.add_subcommand("plan", "Plan a schedule within a budget"),
          planOptions, command);
  addCheck(*app.add_subcommand("check", "Check a schedule against its graph"),
           checkOptions, command);
  addInfo(*app.add_subcommand("info", "Show what a graph holds and needs"),
          infoOptions, command);
  addImport(*app.add_subcommand("import", "Write a model as a graph file with "
                                          "all costs"),
            importOptions, command);
  for (CLI::App *subcommand : app.get_subcommands({}))
    subcommand->footer(kFooter);

  llvm::Expected<int> code = kExitYes;
  try {
    app.parse(argc, argv);
    code = command();
  } catch (const CLI::ParseError &error) {
    std::ostringstream text;
    if (app.exit(error, text, text) != 0) {
      printError(usageMessage(app, error));
      return kExitError;
    }
    llvm::outs() << text.str();
    if (llvm::Error e = finishOutput())
      code = std::move(e);
  }
  if (code)
    return *code;
  printErrors(code.takeError());
  return kExitError;
}

int main(int argc, char **argv) {
  // A reader that went away shows as a failed write, which is told and fails,
  // rather than as a silent death with half a schedule written.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    printError(error.what());
  }
  return kExitError;
}
