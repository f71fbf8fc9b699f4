// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/PlanCommand.h"

#include "reprise/graph/Error.h"
#include "reprise/io/ByteSize.h"
#include "reprise/io/NodeWriter.h"
#include "reprise/io/OutputFile.h"
#include "reprise/io/ScheduleWriter.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Planner.h"
#include "reprise/planner/SmallestBudget.h"
#include "reprise/tools/Console.h"
#include "reprise/tools/GraphInput.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <chrono>

namespace reprise {

namespace {

/// What the summary says beyond the plan itself.
struct PlanSummary {
  const Graph &graph;
  const Problem &problem;
  double seconds = 0; ///< wall clock of the planning
  /// The proven floor of any peak, where the smallest peak was asked for.
  std::optional<int64_t> floorBytes;
};

} // namespace

// From arguments to a problem.

static llvm::Expected<int64_t> chooseBudget(const Graph &graph,
                                            llvm::StringRef text) {
  if (text.empty())
    return kNoBudget;
  llvm::Expected<ByteSize> size = parseByteSize(text);
  if (!size)
    return prefixError("--budget: ", size.takeError());
  int64_t baselinePeakBytes = peakOfRuns(graph, graph.order());
  int64_t bytes = size->resolve(baselinePeakBytes);
  // Nobody has no memory at all: such a budget is a slip.
  if (bytes == 0 && baselinePeakBytes > 0)
    return makeInputError("--budget: expected more than 0 bytes, got '" + text +
                          "'");
  return bytes;
}

/// The share in `--max-overhead 20%`.
static llvm::Expected<double> parseOverhead(llvm::StringRef text) {
  if (text.empty())
    return kNoOverheadLimit;
  llvm::StringRef number = text;
  double percent = 0;
  if (!number.consume_back("%") || number.trim().getAsDouble(percent) ||
      !(percent >= 0 && percent <= 1e6))
    return makeInputError("--max-overhead: expected a percentage such as "
                          "20%, got '" +
                          text + "'");
  return percent / 100;
}

static llvm::Expected<Problem> makeProblem(const Graph &graph,
                                           const CostInput &costs,
                                           llvm::StringRef budget) {
  llvm::Expected<int64_t> budgetBytes = chooseBudget(graph, budget);
  if (!budgetBytes)
    return budgetBytes.takeError();
  return Problem{.graph = graph,
                 .objective = costs.objective,
                 .costs = costs.costs,
                 .budgetBytes = *budgetBytes};
}

static ScheduleInfo scheduleInfo(const GraphInput &input,
                                 const Problem &problem,
                                 const PlanResult &result) {
  ScheduleInfo info;
  info.graphName = input.loaded.graph.name().str();
  info.sha256 = input.loaded.sha256;
  info.nodesJson = writeDerivedNodes(input.derived.nodes);
  info.strategy = result.strategy;
  info.objective = problem.objective;
  if (problem.budgetBytes != kNoBudget)
    info.budgetBytes = problem.budgetBytes;
  info.peakBytes = result.simulation.peakBytes;
  info.cost = result.simulation.cost;
  info.baselinePeakBytes = result.baselinePeakBytes;
  info.baselineCost = result.baselineCost;
  info.lowerBound = result.lowerBound;
  return info;
}

// What people and programs are told.

static void writeInfeasibleJson(llvm::raw_ostream &os, const Graph &graph,
                                const InfeasibleBudget &error) {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("graph", graph.name());
    json.attribute("feasible", false);
    json.attribute("budget", error.budgetBytes);
    json.attribute("constant_memory", error.constantBytes);
    json.attribute("floor_memory", error.floorBytes);
    if (error.floorNode.empty())
      json.attribute("floor_node", nullptr);
    else
      json.attribute("floor_node", error.floorNode);
    json.attribute("smallest_budget", error.smallestBytes);
    json.attribute("baseline_peak_memory", error.baselinePeakBytes);
  });
  os << '\n';
}

// Share by which the cost may still be above the best possible one.
static double gapOf(const PlanResult &result) {
  double cost = result.simulation.cost;
  return result.lowerBound > 0 && cost > result.lowerBound
             ? (cost - result.lowerBound) / result.lowerBound
             : 0;
}

