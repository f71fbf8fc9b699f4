// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows a schedule. There is no liveness analysis, no reference counting of
// readers and no order to be found: the steps say it all.

#ifndef REPRISE_EXAMPLES_RUNTIME_EXECUTOR_H
#define REPRISE_EXAMPLES_RUNTIME_EXECUTOR_H

#include "Memory.h"
#include "Model.h"
#include "Operators.h"

namespace example {

/// Bytes of tensors, by tensor.
using Values = std::map<TensorId, std::vector<std::byte>>;

/// What a training step leaves behind.
struct Results {
  Values outputs;   ///< of the graph, and the gradients of its weights
  size_t peakBytes; ///< the allocator's high-water mark
  size_t runs;      ///< of nodes, repeated ones included
};

class Executor {
public:
  explicit Executor(const Model &model)
      : model(model), resident(model.tensors.size()) {}

  /// Runs the steps of \p schedule on \p constants: inputs and weights.
  Results run(const Schedule &schedule, const Values &constants);

private:
  void compute(const NodeInfo &node);
  Tensor tensor(TensorId t, const Memory::Buffer &buffer) const;
  Tensor residentTensor(TensorId t) const;
  std::vector<Memory::Buffer> makeOutputs(const NodeInfo &node,
                                          bool isGradient);
  void runForward(const NodeInfo &node,
                  const std::vector<Memory::Buffer> &outputs) const;
  void runGradient(const NodeInfo &node,
                   const std::vector<Memory::Buffer> &outputs) const;

  const Model &model;
  Memory memory;
  std::vector<Memory::Buffer> resident; ///< by tensor; null: not resident
};

} // namespace example

#endif // REPRISE_EXAMPLES_RUNTIME_EXECUTOR_H
