// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/TrainingGraph.h"

#include "reprise/graph/Error.h"
#include "reprise/io/NodeWriter.h"
#include "reprise/operators/Completion.h"

namespace reprise {

llvm::Expected<TrainingGraph>
makeTrainingGraph(LoadedGraph loaded, const TrainingOptions &options) {
  if (loaded.graph.isTraining() || loaded.graph.numNodes() == 0 ||
      options.inference) {
    if (!options.frozen.empty())
      return makeInputError("frozen: only where a backward pass is derived");
    return TrainingGraph{std::move(loaded), {}};
  }
  llvm::Expected<Derivation> derived = deriveBackward(
      loaded.graph, loaded.facts, loaded.overrides, {.frozen = options.frozen});
  if (!derived)
    return derived.takeError();
  if (derived->nodes.empty())
    return TrainingGraph{std::move(loaded), std::move(*derived)};
  llvm::Expected<Graph> training = completeGraph(
      std::move(loaded.graph), loaded.facts, Completion::AsWritten, *derived);
  if (!training)
    return training.takeError();
  loaded.graph = std::move(*training);
  return TrainingGraph{std::move(loaded), std::move(*derived)};
}

ScheduleInfo describePlan(const TrainingGraph &graph, const Problem &problem,
                          const PlanResult &result) {
  ScheduleInfo info;
  info.graphName = graph.loaded.graph.name().str();
  info.sha256 = graph.loaded.sha256;
  info.nodesJson = writeDerivedNodes(graph.derived.nodes);
  info.strategy = result.strategy;
  info.objective = problem.objective;
  if (problem.budgetBytes != kNoBudget)
    info.budgetBytes = problem.budgetBytes;
  info.peakBytes = result.simulation.peakBytes;
  info.cost = result.simulation.cost;
  info.baselinePeakBytes = result.baselinePeakBytes;
  info.baselineCost = result.baselineCost;
  info.lowerBound = result.lowerBound;
  info.arena = result.arena;
  return info;
}

} // namespace reprise
