// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where gradients flow: the first half of the derivation.

#ifndef REPRISE_OPERATORS_GRADIENTFLOW_H
#define REPRISE_OPERATORS_GRADIENTFLOW_H

#include "reprise/operators/ModelFacts.h"
#include "reprise/operators/OperatorTable.h"

#include "llvm/ADT/SmallVector.h"

namespace reprise {

/// Which tensors of a forward graph get a gradient, and from how many nodes.
class GradientFlow {
public:
  /// \p frozen: initializers (by TensorId) that get no gradient.
  GradientFlow(const Graph &graph, const ModelFacts &facts,
               const llvm::BitVector &frozen);

  /// Contributions to the gradient of \p t: 0 where it has none.
  uint32_t contributions(TensorId t) const { return counts[t]; }
  /// Does the gradient of \p n exist?
  bool isActive(NodeId n) const { return active[n]; }
  /// Graph output whose gradient is given: the start of the backward pass.
  bool isSeeded(TensorId t) const { return seeded[t]; }
  /// Positions of the inputs of an active \p n that its gradient is for, a
  /// tensor that is listed twice counted at both.
  llvm::SmallVector<unsigned, 8> gradientInputs(NodeId n) const;
  /// Has output \p i of \p n a gradient that flows into \p n?
  bool flowsInto(NodeId n, unsigned i) const;

  /// The row of \p n, of the unknown operator where the table has none.
  const OperatorRule &rule(NodeId n) const { return *rules[n]; }

private:
  void markTrained(const llvm::BitVector &frozen);
  void spreadForward();
  void seedOutputs();
  void countBackward();

  const Graph &graph;
  const ModelFacts &facts;
  std::vector<const OperatorRule *> rules;
  /// Tensors that depend on what is trained through differentiable operators.
  llvm::BitVector dependent;
  llvm::BitVector active, seeded;
  std::vector<uint32_t> counts;
};

} // namespace reprise

#endif // REPRISE_OPERATORS_GRADIENTFLOW_H
