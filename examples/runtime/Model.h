// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime needs of the two files: a graph and a schedule. A runtime
// that has a graph of its own needs only the second half.

#ifndef REPRISE_EXAMPLES_RUNTIME_MODEL_H
#define REPRISE_EXAMPLES_RUNTIME_MODEL_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace example {

/// What a tensor is made of. Finite differences that float is too coarse for
/// are taken in a second program, with double.
#ifndef REPRISE_EXAMPLE_REAL
#define REPRISE_EXAMPLE_REAL float
#endif
using Real = REPRISE_EXAMPLE_REAL;

using Shape = std::vector<int64_t>;
using TensorId = int; ///< -1: none
using NodeId = int;   ///< -1: none

int64_t elementCount(const Shape &shape);

struct TensorInfo {
  std::string name;
  Shape shape;
  bool isInteger = false; ///< 64 bits; else a Real
  size_t bytes() const {
    return elementCount(shape) * (isInteger ? sizeof(int64_t) : sizeof(Real));
  }
};

struct NodeInfo {
  std::string name, op;
  std::vector<TensorId> inputs, outputs;
  std::map<TensorId, TensorId> alias;   ///< output to the input it views
  std::map<TensorId, TensorId> inplace; ///< output to the input it overwrites
  std::map<std::string, std::vector<int64_t>> attributes;
  /// Of a derived node `NAME.grad`: the node NAME.
  NodeId forward = -1;
};

struct Model {
  std::vector<TensorInfo> tensors;
  std::vector<NodeInfo> nodes;
  std::vector<TensorId> inputs, weights, outputs;
  /// By tensor: `d:T`, `d:T#2`, ... are gradients of T.
  std::map<TensorId, TensorId> gradientOf;
  std::map<std::string, TensorId> tensorIds;
  std::map<std::string, NodeId> nodeIds;
};

struct Step {
  bool isFree; ///< of the tensor `id`; else a run of the node `id`
  int id;
};

struct Schedule {
  std::vector<Step> steps;
  size_t peakBytes = 0; ///< what it says it takes
};

/// Reads a forward graph with shapes, as in models/. Throws std::exception, as
/// all of this program does.
Model readModel(const std::string &path);

/// Reads a schedule of \p model. The nodes of the backward pass that Reprise
/// derived are in the schedule; the first schedule adds them to the model.
Schedule readSchedule(const std::string &path, Model &model);

} // namespace example

#endif // REPRISE_EXAMPLES_RUNTIME_MODEL_H
