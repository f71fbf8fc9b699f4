// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan as an answer to the one question that selective activation
// checkpointing asks of each forward operator: keep its outputs, or not?

#ifndef REPRISE_IO_TORCHPOLICY_H
#define REPRISE_IO_TORCHPOLICY_H

#include "reprise/planner/Plan.h"

#include <string>

namespace reprise {

/// What becomes of the outputs of a forward node.
enum class NodeFate : uint8_t {
  Save,      ///< runs once, and is read after its part of the forward pass
  Recompute, ///< runs more than once
  Discard    ///< runs once, and nothing late reads it
};

/// The fates of the nodes of \p graph by \p plan, a legal one, by node; those
/// of backward nodes mean nothing. A read is late when a backward node or a
/// recomputation makes it, and being there at the end is a late read too. Who
/// keeps a view keeps what it views.
std::vector<NodeFate> nodeFates(const Graph &graph, const Plan &plan);

/// The forward nodes of \p graph by their fates, each list in graph order, as
/// a JSON object (docs/formats.md).
std::string writeTorchPolicy(const Graph &graph, const Plan &plan);

} // namespace reprise

#endif // REPRISE_IO_TORCHPOLICY_H
