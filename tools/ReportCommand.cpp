// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/Error.h"
#include "reprise/io/OutputFile.h"
#include "reprise/planner/Curve.h"
#include "reprise/tools/Arguments.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"
#include "reprise/tools/PlanSummary.h"
#include "reprise/tools/ReportPage.h"
#include "reprise/tools/ScheduleInput.h"

namespace reprise {

namespace {

/// The arguments of `reprise report`, as written.
struct ReportCommandOptions {
  PlanningArguments planning;
  std::string schedulePath; ///< empty: plan
  std::string outputPath = "-";
  std::string strategy = "auto";
  SearchArguments search;
  uint32_t points = 16; ///< of the curve; 0: none
  size_t top = 25;      ///< rows of each table
  unsigned depth = 0;   ///< see explain()
};

/// A plan with what is said of it.
struct PlanToReport {
  std::string strategy;
  std::optional<double> lowerBound;
  std::optional<int64_t> budgetBytes;
};

} // namespace

/// The curve of the strategy that answers all budgets at once, with the plan of
/// the report: it is one for every budget that its peak fits.
static llvm::Expected<std::optional<Curve>>
sketchCurve(const Problem &problem, PlanOptions options, uint32_t points,
            const CurvePlan &reported) {
  if (points == 0)
    return std::optional<Curve>();
  options.start.clear();
  options.strategy = "chain";
  llvm::Expected<Curve> curve =
      planCurve(problem, curveBudgets(problem.graph, points), options);
  if (!curve)
    return curve.takeError();
  for (CurvePoint &point : curve->points)
    if (point.budgetBytes >= reported.peakBytes &&
        (!point.plan || point.plan->cost > reported.cost)) {
      point.plan = reported;
      point.lowerBound = std::min(point.lowerBound, reported.cost);
    }
  return std::optional<Curve>(std::move(*curve));
}

/// Explains \p plan of \p problem and writes the page.
static llvm::Error report(const ReportCommandOptions &options,
                          const Problem &problem, const Plan &plan,
                          const PlanToReport &about,
                          const PlanOptions &planOptions) {
  const Graph &graph = problem.graph;
  llvm::Expected<Explanation> explanation =
      explain(graph, problem.costs, plan, options.depth);
  if (!explanation)
    return explanation.takeError();
  llvm::Expected<std::optional<Curve>> curve =
      sketchCurve(problem, planOptions, options.points,
                  {explanation->simulation.peakBytes,
                   explanation->simulation.cost, about.strategy});
  if (!curve)
    return curve.takeError();
  ExplainOutput output{graph,
                       plan,
                       *explanation,
                       problem.objective,
                       about.budgetBytes,
                       peakOfRuns(graph, graph.order()),
                       costOfRuns(problem.costs, graph.order()),
                       options.top};
  return writeOutput(options.outputPath,
                     writeReport({output, about.strategy, about.lowerBound,
                                  *curve ? &**curve : nullptr}));
}

static llvm::Error reportSchedule(const ReportCommandOptions &options,
                                  const PlanOptions &planOptions) {
  llvm::Expected<ScheduleInput> input = loadSchedule(
      options.planning.graph, options.schedulePath, options.planning.control);
  if (!input)
    return input.takeError();
  Problem problem{.graph = input->loaded.graph,
                  .objective = input->objective,
                  .costs = input->costs};
  return report(
      options, problem, input->plan,
      {input->file.strategy, input->file.lowerBound, input->file.budgetBytes},
      planOptions);
}

/// Writes the report. Returns the exit code; a fault of the input or of I/O is
/// an InputError.
static llvm::Expected<int> runReport(const ReportCommandOptions &options) {
  if (llvm::Error e = checkWritable(options.outputPath))
    return e;
  InterruptGuard interrupt;
  PlanOptions planOptions = options.search.planOptions();
  planOptions.strategy = options.strategy;
  planOptions.stop = &interrupt.flag();
  Progress progress("reprise: reporting");
  if (!options.schedulePath.empty()) {
    if (!options.planning.budget.empty())
      return makeInputError("--budget: the schedule has its own");
    if (llvm::Error e = reportSchedule(options, planOptions))
      return e;
  } else {
    auto input = PlanningInput::load(options.planning);
    if (!input)
      return input.takeError();
    Problem problem = (*input)->problem();
    llvm::Expected<PlanResult> result = plan(problem, planOptions);
    if (!result) {
      llvm::Error rest = llvm::handleErrors(
          result.takeError(), [](const InfeasibleBudget &infeasible) {
            printError(infeasible.message());
          });
      if (rest)
        return rest;
      return kExitNo;
    }
    boundWithoutRules(**input, problem, *result);
    std::optional<int64_t> budgetBytes;
    if (problem.budgetBytes != kNoBudget)
      budgetBytes = problem.budgetBytes;
    if (llvm::Error e = report(
            options, problem, result->plan,
            {result->strategy, result->lowerBound, budgetBytes}, planOptions))
      return e;
  }
  if (llvm::Error e = finishOutput())
    return e;
  return interrupt.flag() ? kExitInterrupted : kExitYes;
}

void addReportCommand(CLI::App &app, Command &chosen) {
  CLI::App &command = *app.add_subcommand(
      "report", "Write a page with pictures of a schedule, or of a new plan");
  auto options = std::make_shared<ReportCommandOptions>();
  addGraph(command, options->planning.graph)->required();
  command
      .add_option("SCHEDULE", options->schedulePath,
                  "Schedule file; none: plan within the budget")
      ->type_name("");
  addBudget(command, options->planning);
  command
      .add_option("-o,--output", options->outputPath,
                  "HTML file; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command
      .add_option("--points", options->points,
                  "Budgets of the curve of memory and cost; 0: no curve")
      ->type_name("N")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command.add_option("--top", options->top, "Rows of each table")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--depth", options->depth,
                  "Parts of a node's name that make its layer; default: the "
                  "fewest that make four layers")
      ->type_name("N")
      ->check(CLI::Range(1, 100));
  addStrategy(command, options->strategy);
  addControl(command, options->planning.control);
  addCosts(command, options->planning.costs);
  addSearch(command, options->search);
  addReading(command, options->planning.graph);
  addDerivation(command, options->planning.graph);
  command.callback([&chosen, options] {
    chosen = [options] { return runReport(*options); };
  });
}

} // namespace reprise
