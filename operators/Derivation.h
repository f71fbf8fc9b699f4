// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives the backward pass of a forward graph: reverse-mode differentiation
// on the level of operators, down to which tensors are read and made.

#ifndef REPRISE_OPERATORS_DERIVATION_H
#define REPRISE_OPERATORS_DERIVATION_H

#include "reprise/graph/NodeRecord.h"
#include "reprise/operators/ModelFacts.h"

#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// The `backward` object of a node: what it says in place of the operator
/// table when the backward pass is derived.
struct BackwardOverride {
  NodeId node = kNone;
  std::optional<std::vector<std::string>> needs; ///< names of forward tensors
  std::optional<double> flops;
  std::optional<std::vector<int64_t>> bytes; ///< of each output
  std::optional<int64_t> workspaceBytes;
};

/// The operator of the nodes `OUTPUT.seed`, which make the gradients that the
/// backward pass starts from.
inline constexpr llvm::StringLiteral kSeedOperator = "GradientSeed";

/// How to derive.
struct DerivationOptions {
  /// Patterns (`*`, `?`, `[...]`) of initializers that are not trained: they
  /// get no gradient.
  std::vector<std::string> frozen;
};

/// A backward pass.
struct Derivation {
  std::vector<NodeRecord> nodes; ///< in the order of their execution
  /// Gradients of initializers: outputs of the training graph.
  std::vector<std::string> outputs;
  /// Operators that the table does not know and whose gradients therefore read
  /// all inputs and outputs; each once, sorted.
  std::vector<std::string> unknownOperators;
};

/// The backward pass of \p graph, which has none. Fails with an InputError for
/// a frozen pattern that is faulty or matches nothing, and for an override
/// that names an unknown tensor or has another number of bytes than the
/// gradient has outputs.
llvm::Expected<Derivation>
deriveBackward(const Graph &graph, const ModelFacts &facts,
               llvm::ArrayRef<BackwardOverride> overrides,
               const DerivationOptions &options = {});

} // namespace reprise

#endif // REPRISE_OPERATORS_DERIVATION_H
