// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/PlanSummary.h"

#include "reprise/io/ByteSize.h"
#include "reprise/tools/Console.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace reprise {

void writeInfeasibleJson(llvm::raw_ostream &os, const Graph &graph,
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

double gapOf(const PlanResult &result) {
  double cost = result.simulation.cost;
  return result.lowerBound > 0 && cost > result.lowerBound
             ? (cost - result.lowerBound) / result.lowerBound
             : 0;
}

void writeSummaryJson(llvm::raw_ostream &os, const PlanSummary &summary,
                      const PlanResult &result) {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("graph", summary.graph.name());
    json.attribute("feasible", true);
    if (summary.problem.budgetBytes == kNoBudget)
      json.attribute("budget", nullptr);
    else
      json.attribute("budget", summary.problem.budgetBytes);
    if (summary.reserveBytes > 0)
      json.attribute("reserve", summary.reserveBytes);
    json.attribute("peak_memory", result.simulation.peakBytes);
    if (summary.floorBytes)
      json.attribute("floor_memory", *summary.floorBytes);
    if (result.arena)
      json.attributeObject("arena", [&] {
        json.attribute("size", result.arena->bytes);
        json.attribute("size_with_workspaces", result.arena->neededBytes);
        json.attribute("live_memory", result.arena->liveBytes);
        json.attribute("alignment", result.arena->alignment);
      });
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

void writeSummaryText(llvm::raw_ostream &os, const PlanSummary &summary,
                      const PlanResult &result) {
  Objective objective = summary.problem.objective;
  int64_t budgetBytes = summary.problem.budgetBytes;
  double cost = result.simulation.cost;
  size_t recomputed = result.simulation.recomputedRuns;
  os << "graph        " << summary.graph.name() << ", "
     << summary.graph.numNodes() << " nodes\n";
  os << "budget       "
     << (budgetBytes == kNoBudget ? "none" : formatBytes(budgetBytes));
  if (summary.reserveBytes > 0)
    os << ", with " << formatBytes(summary.reserveBytes) << " held in reserve";
  os << '\n';
  os << "peak         " << formatBytes(result.simulation.peakBytes) << " (of "
     << formatBytes(result.baselinePeakBytes) << " without recomputation)\n";
  if (summary.floorBytes)
    os << "floor        " << formatBytes(*summary.floorBytes)
       << ": no plan peaks lower\n";
  if (result.arena)
    os << "arena        " << formatBytes(result.arena->neededBytes) << ", "
       << formatExcess(static_cast<double>(result.arena->neededBytes),
                       static_cast<double>(result.arena->liveBytes))
       << " on what is live, beside constants of "
       << formatBytes(summary.graph.constantBytes()) << '\n';
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

} // namespace reprise
