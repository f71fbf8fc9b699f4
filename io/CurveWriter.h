// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes curves (docs/formats.md).

#ifndef REPRISE_IO_CURVEWRITER_H
#define REPRISE_IO_CURVEWRITER_H

#include "reprise/planner/Curve.h"

namespace reprise {

/// What a curve file says besides its points.
struct CurveInfo {
  std::string graphName;
  std::string sha256; ///< of the graph file's bytes
  Objective objective = Objective::Flops;
};

/// A header and a line for each point.
std::string writeCurveCsv(const Curve &curve);

/// One object, one point per line.
std::string writeCurveJson(const CurveInfo &info, const Curve &curve);

} // namespace reprise

#endif // REPRISE_IO_CURVEWRITER_H
