// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/PlanningInput.h"

#include "reprise/planner/LowerBound.h"
#include "reprise/tools/ProblemInput.h"

#include <algorithm>

namespace reprise {

llvm::Expected<std::unique_ptr<PlanningInput>>
PlanningInput::load(const PlanningArguments &arguments) {
  llvm::Expected<GraphInput> file = loadTrainingGraph(arguments.graph);
  if (!file)
    return file.takeError();
  std::unique_ptr<PlanningInput> result(new PlanningInput(std::move(*file)));
  llvm::Expected<std::optional<Graph>> ruled =
      applyControl(result->input.loaded, arguments.control);
  if (!ruled)
    return ruled.takeError();
  result->ruled = std::move(*ruled);
  llvm::Expected<CostInput> costs =
      chooseCosts(result->graph(), arguments.costs);
  if (!costs)
    return costs.takeError();
  result->costInput = std::move(*costs);
  llvm::Expected<int64_t> budget =
      chooseBudget(result->graph(), arguments.budget);
  if (!budget)
    return budget.takeError();
  llvm::Expected<int64_t> reserve =
      chooseReserve(result->graph(), *budget, arguments.reserve);
  if (!reserve)
    return reserve.takeError();
  result->reserve = *reserve;
  result->budgetBytes = *budget - *reserve;
  return result;
}

Problem PlanningInput::problem() const {
  return {.graph = graph(),
          .objective = costInput.objective,
          .costs = costInput.costs,
          .budgetBytes = budgetBytes};
}

void boundWithoutRules(const PlanningInput &input, const Problem &problem,
                       PlanResult &result) {
  if (!input.hasRules())
    return;
  Problem open{.graph = input.file().loaded.graph,
               .objective = problem.objective,
               .costs = problem.costs,
               .budgetBytes = problem.budgetBytes};
  result.lowerBound =
      std::min(result.lowerBound, costLowerBound(open, result.simulation.cost));
}

} // namespace reprise
