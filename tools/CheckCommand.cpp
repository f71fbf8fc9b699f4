// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/Error.h"
#include "reprise/io/ByteSize.h"
#include "reprise/io/ScheduleChecker.h"
#include "reprise/tools/Arguments.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"

#include "llvm/Support/JSON.h"

namespace reprise {

namespace {

/// The arguments of `reprise check`, as written.
struct CheckCommandOptions {
  GraphArguments graph;
  std::string schedulePath;
  bool allowOtherGraph = false; ///< do not compare the graph's digest
  ControlArguments control;     ///< only what is allowed
  bool json = false;
};

} // namespace

static void printText(const ScheduleCheck &check) {
  llvm::raw_ostream &os = llvm::outs();
  for (const std::string &error : check.errors)
    os << "invalid: " << error << '\n';
  if (!check.isValid())
    return;
  Objective objective =
      check.objective == "seconds" ? Objective::Seconds : Objective::Flops;
  os << "valid: peak " << formatBytes(check.peakBytes) << " of "
     << formatBytes(check.baselinePeakBytes) << ", cost "
     << formatCost(check.cost, objective) << " ("
     << formatExcess(check.cost, check.baselineCost) << "), "
     << check.recomputedRuns
     << (check.recomputedRuns == 1 ? " recomputation\n" : " recomputations\n");
}

static void printJson(const ScheduleCheck &check) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.object([&] {
    json.attribute("valid", check.isValid());
    json.attributeArray("errors", [&] {
      for (const std::string &error : check.errors)
        json.value(error);
    });
    json.attribute("peak_memory", check.peakBytes);
    json.attribute("peak_step", int64_t(check.peakStep));
    json.attribute("objective", check.objective);
    json.attribute("cost", check.cost);
    json.attribute("recomputed_runs", int64_t(check.recomputedRuns));
    json.attributeObject("baseline", [&] {
      json.attribute("peak_memory", check.baselinePeakBytes);
      json.attribute("cost", check.baselineCost);
    });
  });
  llvm::outs() << '\n';
}

/// Replays the schedule on the graph and prints the verdict: one line when it
/// is valid, else every fault found. Returns the exit code.
static llvm::Expected<int> runCheck(const CheckCommandOptions &options) {
  if (options.graph.path == "-" && options.schedulePath == "-")
    return makeInputError("only one of GRAPH and SCHEDULE can be '-'");
  llvm::Expected<ScheduleFile> file = readSchedule(options.schedulePath);
  if (!file)
    return file.takeError();
  llvm::Expected<LoadedGraph> loaded = loadGraph(options.graph, &file->nodes);
  if (!loaded)
    return loaded.takeError();
  if (llvm::Error e = liftRules(*loaded, options.control))
    return e;
  ScheduleCheck check = checkSchedule(
      *loaded, *file, {.allowOtherGraph = options.allowOtherGraph});
  if (options.json)
    printJson(check);
  else
    printText(check);
  if (llvm::Error e = finishOutput())
    return e;
  return check.isValid() ? kExitYes : kExitNo;
}

void addCheckCommand(CLI::App &app, Command &chosen) {
  CLI::App &command =
      *app.add_subcommand("check", "Check a schedule against its graph");
  auto options = std::make_shared<CheckCommandOptions>();
  addGraph(command, options->graph)->required();
  command
      .add_option("SCHEDULE", options->schedulePath,
                  "Schedule file; - is the standard input")
      ->type_name("")
      ->required();
  command.add_flag(
      "--allow-other-graph", options->allowOtherGraph,
      "Check even if the schedule was made for another graph file");
  addAllow(command, options->control);
  addReading(command, options->graph);
  command.add_flag("--json", options->json, "Verdict as JSON");
  command.callback([&chosen, options] {
    chosen = [options] { return runCheck(*options); };
  });
}

} // namespace reprise
