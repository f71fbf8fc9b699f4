// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model file leaves to the operator table: FLOPs, and which nodes must
// not run twice.

#ifndef REPRISE_OPERATORS_COMPLETION_H
#define REPRISE_OPERATORS_COMPLETION_H

#include "reprise/operators/Derivation.h"

namespace reprise {

/// \p graph with the FLOPs that its file does not give, by operator and
/// shapes. In a forward graph, nodes that draw random numbers become
/// `recompute: never` unless the file says whether they may run again; a
/// training graph is left to its file in this. The nodes and outputs of
/// \p derived join at the end. Fails as GraphBuilder does.
llvm::Expected<Graph> completeGraph(Graph graph, const ModelFacts &facts,
                                    const Derivation &derived);

} // namespace reprise

#endif // REPRISE_OPERATORS_COMPLETION_H
