// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What people and programs are told of a plan, or of there being none.

#ifndef REPRISE_TOOLS_PLANSUMMARY_H
#define REPRISE_TOOLS_PLANSUMMARY_H

#include "reprise/planner/Planner.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace reprise {

/// What the summary says beyond the plan itself.
struct PlanSummary {
  const Graph &graph;
  const Problem &problem;
  double seconds = 0; ///< wall clock of the planning
  /// The proven floor of any peak, where the smallest peak was asked for.
  std::optional<int64_t> floorBytes;
  int64_t reserveBytes = 0; ///< taken off the budget before planning
};

/// Share by which the cost may still be above the best possible one.
double gapOf(const PlanResult &result);

void writeSummaryText(llvm::raw_ostream &os, const PlanSummary &summary,
                      const PlanResult &result);
void writeSummaryJson(llvm::raw_ostream &os, const PlanSummary &summary,
                      const PlanResult &result);
void writeInfeasibleJson(llvm::raw_ostream &os, const Graph &graph,
                         const InfeasibleBudget &error);

} // namespace reprise

#endif // REPRISE_TOOLS_PLANSUMMARY_H
