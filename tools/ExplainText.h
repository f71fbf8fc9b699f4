// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people and programs are told of why a plan takes what it takes.

#ifndef REPRISE_TOOLS_EXPLAINTEXT_H
#define REPRISE_TOOLS_EXPLAINTEXT_H

#include "reprise/planner/Explanation.h"
#include "reprise/planner/Objective.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace reprise {

/// An explanation and what it is of.
struct ExplainOutput {
  const Graph &graph;
  const Plan &plan;
  const Explanation &explanation;
  Objective objective;
  std::optional<int64_t> budgetBytes;
  int64_t baselinePeakBytes;
  double baselineCost;
  size_t top; ///< rows of each table; the rest is told as a number
};

void writeExplanationText(llvm::raw_ostream &os, const ExplainOutput &output);
/// All rows, whatever \p output says of the top.
void writeExplanationJson(llvm::raw_ostream &os, const ExplainOutput &output);

} // namespace reprise

#endif // REPRISE_TOOLS_EXPLAINTEXT_H
