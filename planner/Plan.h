// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable language: what a planner emits and a runtime runs.

#ifndef REPRISE_PLANNER_PLAN_H
#define REPRISE_PLANNER_PLAN_H

#include "reprise/graph/Graph.h"

#include <vector>

namespace reprise {

/// One instruction of a plan.
struct Step {
  enum Kind : uint8_t {
    Compute,   ///< first run of a node
    Recompute, ///< a later run of a node
    Free       ///< release of a tensor
  };
  Kind kind;
  uint32_t id; ///< NodeId, or TensorId for Free

  bool operator==(const Step &) const = default;
};

/// The runs of a plan, in order, without the frees: the form that strategies
/// think in. Where each tensor is freed follows from it (see Liveness.h).
using RunSequence = std::vector<NodeId>;

/// A straight-line program: executing the steps in the order given, with
/// memory taken at a run and given back at a free, is the training step. Steps
/// are a fixed order, not a dependency graph.
struct Plan {
  std::vector<Step> steps;
};

} // namespace reprise

#endif // REPRISE_PLANNER_PLAN_H
