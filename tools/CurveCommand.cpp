// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/graph/Error.h"
#include "reprise/io/CurveWriter.h"
#include "reprise/io/OutputFile.h"
#include "reprise/tools/Arguments.h"
#include "reprise/tools/Charts.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"
#include "reprise/tools/ProblemInput.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

namespace {

/// The arguments of `reprise curve`, as written.
struct CurveCommandOptions {
  GraphArguments graph;
  std::string outputPath = "-"; ///< "-": standard output
  uint32_t points = 20;
  std::vector<std::string> budgets; ///< see parseByteSize(); empty: points
  std::string strategy = "auto";
  std::string format = "csv";
  CostArguments costs;
  SearchArguments search;
};

} // namespace

static llvm::Expected<std::vector<int64_t>>
chooseBudgets(const Graph &graph, const CurveCommandOptions &options) {
  if (options.budgets.empty())
    return curveBudgets(graph, options.points);
  std::vector<int64_t> budgets;
  for (const std::string &text : options.budgets) {
    if (text.empty())
      return makeInputError("--budgets: expected sizes with commas between, "
                            "got an empty one");
    llvm::Expected<int64_t> bytes = chooseBudget(graph, text);
    if (!bytes)
      return bytes.takeError();
    budgets.push_back(*bytes);
  }
  return budgets;
}

/// Plans for all budgets and writes the figures. Returns the exit code; a
/// fault of the input or of I/O is an InputError.
static llvm::Expected<int> runCurve(const CurveCommandOptions &options) {
  llvm::Expected<GraphInput> input = loadTrainingGraph(options.graph);
  if (!input)
    return input.takeError();
  const Graph &graph = input->loaded.graph;
  llvm::Expected<CostInput> costs = chooseCosts(graph, options.costs);
  if (!costs)
    return costs.takeError();
  llvm::Expected<std::vector<int64_t>> budgets = chooseBudgets(graph, options);
  if (!budgets)
    return budgets.takeError();
  llvm::Expected<Problem> problem = makeProblem(graph, *costs, "");
  if (!problem)
    return problem.takeError();
  if (llvm::Error e = checkWritable(options.outputPath))
    return e;

  InterruptGuard interrupt;
  PlanOptions planOptions = options.search.planOptions();
  planOptions.strategy = options.strategy;
  planOptions.stop = &interrupt.flag();
  llvm::Expected<Curve> curve = [&] {
    Progress progress("reprise: planning " + graph.name().str() + " for " +
                      std::to_string(budgets->size()) + " budgets");
    return planCurve(*problem, *budgets, planOptions);
  }();
  if (!curve)
    return curve.takeError();

  CurveInfo info{graph.name().str(), input->loaded.sha256, costs->objective};
  std::string text = options.format == "svg"
                         ? drawCurve(graph.name(), *curve).document()
                     : options.format == "json" ? writeCurveJson(info, *curve)
                                                : writeCurveCsv(*curve);
  if (llvm::Error e = writeOutput(options.outputPath, text))
    return e;
  if (llvm::Error e = finishOutput())
    return e;
  if (interrupt.flag()) {
    printNote("interrupted: the best plans found by then were written");
    return kExitInterrupted;
  }
  bool anyFits = llvm::any_of(
      curve->points, [](const CurvePoint &point) { return point.plan; });
  if (!anyFits)
    printError("no plan was found for any of the budgets");
  return anyFits ? kExitYes : kExitNo;
}

void addCurveCommand(CLI::App &app, Command &chosen) {
  CLI::App &command = *app.add_subcommand(
      "curve", "Show what plans cost in budgets from small to large");
  auto options = std::make_shared<CurveCommandOptions>();
  addGraph(command, options->graph)->capture_default_str();
  CLI::Option *points =
      command
          .add_option("--points", options->points,
                      "Number of budgets, evenly spaced from the floor of any "
                      "peak to the peak without recomputation")
          ->type_name("N")
          ->check(CLI::Range(1, 100'000))
          ->capture_default_str();
  command
      .add_option("--budgets", options->budgets,
                  "The budgets: bytes, 8GiB, 8GB, or 60% of the peak without "
                  "recomputation")
      ->type_name("SIZE,SIZE,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->excludes(points);
  addStrategy(command, options->strategy);
  command
      .add_option("-o,--output", options->outputPath,
                  "File of the curve; - is the standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command.add_option("--format", options->format, "Format of the curve")
      ->type_name("csv|json|svg")
      ->check(CLI::IsMember({"csv", "json", "svg"}))
      ->capture_default_str();
  addCosts(command, options->costs);
  addSearch(command, options->search);
  addReading(command, options->graph);
  addDerivation(command, options->graph);
  command.callback([&chosen, options] {
    chosen = [options] { return runCurve(*options); };
  });
}

} // namespace reprise
