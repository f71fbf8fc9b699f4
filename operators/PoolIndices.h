// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MaxPool as runtimes run it that keep which element was the greatest.

#ifndef REPRISE_OPERATORS_POOLINDICES_H
#define REPRISE_OPERATORS_POOLINDICES_H

#include "reprise/operators/ModelFacts.h"

#include "llvm/Support/Error.h"

namespace reprise {

/// \p graph, a forward graph, with a second output on each MaxPool that has
/// one: `<node>.indices`, an int64 for each element of the first. The
/// operator's gradient then reads it in place of the input and the output of
/// the pooling; PyTorch's does. \p facts, those of \p graph, become those of
/// the result. Nodes with an output of unknown shape stay as they are. Fails as
/// GraphBuilder does, as where a name is taken.
llvm::Expected<Graph> withPoolIndices(const Graph &graph, ModelFacts &facts);

} // namespace reprise

#endif // REPRISE_OPERATORS_POOLINDICES_H
