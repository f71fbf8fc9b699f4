// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model file leaves to the operator table: FLOPs, scratch memory, views,
// and which nodes must not run twice.

#ifndef REPRISE_OPERATORS_COMPLETION_H
#define REPRISE_OPERATORS_COMPLETION_H

#include "reprise/operators/Derivation.h"

namespace reprise {

/// How much of it to fill in.
enum class Completion : uint8_t {
  /// FLOPs, and in a forward graph that draws of random numbers run once.
  /// Sizes are left as the file has them.
  AsWritten,
  /// Besides, in a forward graph: scratch memory, and that the outputs of
  /// Reshape and the like are views.
  Import
};

/// \p graph with what its file does not say filled in to \p extent; what it
/// does say stays. The nodes and outputs of \p derived join at the end. Fails
/// as GraphBuilder does.
llvm::Expected<Graph> completeGraph(Graph graph, const ModelFacts &facts,
                                    Completion extent,
                                    const Derivation &derived);

} // namespace reprise

#endif // REPRISE_OPERATORS_COMPLETION_H
