// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/Svg.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace reprise {

std::string escapeMarkup(llvm::StringRef text) {
  std::string result;
  std::string valid = llvm::json::fixUTF8(text);
  for (char c : valid) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      // Control characters are not allowed in XML in any spelling.
      result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return result;
}

std::string coordinate(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", value);
  llvm::StringRef digits = text.data();
  digits.consume_back(".0");
  return digits == "-0" ? "0" : digits.str();
}

llvm::StringRef chartStyle() {
  return R"(svg.chart{--paper:#fff;--ink:#24292f;--soft:#57606a;--grid:#e3e6ea;--plan:#0b6fb8;
--planfill:#0b6fb83a;--base:#8c959f;--budget:#c4320a;--bound:#6f42c1;--fwd:#4c94d0;--bwd:#5fae57;--again:#e08a1e;
font:12px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg.chart{--paper:#0d1117;--ink:#e6edf3;--soft:#9aa4af;--grid:#2b323b;
--plan:#58a6ff;--planfill:#58a6ff40;--base:#78828e;--budget:#ff8a65;--bound:#b392f0;--fwd:#4c94d0;--bwd:#56a04e;--again:#e39b3d}}
.chart .paper{fill:var(--paper)}.chart text{fill:var(--ink)}.chart .soft{fill:var(--soft)}
.chart .grid{stroke:var(--grid)}.chart .plan{stroke:var(--plan);fill:none;stroke-width:1.5;stroke-linejoin:round}
.chart .area{fill:var(--planfill)}.chart .dot{fill:var(--plan)}
.chart .base{stroke:var(--base);fill:none;stroke-width:1.2}.chart .budget{stroke:var(--budget);stroke-dasharray:6 4}
.chart .bound{stroke:var(--bound);fill:none;stroke-width:1.5;stroke-dasharray:3 3}
.chart .turn{stroke:var(--soft);stroke-dasharray:2 3}.chart .mark{fill:var(--budget)}
.chart .ring{fill:none;stroke:var(--budget);stroke-width:2}
.chart .fwd{fill:var(--fwd)}.chart .bwd{fill:var(--bwd)}.chart .again{fill:var(--again)}
.chart .tplan{fill:var(--plan)}.chart .tbase{fill:var(--soft)}.chart .tbudget{fill:var(--budget)}.chart .tbound{fill:var(--bound)}
)";
}

Svg::Svg(double width, double height, llvm::StringRef title)
    : width(width), height(height) {
  head =
      "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 "
      "0 " +
      coordinate(width) + " " + coordinate(height) +
      "\" role=\"img\">\n<title>" + escapeMarkup(title) + "</title>\n";
}

std::string Svg::document() const {
  return head + "<style>" + chartStyle().str() +
         "</style>\n<rect class=\"paper\" width=\"" + coordinate(width) +
         "\" height=\"" + coordinate(height) + "\"/>\n" + body + "</svg>\n";
}

static std::string withTooltip(llvm::StringRef element,
                               llvm::StringRef tooltip) {
  if (tooltip.empty())
    return "/>\n";
  return "><title>" + escapeMarkup(tooltip) + "</title></" + element.str() +
         ">\n";
}

void Svg::line(double x1, double y1, double x2, double y2,
               llvm::StringRef style) {
  body += "<line class=\"" + style.str() + "\" x1=\"" + coordinate(x1) +
          "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) +
          "\" y2=\"" + coordinate(y2) + "\"/>\n";
}

void Svg::rect(double x, double y, double w, double h, llvm::StringRef style,
               llvm::StringRef tooltip) {
  body += "<rect class=\"" + style.str() + "\" x=\"" + coordinate(x) +
          "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(w) +
          "\" height=\"" + coordinate(h) + "\"" + withTooltip("rect", tooltip);
}

void Svg::circle(double x, double y, double radius, llvm::StringRef style,
                 llvm::StringRef tooltip) {
  body += "<circle class=\"" + style.str() + "\" cx=\"" + coordinate(x) +
          "\" cy=\"" + coordinate(y) + "\" r=\"" + coordinate(radius) + "\"" +
          withTooltip("circle", tooltip);
}

void Svg::path(llvm::StringRef commands, llvm::StringRef style) {
  body +=
      "<path class=\"" + style.str() + "\" d=\"" + commands.str() + "\"/>\n";
}

void Svg::text(double x, double y, llvm::StringRef text, llvm::StringRef style,
               llvm::StringRef anchor) {
  body += "<text";
  if (!style.empty())
    body += " class=\"" + style.str() + "\"";
  if (anchor != "start")
    body += " text-anchor=\"" + anchor.str() + "\"";
  body += " x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\">" +
          escapeMarkup(text) + "</text>\n";
}

// Ticks.

/// The round number, 1, 2 or 5 times a power of ten, that makes about \p count
/// steps up to \p most.
static double roundStep(double most, double count) {
  double raw = most / count;
  double power = std::pow(10, std::floor(std::log10(raw)));
  for (double factor : {1, 2, 5})
    if (raw <= factor * power * 1.0001)
      return factor * power;
  return 10 * power;
}

static std::string plainNumber(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

static std::vector<Tick> ticksOf(double most, double step, double unit,
                                 llvm::StringRef suffix) {
  std::vector<Tick> ticks;
  for (unsigned i = 0; i < 100 && i * step <= most * 1.0001; ++i)
    ticks.push_back({i * step, plainNumber(i * step / unit) + suffix.str()});
  return ticks;
}

std::vector<Tick> byteTicks(int64_t most) {
  if (most <= 0)
    return {{0, "0 B"}};
  const char *units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  double unit = 1;
  size_t at = 0;
  for (; double(most) >= 1024 * unit && at + 1 < std::size(units); ++at)
    unit *= 1024;
  double step = roundStep(double(most) / unit, 4);
  if (at == 0)
    step = std::max(1.0, step);
  return ticksOf(double(most), step * unit, unit, units[at]);
}

std::vector<Tick> percentTicks(double most) {
  if (!(most > 0))
    return {{0, "0%"}};
  return ticksOf(most, roundStep(most, 5), 0.01, "%");
}

std::vector<Tick> countTicks(size_t most) {
  if (most == 0)
    return {{0, "0"}};
  return ticksOf(double(most), std::max(1.0, roundStep(double(most), 8)), 1,
                 "");
}

} // namespace reprise
