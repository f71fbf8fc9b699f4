// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drawing in SVG, as text. Colours are classes, which chartStyle() has for
// light and for dark backgrounds; coordinates are pixels from the upper left.

#ifndef REPRISE_TOOLS_SVG_H
#define REPRISE_TOOLS_SVG_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace reprise {

/// \p text with what means something in XML and HTML escaped.
std::string escapeMarkup(llvm::StringRef text);
/// A coordinate: at most one digit behind the point.
std::string coordinate(double value);
/// The style sheet of all charts.
llvm::StringRef chartStyle();

/// A drawing that grows by one element with each call.
class Svg {
public:
  Svg(double width, double height, llvm::StringRef title);

  void line(double x1, double y1, double x2, double y2, llvm::StringRef style);
  /// \p tooltip: shown by browsers when the pointer rests on it; empty: none.
  void rect(double x, double y, double width, double height,
            llvm::StringRef style, llvm::StringRef tooltip = "");
  void circle(double x, double y, double radius, llvm::StringRef style,
              llvm::StringRef tooltip = "");
  /// \p commands: those of SVG's `d`.
  void path(llvm::StringRef commands, llvm::StringRef style);
  /// \p anchor: start, middle or end of the text is at \p x.
  void text(double x, double y, llvm::StringRef text,
            llvm::StringRef style = "", llvm::StringRef anchor = "start");

  /// The drawing for a page that has chartStyle().
  std::string fragment() const { return head + body + "</svg>\n"; }
  /// The drawing as a file of its own.
  std::string document() const;

private:
  double width, height;
  std::string head, body;
};

/// One mark of an axis.
struct Tick {
  double value;
  std::string label;
};

/// About four round numbers of bytes from 0 to \p most.
std::vector<Tick> byteTicks(int64_t most);
/// About five round numbers from 0 to \p most, which is a share, as percents.
std::vector<Tick> percentTicks(double most);
/// About eight round whole numbers from 0 to \p most.
std::vector<Tick> countTicks(size_t most);

/// From numbers to pixels.
struct Scale {
  double from = 0, to = 1;   ///< numbers
  double pixelFrom, pixelTo; ///< where they are

  double operator()(double value) const {
    return pixelFrom + (to > from ? (value - from) / (to - from) : 0) *
                           (pixelTo - pixelFrom);
  }
};

} // namespace reprise

#endif // REPRISE_TOOLS_SVG_H
