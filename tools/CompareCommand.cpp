// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/ByteSize.h"
#include "reprise/planner/Comparison.h"
#include "reprise/planner/Strategies.h"
#include "reprise/tools/Arguments.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace reprise {

namespace {

/// The arguments of `reprise compare`, as written.
struct CompareCommandOptions {
  PlanningArguments planning;
  std::vector<std::string> strategies; ///< empty: all
  SearchArguments search;
  bool json = false;
};

} // namespace

static double excess(double cost, double base) {
  return base > 0 && cost > base ? (cost - base) / base : 0;
}

static void printComparison(llvm::raw_ostream &os, const Problem &problem,
                            const Comparison &comparison) {
  os << "graph        " << problem.graph.name() << ", "
     << problem.graph.numNodes() << " nodes\n"
     << "budget       "
     << (problem.budgetBytes == kNoBudget ? "none"
                                          : formatBytes(problem.budgetBytes))
     << " (" << formatBytes(comparison.baselinePeakBytes)
     << " without recomputation)\n"
     << "lower bound  " << formatCost(comparison.lowerBound, problem.objective)
     << "\n\n"
     << "strategy          peak            cost  overhead       gap  again  "
        "seconds\n";
  for (const ComparedPlan &plan : comparison.plans) {
    os << llvm::formatv("{0,-9} {1,12}", plan.strategy,
                        formatBytes(plan.peakBytes));
    if (plan.fits)
      os << llvm::formatv(
          " {0,15} {1,9} {2,9} {3,6}", formatCost(plan.cost, problem.objective),
          formatExcess(plan.cost, comparison.baselineCost),
          formatExcess(plan.cost, comparison.lowerBound).substr(1),
          std::to_string(plan.recomputedRuns));
    else
      os << llvm::formatv(" {0,15} {1,9} {2,9} {3,6}", "does not fit", "", "",
                          "");
    os << llvm::formatv(" {0,8:f2}\n", plan.seconds);
  }
}

static void printComparisonJson(llvm::raw_ostream &os, const Problem &problem,
                                const Comparison &comparison) {
  llvm::json::OStream json(os, 2);
  auto orNull = [](bool isKnown, llvm::json::Value value) {
    return isKnown ? std::move(value) : llvm::json::Value(nullptr);
  };
  json.object([&] {
    json.attribute("graph", problem.graph.name());
    json.attribute("objective", objectiveName(problem.objective));
    json.attribute("budget", orNull(problem.budgetBytes != kNoBudget,
                                    problem.budgetBytes));
    json.attributeObject("baseline", [&] {
      json.attribute("peak_memory", comparison.baselinePeakBytes);
      json.attribute("cost", comparison.baselineCost);
    });
    json.attribute("lower_bound", comparison.lowerBound);
    json.attributeArray("strategies", [&] {
      for (const ComparedPlan &plan : comparison.plans)
        json.object([&] {
          json.attribute("strategy", plan.strategy);
          json.attribute("fits", plan.fits);
          json.attribute("peak_memory", plan.peakBytes);
          json.attribute("cost", plan.cost);
          json.attribute("overhead",
                         excess(plan.cost, comparison.baselineCost));
          json.attribute(
              "gap",
              orNull(plan.fits, excess(plan.cost, comparison.lowerBound)));
          json.attribute("recomputed_runs", int64_t(plan.recomputedRuns));
          json.attribute("seconds", plan.seconds);
        });
    });
  });
  os << '\n';
}

/// Runs the strategies and prints the table. Returns the exit code; a fault of
/// the input is an InputError.
static llvm::Expected<int> runCompare(const CompareCommandOptions &options) {
  auto input = PlanningInput::load(options.planning);
  if (!input)
    return input.takeError();
  Problem problem = (*input)->problem();
  std::vector<std::string> names = options.strategies;
  if (names.empty())
    for (const Strategy &strategy : strategies())
      names.push_back(strategy.name.str());

  InterruptGuard interrupt;
  PlanOptions planOptions = options.search.planOptions();
  planOptions.stop = &interrupt.flag();
  llvm::Expected<Comparison> comparison = [&] {
    Progress progress("reprise: comparing strategies on " +
                      problem.graph.name().str());
    return compareStrategies(problem, names, planOptions);
  }();
  if (!comparison)
    return comparison.takeError();
  if (options.json)
    printComparisonJson(llvm::outs(), problem, *comparison);
  else
    printComparison(llvm::outs(), problem, *comparison);
  if (llvm::Error e = finishOutput())
    return e;
  if (interrupt.flag())
    return kExitInterrupted;
  bool anyFits = llvm::any_of(
      comparison->plans, [](const ComparedPlan &plan) { return plan.fits; });
  return anyFits ? kExitYes : kExitNo;
}

void addCompareCommand(CLI::App &app, Command &chosen) {
  CLI::App &command = *app.add_subcommand(
      "compare", "Show what each strategy makes of a budget");
  auto options = std::make_shared<CompareCommandOptions>();
  addGraph(command, options->planning.graph)->capture_default_str();
  addBudget(command, options->planning);
  command
      .add_option("--strategies", options->strategies,
                  "The strategies to compare; default: all")
      ->type_name("STRATEGY,STRATEGY,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  addControl(command, options->planning.control);
  addCosts(command, options->planning.costs);
  addSearch(command, options->search)
      ->description("Wall-clock limit of each strategy in seconds; default: by "
                    "the size of "
                    "the graph, 10 for optimal");
  addReading(command, options->planning.graph);
  addDerivation(command, options->planning.graph);
  command.add_flag("--json", options->json, "The table as JSON");
  command.callback([&chosen, options] {
    chosen = [options] { return runCompare(*options); };
  });
}

} // namespace reprise
