// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a graph as it was read to one that is ready to be planned, and from a
// plan of that to what its schedule file says.

#ifndef REPRISE_IO_TRAININGGRAPH_H
#define REPRISE_IO_TRAININGGRAPH_H

#include "reprise/io/GraphReader.h"
#include "reprise/io/ScheduleWriter.h"
#include "reprise/planner/Planner.h"

#include <string>
#include <vector>

namespace reprise {

/// What to do with a forward graph.
struct TrainingOptions {
  /// Patterns of initializers that get no gradient.
  std::vector<std::string> frozen;
  bool inference = false; ///< derive no backward pass
};

/// A graph that is ready to be planned.
struct TrainingGraph {
  LoadedGraph loaded; ///< with the nodes of `derived` in its graph
  /// What was added to a forward graph.
  Derivation derived;
};

/// Derives the backward pass of \p loaded, where it is a forward graph with
/// something to train and \p options do not say otherwise. Fails with an
/// InputError without a file.
llvm::Expected<TrainingGraph> makeTrainingGraph(LoadedGraph loaded,
                                                const TrainingOptions &options);

/// What the schedule file of \p result says besides its steps. The device of a
/// roofline and an arena are for the caller to add.
ScheduleInfo describePlan(const TrainingGraph &graph, const Problem &problem,
                          const PlanResult &result);

} // namespace reprise

#endif // REPRISE_IO_TRAININGGRAPH_H
