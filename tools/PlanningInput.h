// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What commands that plan are given: a graph, rules for its nodes, costs and a
// budget.

#ifndef REPRISE_TOOLS_PLANNINGINPUT_H
#define REPRISE_TOOLS_PLANNINGINPUT_H

#include "reprise/planner/Planner.h"
#include "reprise/tools/ControlInput.h"
#include "reprise/tools/CostInput.h"
#include "reprise/tools/GraphInput.h"

#include <memory>

namespace reprise {

/// The arguments, as written.
struct PlanningArguments {
  GraphArguments graph;
  ControlArguments control;
  CostArguments costs;
  std::string budget;  ///< see parseByteSize(); empty: none
  std::string reserve; ///< see parseByteSize(); empty: none
};

/// What they stand for. Does not move: problems refer to its graph.
class PlanningInput {
public:
  PlanningInput(const PlanningInput &) = delete;
  PlanningInput &operator=(const PlanningInput &) = delete;

  /// Reads the graph, derives its backward pass and applies the rules; tells
  /// on the standard error what the user should know of it. Fails with an
  /// InputError.
  static llvm::Expected<std::unique_ptr<PlanningInput>>
  load(const PlanningArguments &arguments);

  /// As the file has it, with the backward pass.
  const GraphInput &file() const { return input; }
  /// With the rules.
  const Graph &graph() const { return ruled ? *ruled : input.loaded.graph; }
  bool hasRules() const { return ruled.has_value(); }
  const CostInput &costs() const { return costInput; }
  int64_t reserveBytes() const { return reserve; }
  /// The problem of graph() in the budget less the reserve.
  Problem problem() const;

private:
  explicit PlanningInput(GraphInput input) : input(std::move(input)) {}

  GraphInput input;
  std::optional<Graph> ruled;
  CostInput costInput;
  int64_t budgetBytes = kNoBudget;
  int64_t reserve = 0;
};

/// A schedule's bound is one of the graph as the file has it, not of what the
/// user's rules leave of it: whoever reads the schedule does not know them.
void boundWithoutRules(const PlanningInput &input, const Problem &problem,
                       PlanResult &result);

} // namespace reprise

#endif // REPRISE_TOOLS_PLANNINGINPUT_H
