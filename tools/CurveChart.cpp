// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory costs: the overhead of the best plan of each budget, and the
// bound below which no plan lies.

#include "reprise/io/ByteSize.h"
#include "reprise/tools/Charts.h"
#include "reprise/tools/Console.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace reprise {

static constexpr double kLeft = 64, kRight = 944, kTop = 28, kBottom = 296,
                        kHeight = 330;

/// Share of the axes that a knee is off the straight line, at least.
static constexpr double kLeastBend = 0.05;

static double overheadOf(double cost, double base) {
  return base > 0 && cost > base ? (cost - base) / base : 0;
}

std::optional<size_t> kneeOf(const Curve &curve) {
  const std::vector<CurvePoint> &points = curve.points;
  auto first = llvm::find_if(
      points, [](const CurvePoint &point) { return point.plan.has_value(); });
  if (points.end() - first < 3)
    return std::nullopt;
  double width = double(points.back().budgetBytes) - double(first->budgetBytes);
  double height = first->plan->cost - points.back().plan->cost;
  if (width <= 0 || height <= 0)
    return std::nullopt;
  std::optional<size_t> knee;
  double farthest = kLeastBend;
  for (auto point = first; point != points.end(); ++point) {
    double right = double(point->budgetBytes - first->budgetBytes) / width;
    double down = (first->plan->cost - point->plan->cost) / height;
    if (down - right > farthest) {
      farthest = down - right;
      knee = point - points.begin();
    }
  }
  return knee;
}

namespace {

/// Draws one curve.
class CurvePainter {
public:
  CurvePainter(llvm::StringRef graphName, const Curve &curve,
               std::optional<int64_t> budgetBytes,
               std::optional<double> overhead)
      : curve(curve), budgetBytes(budgetBytes), overhead(overhead),
        svg(kChartWidth, kHeight,
            "What memory costs: plans of " + graphName.str()),
        x{0, double(mostBytes()) * 1.02, kLeft, kRight}, y{0,
                                                           mostOverhead() *
                                                               1.06,
                                                           kBottom, kTop} {}

  Svg draw();

private:
  int64_t mostBytes() const {
    int64_t most = std::max<int64_t>(curve.baselinePeakBytes, 1);
    return curve.points.empty()
               ? most
               : std::max(most, curve.points.back().budgetBytes);
  }
  double mostOverhead() const {
    double most = std::max(overhead.value_or(0), 0.01);
    for (const CurvePoint &point : curve.points) {
      if (point.plan)
        most = std::max(most, overheadOf(point.plan->cost, curve.baselineCost));
      most = std::max(most, overheadOf(point.lowerBound, curve.baselineCost));
    }
    return most;
  }
  void drawAxes();
  void drawBound();
  void drawPlans();
  void drawKnee();

  const Curve &curve;
  std::optional<int64_t> budgetBytes;
  std::optional<double> overhead;
  Svg svg;
  Scale x, y;
};

} // namespace

void CurvePainter::drawAxes() {
  for (const Tick &tick : percentTicks(mostOverhead())) {
    svg.line(kLeft, y(tick.value), kRight, y(tick.value), "grid");
    svg.text(kLeft - 6, y(tick.value) + 4, tick.label, "soft", "end");
  }
  for (const Tick &tick : byteTicks(mostBytes()))
    svg.text(x(tick.value), kBottom + 16, tick.label, "soft", "middle");
  svg.text(kRight, kBottom + 30, "budget", "soft", "end");
  double base = x(double(curve.baselinePeakBytes));
  svg.line(base, kTop, base, kBottom, "turn");
  svg.text(base - 4, kTop + 12, "nothing recomputed", "soft", "end");
}

/// The bound holds for its budget and all smaller ones.
void CurvePainter::drawBound() {
  std::string d;
  for (const CurvePoint &point : curve.points) {
    std::string at =
        coordinate(y(overheadOf(point.lowerBound, curve.baselineCost)));
    std::string to = coordinate(x(double(point.budgetBytes)));
    d += d.empty() ? "M" + to + " " + at : "V" + at + "H" + to;
  }
  svg.path(d, "bound");
}

/// A plan holds for its budget and all larger ones, up to the next.
void CurvePainter::drawPlans() {
  std::string d;
  for (const CurvePoint &point : curve.points) {
    if (!point.plan)
      continue;
    std::string at = coordinate(x(double(point.budgetBytes)));
    std::string to =
        coordinate(y(overheadOf(point.plan->cost, curve.baselineCost)));
    d += d.empty() ? "M" + at + " " + to : "H" + at + "V" + to;
  }
  svg.path(d, "plan");
  for (const CurvePoint &point : curve.points)
    if (point.plan)
      svg.circle(x(double(point.budgetBytes)),
                 y(overheadOf(point.plan->cost, curve.baselineCost)), 2.5,
                 "dot",
                 formatBytes(point.budgetBytes) + ": " +
                     formatExcess(point.plan->cost, curve.baselineCost) +
                     ", by " + point.plan->strategy);
}

void CurvePainter::drawKnee() {
  if (std::optional<size_t> knee = kneeOf(curve)) {
    const CurvePoint &point = curve.points[*knee];
    double atX = x(double(point.budgetBytes));
    double atY = y(overheadOf(point.plan->cost, curve.baselineCost));
    svg.circle(atX, atY, 6, "ring");
    svg.text(atX + 10, atY - 8,
             "knee: " + formatBytes(point.budgetBytes) + ", " +
                 formatExcess(point.plan->cost, curve.baselineCost),
             "tbudget");
  }
  if (budgetBytes && overhead)
    svg.circle(x(double(*budgetBytes)), y(*overhead), 4, "mark",
               "this plan: " + formatBytes(*budgetBytes));
}

Svg CurvePainter::draw() {
  drawAxes();
  drawBound();
  drawPlans();
  drawKnee();
  svg.text(kLeft, 16, "cost of the best plan over that of no recomputation",
           "tplan");
  svg.text(kLeft + 360, 16, "no plan costs less (proven)", "tbound");
  return std::move(svg);
}

Svg drawCurve(llvm::StringRef graphName, const Curve &curve,
              std::optional<int64_t> budgetBytes,
              std::optional<double> overhead) {
  return CurvePainter(graphName, curve, budgetBytes, overhead).draw();
}

} // namespace reprise
