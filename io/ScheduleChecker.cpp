// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/ScheduleChecker.h"

#include "reprise/io/ArenaChecker.h"
#include "reprise/io/Json.h"
#include "reprise/io/ScheduleReplay.h"
#include "reprise/io/ScheduleWriter.h"

#include <cmath>

namespace reprise {

/// How far two sums of the same costs may be apart: the order of the additions
/// is not part of the format.
static constexpr double kCostTolerance = 1e-9;

static bool isClose(double a, double b) {
  return std::fabs(a - b) <=
         kCostTolerance * std::max(std::fabs(a), std::fabs(b));
}

static std::string showNumber(double value) {
  std::string text;
  appendJsonNumber(text, value);
  return text;
}

/// Compares a claimed number of bytes with the true one.
static void compareBytes(llvm::StringRef field,
                         const std::optional<int64_t> &claimed, int64_t found,
                         Findings &findings) {
  if (claimed && *claimed != found)
    findings.add(field + ": the file says " + llvm::Twine(*claimed) +
                 ", the replay finds " + llvm::Twine(found));
}

static void compareCosts(llvm::StringRef field,
                         const std::optional<double> &claimed, double found,
                         Findings &findings) {
  if (claimed && !isClose(*claimed, found))
    findings.add(field + ": the file says " + showNumber(*claimed) +
                 ", the replay finds " + showNumber(found));
}

static void checkIdentity(const LoadedGraph &loaded, const ScheduleFile &file,
                          Findings &findings) {
  if (file.sha256 && *file.sha256 != loaded.sha256)
    findings.add("graph: the schedule is for another graph: its sha256 is " +
                 *file.sha256 + ", this file's is " + loaded.sha256);
  if (file.graphName && *file.graphName != loaded.graph.name())
    findings.add("graph: the schedule is for another graph: its name is '" +
                 *file.graphName + "', this one's is '" + loaded.graph.name() +
                 "'");
}

/// Cost of one run of each node in the unit \p objective.
static std::vector<double> unitCosts(const Graph &graph,
                                     llvm::StringRef objective,
                                     const std::optional<Device> &device,
                                     Findings &findings) {
  if (objective == "seconds" && device)
    return rooflineSeconds(graph, *device);
  std::vector<double> costs(graph.numNodes(), 0);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    if (objective == "flops") {
      costs[n] = graph.flops(n);
      continue;
    }
    if (graph.seconds(n) < 0)
      findings.add("objective: seconds, but node " + graph.nodeName(n) +
                   " has no time");
    costs[n] = std::max(0.0, graph.seconds(n));
  }
  return costs;
}

static void checkClaims(const ScheduleFile &file, const ScheduleCheck &check,
                        Findings &findings) {
  if (file.budgetBytes && check.peakBytes > *file.budgetBytes)
    findings.add("budget: the peak " + llvm::Twine(check.peakBytes) +
                 " exceeds the budget " + llvm::Twine(*file.budgetBytes));
  if (!file.peakBytes)
    findings.add("peak_memory: expected an integer, got nothing");
  if (!file.cost)
    findings.add("cost: expected a number, got nothing");
  compareBytes("peak_memory", file.peakBytes, check.peakBytes, findings);
  compareCosts("cost", file.cost, check.cost, findings);
  compareBytes("baseline: peak_memory", file.baselinePeakBytes,
               check.baselinePeakBytes, findings);
  compareCosts("baseline: cost", file.baselineCost, check.baselineCost,
               findings);
  if (file.lowerBound && *file.lowerBound > check.cost &&
      !isClose(*file.lowerBound, check.cost))
    findings.add("lower_bound: " + showNumber(*file.lowerBound) +
                 " is above the cost " + showNumber(check.cost));
}

ScheduleCheck checkSchedule(const LoadedGraph &loaded, const ScheduleFile &file,
                            const ScheduleCheckOptions &options) {
  const Graph &graph = loaded.graph;
  Findings findings;
  ScheduleCheck check;
  if (!options.allowOtherGraph)
    checkIdentity(loaded, file, findings);
  check.objective = !file.objective.empty()
                        ? file.objective
                        : (graph.isTimed() ? "seconds" : "flops");
  std::vector<double> costs =
      unitCosts(graph, check.objective, file.device, findings);
  ReplayFigures figures = replaySchedule(graph, file, costs, findings);
  check.peakBytes = figures.peakBytes;
  check.peakStep = figures.peakStep;
  check.cost = figures.cost;
  check.recomputedRuns = figures.recomputedRuns;
  check.baselinePeakBytes = baselinePeakBytes(graph);
  CompensatedSum once;
  for (double cost : costs)
    once.add(cost);
  check.baselineCost = once.total();
  checkClaims(file, check, findings);
  if (file.arena)
    checkArena(graph, file, figures, findings);
  check.costs = std::move(costs);
  check.errors = findings.take();
  for (std::string &error : check.errors)
    error = onOneLine(error);
  return check;
}

} // namespace reprise
