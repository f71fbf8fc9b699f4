// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model file says of its tensors and operators beyond the Graph: types,
// shapes and attributes. Plans do not need them; the gradients and the costs
// of operators do.

#ifndef REPRISE_OPERATORS_MODELFACTS_H
#define REPRISE_OPERATORS_MODELFACTS_H

#include "reprise/graph/Graph.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// What is known of one tensor.
struct TensorType {
  int elementType = 0; ///< ONNX's TensorProto.DataType; 0: not known
  bool hasShape = false;
  llvm::ArrayRef<int64_t> dims; ///< each >= 0; of a scalar: none
};

/// The types of all tensors of a graph, by TensorId.
class TensorTypes {
public:
  /// Adds the type of the next tensor.
  void push(const TensorType &type);
  size_t size() const { return elementTypes.size(); }
  /// The type of \p tensor; an unknown one beyond the last that was added.
  TensorType operator[](TensorId tensor) const;
  /// Elements of \p tensor; none where its shape is not known.
  std::optional<int64_t> elements(TensorId tensor) const;

private:
  std::vector<uint8_t> elementTypes, shaped;
  std::vector<uint64_t> starts{0};
  std::vector<int64_t> dims;
};

/// One attribute of an operator.
struct Attribute {
  std::string name;
  std::vector<int64_t> ints; ///< of `i` one, of `ints` all
  std::string text;          ///< of `s`
};

/// Is attribute \p name one that the operator table looks at?
bool isUsedAttribute(llvm::StringRef name);

/// The facts of one graph.
struct ModelFacts {
  TensorTypes types;
  /// The attributes that the operator table looks at, of nodes that have any.
  llvm::DenseMap<NodeId, std::vector<Attribute>> attributes{0};
  /// Nodes whose operator is of a domain that the table does not know: their
  /// names mean nothing.
  llvm::BitVector foreign;
  /// Nodes for which the file itself gives FLOPs, bytes of outputs, or whether
  /// they may run again.
  llvm::BitVector flopsGiven, bytesGiven, recomputeGiven;

  bool isForeign(NodeId n) const { return holds(foreign, n); }
  bool hasFlops(NodeId n) const { return holds(flopsGiven, n); }
  bool hasBytes(NodeId n) const { return holds(bytesGiven, n); }
  bool hasRecompute(NodeId n) const { return holds(recomputeGiven, n); }

  /// The attribute \p name of \p n, or null.
  const Attribute *attribute(NodeId n, llvm::StringRef name) const;
  /// The integer attribute \p name of \p n, or \p otherwise.
  int64_t integer(NodeId n, llvm::StringRef name, int64_t otherwise) const;

private:
  static bool holds(const llvm::BitVector &set, NodeId n) {
    return n < set.size() && set[n];
  }
};

/// Bytes of the value of \p tensor: those of its storage, but for a view by its
/// type and shape where they are known, as it may be smaller than what it
/// views.
int64_t tensorBytes(const Graph &graph, const ModelFacts &facts,
                    TensorId tensor);

} // namespace reprise

#endif // REPRISE_OPERATORS_MODELFACTS_H
