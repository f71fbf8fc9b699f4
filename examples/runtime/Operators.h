// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic: for each operator, what it computes and its gradient.

#ifndef REPRISE_EXAMPLES_RUNTIME_OPERATORS_H
#define REPRISE_EXAMPLES_RUNTIME_OPERATORS_H

#include "Model.h"

namespace example {

/// A tensor during one run of a node.
struct Tensor {
  Real *reals = nullptr; ///< null: not for this run to touch
  int64_t *integers = nullptr;
  const Shape *dims = nullptr;

  explicit operator bool() const { return reals || integers; }
  const Shape &shape() const { return *dims; }
  int64_t count() const { return elementCount(*dims); }
  Real &operator[](int64_t i) const { return reals[i]; }
};

/// One run of a node. In the run of a gradient `in` and `out` are those tensors
/// of the forward node that the gradient reads; the others have a shape only.
struct Call {
  const NodeInfo &node; ///< the forward node
  std::vector<Tensor> in, out;
  std::vector<Tensor> dOut; ///< gradients of the outputs, to be read
  std::vector<Tensor> dIn;  ///< of the inputs, to be added to; null: not wanted

  /// Attribute \p name, or \p otherwise.
  int64_t attribute(const char *name, size_t index, int64_t otherwise) const {
    auto found = node.attributes.find(name);
    return found == node.attributes.end() ? otherwise : found->second.at(index);
  }
};

/// A forward kernel writes all of its outputs. A gradient kernel adds to what
/// is there, so that it need not know whether it is the first to contribute.
struct Operator {
  void (*forward)(const Call &);
  void (*gradient)(const Call &);
};

using OperatorTable = std::map<std::string, Operator>;

OperatorTable products();       ///< Gemm, MatMul, Conv
OperatorTable pointwise();      ///< Add, Mul, Relu, Tanh, Gelu
OperatorTable normalizations(); ///< Softmax, norms, the loss
OperatorTable movements();      ///< Transpose, Reshape, Gather, pools

/// The operator \p name; throws for one that this example does not have.
const Operator &findOperator(const std::string &name);

} // namespace example

#endif // REPRISE_EXAMPLES_RUNTIME_OPERATORS_H
