// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pictures of a report.

#ifndef REPRISE_TOOLS_CHARTS_H
#define REPRISE_TOOLS_CHARTS_H

#include "reprise/planner/Curve.h"
#include "reprise/planner/Explanation.h"
#include "reprise/tools/Svg.h"

#include <optional>

namespace reprise {

/// Some neighbouring runs of a plan as one column of a chart.
struct ProfileColumn {
  size_t step;       ///< of the run with the largest usage, the first of equals
  int64_t mostBytes; ///< that usage
  int64_t leastBytes;
};

/// The usages of the runs of \p plan in at most \p columns columns; the peak is
/// in one of them whatever their number. With fewer runs each is a column.
std::vector<ProfileColumn>
profileOf(const Plan &plan, llvm::ArrayRef<int64_t> usageBytes, size_t columns);

/// What the chart of the memory shows.
struct MemoryChart {
  std::string title;
  std::vector<ProfileColumn> baseline, plan;
  size_t baselineRuns = 0, planRuns = 0;
  std::optional<int64_t> budgetBytes;
  std::optional<size_t> turnRun; ///< the run of the plan that is the turn
  int64_t baselinePeakBytes = 0, planPeakBytes = 0;
};

/// Columns of a memory chart of this width.
inline constexpr size_t kProfileColumns = 1000;
/// Where its runs and bytes begin and end, in pixels; the width of all charts.
inline constexpr double kMemoryLeft = 64, kMemoryRight = 944;
inline constexpr double kMemoryTop = 28, kMemoryBottom = 296;
inline constexpr double kChartWidth = 960;

/// The chart of \p plan next to the baseline of \p graph.
MemoryChart memoryChartOf(const Graph &graph, const Plan &plan,
                          const Simulation &simulation,
                          std::optional<int64_t> budgetBytes);
Svg drawMemory(const MemoryChart &chart);

/// The point of \p curve that is farthest from the straight line between its
/// ends, both axes scaled to it: where more memory begins to help less. None
/// for fewer than three points with a plan, and for a curve that is straight.
std::optional<size_t> kneeOf(const Curve &curve);

/// Overhead over budget, with the bound; \p budgetBytes and \p overhead mark a
/// plan.
Svg drawCurve(llvm::StringRef graphName, const Curve &curve,
              std::optional<int64_t> budgetBytes = std::nullopt,
              std::optional<double> overhead = std::nullopt);

/// The stays of the \p count tensors with the most bytes.
Svg drawLifetimes(const Graph &graph, const Plan &plan,
                  llvm::ArrayRef<Stay> stays, size_t count);

} // namespace reprise

#endif // REPRISE_TOOLS_CHARTS_H
