// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in use at each run: what the plan takes as an area, what keeping
// everything takes as a line behind it.

#include "reprise/io/ByteSize.h"
#include "reprise/planner/Liveness.h"
#include "reprise/tools/Charts.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

static constexpr double kHeight = 330;

static size_t countRuns(const Plan &plan) {
  return llvm::count_if(
      plan.steps, [](const Step &step) { return step.kind != Step::Free; });
}

std::vector<ProfileColumn> profileOf(const Plan &plan,
                                     llvm::ArrayRef<int64_t> usageBytes,
                                     size_t columns) {
  size_t runs = countRuns(plan);
  size_t count = std::min(runs, columns);
  std::vector<ProfileColumn> profile;
  size_t run = 0;
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    if (plan.steps[k].kind == Step::Free)
      continue;
    // Column i has the runs from i * runs / count on.
    if (run++ >= profile.size() * runs / count) {
      profile.push_back({k, usageBytes[k], usageBytes[k]});
      continue;
    }
    ProfileColumn &column = profile.back();
    column.leastBytes = std::min(column.leastBytes, usageBytes[k]);
    if (usageBytes[k] > column.mostBytes) {
      column.mostBytes = usageBytes[k];
      column.step = k;
    }
  }
  return profile;
}

MemoryChart memoryChartOf(const Graph &graph, const Plan &plan,
                          const Simulation &simulation,
                          std::optional<int64_t> budgetBytes) {
  MemoryChart chart;
  chart.title = "Memory in use over one training step of " + graph.name().str();
  Plan keepAll = planFromRuns(graph, graph.order());
  // The baseline need not follow the user's rules: its usages are all that is
  // asked for.
  std::vector<int64_t> usages(keepAll.steps.size(), graph.constantBytes());
  for (const Stay &stay : staysOf(graph, keepAll)) {
    int64_t bytes = graph.storageBytes(graph.storage(stay.owner));
    if (stay.end < usages.size())
      usages[stay.end] -= bytes;
    usages[stay.begin] += bytes;
  }
  for (size_t k = 1; k < usages.size(); ++k)
    usages[k] += usages[k - 1] - graph.constantBytes();
  for (size_t k = 0; k < usages.size(); ++k)
    if (keepAll.steps[k].kind != Step::Free)
      usages[k] += graph.workspaceBytes(keepAll.steps[k].id);
  chart.baseline = profileOf(keepAll, usages, kProfileColumns);
  chart.plan = profileOf(plan, simulation.usageBytes, kProfileColumns);
  chart.baselineRuns = graph.numNodes();
  chart.planRuns = countRuns(plan);
  chart.budgetBytes = budgetBytes;
  size_t turn = turnOf(graph, plan).turn;
  if (turn < plan.steps.size())
    chart.turnRun = llvm::count_if(
        llvm::makeArrayRef(plan.steps).take_front(turn),
        [](const Step &step) { return step.kind != Step::Free; });
  chart.baselinePeakBytes = peakOfRuns(graph, graph.order());
  chart.planPeakBytes = simulation.peakBytes;
  return chart;
}

/// The upper edge of \p columns from left to right, as SVG commands, and back
/// along the lower edge where there is one.
static std::string edgeOf(llvm::ArrayRef<ProfileColumn> columns, double width,
                          const Scale &y, bool isArea) {
  std::string d;
  auto xOf = [&](size_t i) {
    return coordinate(kMemoryLeft + width * double(i) / double(columns.size()));
  };
  for (size_t i = 0; i < columns.size(); ++i)
    d += (i == 0 ? "M" + xOf(0) + " " : "V") +
         coordinate(y(double(columns[i].mostBytes))) + "H" + xOf(i + 1);
  if (isArea && !columns.empty())
    d += "V" + coordinate(kMemoryBottom) + "H" + xOf(0) + "Z";
  return d;
}

namespace {

/// Draws one chart.
class MemoryPainter {
public:
  explicit MemoryPainter(const MemoryChart &chart)
      : chart(chart), svg(kChartWidth, kHeight, chart.title),
        runs(std::max({chart.baselineRuns, chart.planRuns, size_t(1)})),
        x{0, double(runs), kMemoryLeft, kMemoryRight},
        y{0, double(mostBytes()) * 1.04, kMemoryBottom, kMemoryTop} {}

  Svg draw();

private:
  int64_t mostBytes() const {
    return std::max({chart.baselinePeakBytes, chart.planPeakBytes,
                     chart.budgetBytes.value_or(0), int64_t(1)});
  }
  void drawAxes();
  void drawMarks();

  const MemoryChart &chart;
  Svg svg;
  size_t runs;
  Scale x, y;
};

} // namespace

void MemoryPainter::drawAxes() {
  for (const Tick &tick : byteTicks(mostBytes())) {
    svg.line(kMemoryLeft, y(tick.value), kMemoryRight, y(tick.value), "grid");
    svg.text(kMemoryLeft - 6, y(tick.value) + 4, tick.label, "soft", "end");
  }
  for (const Tick &tick : countTicks(runs))
    svg.text(x(tick.value), kMemoryBottom + 16, tick.label, "soft", "middle");
  svg.text(kMemoryRight, kMemoryBottom + 30, "runs of nodes", "soft", "end");
}

void MemoryPainter::drawMarks() {
  if (chart.turnRun) {
    double at = x(double(*chart.turnRun));
    svg.line(at, kMemoryTop, at, kMemoryBottom, "turn");
    svg.text(at + 4, kMemoryBottom - 6, "backward pass", "soft");
  }
  if (chart.budgetBytes) {
    double at = y(double(*chart.budgetBytes));
    svg.line(kMemoryLeft, at, kMemoryRight, at, "budget");
  }
  // The first column that reaches the peak.
  for (size_t i = 0; i < chart.plan.size(); ++i)
    if (chart.plan[i].mostBytes == chart.planPeakBytes) {
      double at = x(double(chart.planRuns) * (double(i) + 0.5) /
                    double(chart.plan.size()));
      svg.circle(at, y(double(chart.planPeakBytes)), 4, "mark",
                 "peak " + formatBytes(chart.planPeakBytes));
      break;
    }
}

Svg MemoryPainter::draw() {
  drawAxes();
  double planWidth = x(double(chart.planRuns)) - kMemoryLeft;
  svg.path(edgeOf(chart.plan, planWidth, y, true), "area");
  svg.path(edgeOf(chart.baseline, x(double(chart.baselineRuns)) - kMemoryLeft,
                  y, false),
           "base");
  svg.path(edgeOf(chart.plan, planWidth, y, false), "plan");
  drawMarks();
  svg.text(kMemoryLeft, 16, "plan, peak " + formatBytes(chart.planPeakBytes),
           "tplan");
  svg.text(kMemoryLeft + 210, 16,
           "nothing recomputed, peak " + formatBytes(chart.baselinePeakBytes),
           "tbase");
  if (chart.budgetBytes)
    svg.text(kMemoryLeft + 520, 16, "budget " + formatBytes(*chart.budgetBytes),
             "tbudget");
  return std::move(svg);
}

Svg drawMemory(const MemoryChart &chart) { return MemoryPainter(chart).draw(); }

} // namespace reprise