static void writeSummaryJson(llvm::raw_ostream &os, const PlanSummary &summary,
                             const PlanResult &result) {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("graph", summary.graph.name());
    json.attribute("feasible", true);
    if (summary.problem.budgetBytes == kNoBudget)
      json.attribute("budget", nullptr);
    else
      json.attribute("budget", summary.problem.budgetBytes);
    json.attribute("peak_memory", result.simulation.peakBytes);
    if (summary.floorBytes)
      json.attribute("floor_memory", *summary.floorBytes);
    json.attribute("objective", objectiveName(summary.problem.objective));
    json.attribute("cost", result.simulation.cost);
    json.attributeObject("baseline", [&] {
      json.attribute("peak_memory", result.baselinePeakBytes);
      json.attribute("cost", result.baselineCost);
    });
    double base = result.baselineCost;
    json.attribute("overhead",
                   base > 0 ? (result.simulation.cost - base) / base : 0.0);
    json.attribute("recomputed_runs",
                   int64_t(result.simulation.recomputedRuns));
    json.attribute("lower_bound", result.lowerBound);
    json.attribute("gap", gapOf(result));
    json.attribute("strategy", result.strategy);
    json.attribute("seconds", summary.seconds);
    json.attribute("interrupted", result.stopped);
  });
  os << '\n';
}

static void writeSummaryText(llvm::raw_ostream &os, const PlanSummary &summary,
                             const PlanResult &result) {
  Objective objective = summary.problem.objective;
  int64_t budgetBytes = summary.problem.budgetBytes;
  double cost = result.simulation.cost;
  size_t recomputed = result.simulation.recomputedRuns;
  os << "graph        " << summary.graph.name() << ", "
     << summary.graph.numNodes() << " nodes\n";
  os << "budget       "
     << (budgetBytes == kNoBudget ? "none" : formatBytes(budgetBytes)) << '\n';
  os << "peak         " << formatBytes(result.simulation.peakBytes) << " (of "
     << formatBytes(result.baselinePeakBytes) << " without recomputation)\n";
  if (summary.floorBytes)
    os << "floor        " << formatBytes(*summary.floorBytes)
       << ": no plan peaks lower\n";
  os << "cost         " << formatCost(cost, objective) << ", "
     << formatExcess(cost, result.baselineCost) << '\n';
  os << "recomputed   " << recomputed
     << (recomputed == 1 ? " time\n" : " times\n");
  os << "lower bound  " << formatCost(result.lowerBound, objective);
  if (cost > result.lowerBound)
    os << ", gap " << formatExcess(cost, result.lowerBound).substr(1) << '\n';
  else
    os << ", reached\n";
  os << "strategy     " << result.strategy
     << llvm::formatv(", {0:f2} s\n", summary.seconds);
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
  if (llvm::Error e = finishOutput())
    return e;
  if (interrupted)
    printNote("interrupted: a longer search might have found a plan");
  return interrupted ? kExitInterrupted : kExitNo;
}

llvm::Expected<int> runPlan(const PlanCommandOptions &options) {
  llvm::Expected<GraphInput> input = loadTrainingGraph(options.graph);
  if (!input)
    return input.takeError();
  const Graph &graph = input->loaded.graph;
  llvm::Expected<CostInput> costs = chooseCosts(graph, options.costs);
  if (!costs)
    return costs.takeError();
  llvm::Expected<Problem> problem = makeProblem(graph, *costs, options.budget);
  if (!problem)
    return problem.takeError();

  llvm::Expected<double> maxOverhead = parseOverhead(options.maxOverhead);
  if (!maxOverhead)
    return maxOverhead.takeError();

  // A target that cannot be written is told before the work, not after it.
  if (llvm::Error e = checkWritable(options.outputPath))
    return e;

  InterruptGuard interrupt;
  PlanOptions planOptions;
  planOptions.strategy = options.strategy;
  planOptions.timeLimitSeconds = options.timeLimitSeconds;
  planOptions.effort = options.effort;
  planOptions.seed = options.seed;
  planOptions.threads = options.threads;
  planOptions.bound =
      options.bound == "lp" ? BoundEffort::Lp : BoundEffort::Fast;
  planOptions.stop = &interrupt.flag();
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<PlanResult> result = [&] {
    Progress progress("reprise: planning " + graph.name().str());
    return options.minimize.empty()
               ? plan(*problem, planOptions)
               : planSmallestBudget(*problem, planOptions, *maxOverhead);
  }();
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (!result)
    return refuse(result.takeError(), graph, options, interrupt.flag());

  PlanSummary summary{graph, *problem, elapsed.count(), std::nullopt};
  if (!options.minimize.empty()) {
    problem->budgetBytes = result->simulation.peakBytes;
    summary.floorBytes = peakFloor(graph).bytes;
  }
  ScheduleInfo info = scheduleInfo(*input, *problem, *result);
  info.device = costs->device;
  if (llvm::Error e = writeOutput(options.outputPath,
                                  writeSchedule(graph, info, result->plan)))
    return e;
  if (options.json)
    writeSummaryJson(jsonStream(options), summary, *result);
  else
    writeSummaryText(llvm::errs(), summary, *result);
  if (llvm::Error e = finishOutput())
    return e;
  if (!interrupt.flag())
    return kExitYes;
  printNote("interrupted: the best plan found by then was written");
  return kExitInterrupted;
}

} // namespace reprise
