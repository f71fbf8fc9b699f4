// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FLOPs and scratch memory of operators and of their gradients, from shapes.

#ifndef REPRISE_OPERATORS_COSTMODEL_H
#define REPRISE_OPERATORS_COSTMODEL_H

#include "reprise/operators/ModelFacts.h"
#include "reprise/operators/OperatorTable.h"

namespace reprise {

/// The row of node \p n in the operator table; null for an unknown operator.
const OperatorRule *operatorOf(const Graph &graph, const ModelFacts &facts,
                               NodeId n);

/// FLOPs of one run of \p n by its operator and shapes, a multiply-add counted
/// as two; none where the operator or a shape that counts is not known.
std::optional<double> forwardFlops(const Graph &graph, const ModelFacts &facts,
                                   NodeId n);

/// FLOPs of the gradient of \p n for the inputs at the positions \p needed:
/// by the shapes where they are known, scaled by what the file says of the
/// node's own FLOPs; by those alone where shapes are missing.
double backwardFlops(const Graph &graph, const ModelFacts &facts, NodeId n,
                     llvm::ArrayRef<unsigned> needed);

/// Scratch bytes of one run of \p n, where its operator is known to need any.
int64_t forwardWorkspace(const Graph &graph, const ModelFacts &facts, NodeId n);

/// Scratch bytes of the gradient of \p n.
int64_t backwardWorkspace(const Graph &graph, const ModelFacts &facts,
                          NodeId n);

} // namespace reprise

#endif // REPRISE_OPERATORS_COSTMODEL_H
