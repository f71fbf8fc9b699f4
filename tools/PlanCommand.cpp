// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/Error.h"
#include "reprise/io/OutputFile.h"
#include "reprise/planner/ArenaPlanner.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Planner.h"
#include "reprise/planner/SmallestBudget.h"
#include "reprise/tools/Arguments.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"
#include "reprise/tools/EmitFormat.h"
#include "reprise/tools/PlanSummary.h"
#include "reprise/tools/PlanningInput.h"
#include "reprise/tools/ProblemInput.h"
#include "reprise/tools/ScheduleInput.h"

#include <chrono>

namespace reprise {

namespace {

/// The arguments of `reprise plan`, as written.
struct PlanCommandOptions {
  PlanningArguments planning;
  std::string outputPath = "-"; ///< "-": standard output
  std::string emit = emitFormatNames().front();
  std::string minimize;    ///< "memory": no budget, the least peak
  std::string maxOverhead; ///< with it: "20%"; empty: at any price
  std::string strategy = "auto";
  std::string startPath; ///< a schedule to start from; empty: none
  SearchArguments search;
  bool arena = false;     ///< with offsets, and within the budget with them
  int64_t alignment = 64; ///< of the offsets, in bytes
  bool json = false;      ///< summary as JSON
};

} // namespace

/// Sees to it that all was written that is asked for.
static llvm::Error finish(const PlanCommandOptions &options) {
  if (options.json && options.outputPath == "-")
    if (llvm::Error e = finishErrorOutput())
      return e;
  return finishOutput();
}

// With the schedule in a file the standard output is free for JSON.
static llvm::raw_ostream &jsonStream(const PlanCommandOptions &options) {
  return options.outputPath == "-"
             ? llvm::errs()
             : static_cast<llvm::raw_ostream &>(llvm::outs());
}

static llvm::Expected<int> refuse(llvm::Error error, const Graph &graph,
                                  const PlanCommandOptions &options,
                                  bool interrupted) {
  llvm::Error rest = llvm::handleErrors(
      std::move(error), [&](const InfeasibleBudget &infeasible) {
        if (options.json)
          writeInfeasibleJson(jsonStream(options), graph, infeasible);
        printError(infeasible.message());
      });
  if (rest)
    return rest;
  if (llvm::Error e = finish(options))
    return e;
  if (interrupted)
    printNote("interrupted: a longer search might have found a plan");
  return interrupted ? kExitInterrupted : kExitNo;
}

static llvm::Error writePlan(const PlanCommandOptions &options,
                             const PlanningInput &input, const Problem &problem,
                             const PlanResult &result) {
  ScheduleInfo info = describePlan(input.file(), problem, result);
  info.device = input.costs().device;
  llvm::Expected<std::string> text = emitPlan(
      options.emit, {input.file().loaded, info, result, problem.costs});
  if (!text)
    return text.takeError();
  return writeOutput(options.outputPath, *text);
}

static llvm::Expected<RunSequence>
chooseStart(const Problem &problem, const PlanCommandOptions &options) {
  if (options.startPath.empty())
    return RunSequence();
  if (options.strategy != "auto" && options.strategy != "search")
    return makeInputError("--start: only strategies auto and search start from "
                          "a schedule");
  return loadStart(problem, options.startPath);
}

/// The plan of the least peak, with its arena where it is asked for: the
/// budget of \p problem becomes what that takes.
static llvm::Expected<PlanResult>
planLeastMemory(const PlanCommandOptions &options, Problem &problem,
                const PlanOptions &planOptions, double maxOverhead) {
  llvm::Expected<PlanResult> result =
      planSmallestBudget(problem, planOptions, maxOverhead);
  if (!result)
    return result;
  problem.budgetBytes = result->simulation.peakBytes;
  if (!options.arena)
    return result;
  llvm::Expected<PlanArena> arena =
      layOutPlan(problem.graph, result->plan, options.alignment,
                 {.stop = planOptions.stop});
  if (!arena)
    return arena.takeError();
  problem.budgetBytes = std::max(
      problem.budgetBytes, arena->neededBytes + problem.graph.constantBytes());
  result->arena = std::move(*arena);
  return result;
}

static llvm::Expected<PlanResult> makePlan(const PlanCommandOptions &options,
                                           Problem &problem,
                                           const PlanOptions &planOptions,
                                           double maxOverhead) {
  Progress progress("reprise: planning " + problem.graph.name().str());
  if (!options.minimize.empty())
    return planLeastMemory(options, problem, planOptions, maxOverhead);
  return options.arena ? planWithArena(problem, planOptions, options.alignment)
                       : plan(problem, planOptions);
}

/// Plans and writes the schedule, and a summary on the standard error (or, as
/// JSON and with the schedule in a file, on the standard output). Returns the
/// exit code; a fault of the input or of I/O is an InputError.
static llvm::Expected<int> runPlan(const PlanCommandOptions &options) {
  auto input = PlanningInput::load(options.planning);
  if (!input)
    return input.takeError();
  const Graph &graph = (*input)->graph();
  Problem problem = (*input)->problem();
  llvm::Expected<double> maxOverhead = parseOverhead(options.maxOverhead);
  if (!maxOverhead)
    return maxOverhead.takeError();

  llvm::Expected<RunSequence> startRuns = chooseStart(problem, options);
  if (!startRuns)
    return startRuns.takeError();

  // A target that cannot be written is told before the work, not after it.
  if (llvm::Error e = checkWritable(options.outputPath))
    return e;

  InterruptGuard interrupt;
  PlanOptions planOptions = options.search.planOptions();
  planOptions.strategy = options.strategy;
  planOptions.stop = &interrupt.flag();
  planOptions.start = std::move(*startRuns);
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<PlanResult> result =
      makePlan(options, problem, planOptions, *maxOverhead);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (!result && (*input)->hasRules())
    printNote("some nodes must not run again by --keep, --never or what their "
              "operators are known to do: see --allow");
  if (!result)
    return refuse(result.takeError(), graph, options, interrupt.flag());

  boundWithoutRules(**input, problem, *result);

  PlanSummary summary{graph, problem, elapsed.count(), std::nullopt,
                      (*input)->reserveBytes()};
  if (!options.minimize.empty())
    summary.floorBytes = peakFloor((*input)->file().loaded.graph).bytes;
  if (llvm::Error e = writePlan(options, **input, problem, *result))
    return e;
  if (options.json)
    writeSummaryJson(jsonStream(options), summary, *result);
  else
    writeSummaryText(llvm::errs(), summary, *result);
  if (llvm::Error e = finish(options))
    return e;
  if (!interrupt.flag())
    return kExitYes;
  printNote("interrupted: the best plan found by then was written");
  return kExitInterrupted;
}

void addPlanCommand(CLI::App &app, Command &chosen) {
  CLI::App &command =
      *app.add_subcommand("plan", "Plan a schedule within a budget");
  auto options = std::make_shared<PlanCommandOptions>();
  addGraph(command, options->planning.graph)->capture_default_str();
  addBudget(command, options->planning);
  CLI::Option *minimize =
      command
          .add_option("--minimize", options->minimize,
                      "memory: instead of a budget, find the smallest peak")
          ->type_name("memory")
          ->check(CLI::IsMember({"memory"}))
          ->excludes("--budget");
  command
      .add_option("--max-overhead", options->maxOverhead,
                  "Most extra cost that the smallest peak may take, such as "
                  "20%; default: any")
      ->type_name("PERCENT")
      ->needs(minimize);
  CLI::Option *arena = command.add_flag(
      "--arena", options->arena,
      "Place all storages in one block of memory, and let that block and the "
      "graph's inputs and initializers fit the budget");
  command
      .add_option("--alignment", options->alignment,
                  "Bytes of which the offsets in the arena are multiples")
      ->type_name("BYTES")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 30))
      ->capture_default_str()
      ->needs(arena);
  addStrategy(command, options->strategy);
  command
      .add_option("--start", options->startPath,
                  "Schedule to start from, such as one for another budget")
      ->type_name("SCHEDULE")
      ->excludes(minimize);
  command
      .add_option("-o,--output", options->outputPath,
                  "Schedule file; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("--emit", options->emit, "What to write: " + emitFormatHelp())
      ->type_name("FORMAT")
      ->check(CLI::IsMember(emitFormatNames()))
      ->capture_default_str();
  addControl(command, options->planning.control);
  addCosts(command, options->planning.costs);
  addSearch(command, options->search);
  addReading(command, options->planning.graph);
  addDerivation(command, options->planning.graph);
  command.add_flag(
      "--json", options->json,
      "Summary as JSON: on the standard output with -o FILE, else on "
      "the standard error");
  command.callback(
      [&chosen, options] { chosen = [options] { return runPlan(*options); }; });
}

} // namespace reprise
