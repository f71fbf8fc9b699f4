// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page that `reprise report` writes: all of it in one file.

#ifndef REPRISE_TOOLS_REPORTPAGE_H
#define REPRISE_TOOLS_REPORTPAGE_H

#include "reprise/planner/Curve.h"
#include "reprise/tools/ExplainText.h"

namespace reprise {

/// What a report is of.
struct ReportInput {
  const ExplainOutput &explained; ///< its `top` is the rows of each table
  std::string strategy;
  std::optional<double> lowerBound;
  const Curve *curve = nullptr; ///< null: no curve
};

/// The page. The same bytes for the same arguments.
std::string writeReport(const ReportInput &input);

} // namespace reprise

#endif // REPRISE_TOOLS_REPORTPAGE_H
