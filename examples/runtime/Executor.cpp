// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executor.h"

#include <stdexcept>

namespace example {

Results Executor::run(const Schedule &schedule, const Values &constants) {
  Results results{{}, 0, 0};
  for (const auto &[t, bytes] : constants) {
    resident[t] = memory.allocate(bytes.size());
    std::memcpy(resident[t].get(), bytes.data(), bytes.size());
  }
  for (const Step &step : schedule.steps) {
    if (step.isFree) {
      residentTensor(step.id); // throws
      resident[step.id].reset();
      continue;
    }
    compute(model.nodes[step.id]);
    ++results.runs;
  }
  results.peakBytes = memory.peakBytes();

  std::vector<TensorId> kept = model.outputs;
  for (const auto &[gradient, t] : model.gradientOf)
    for (TensorId weight : model.weights)
      if (t == weight)
        kept.push_back(gradient);
  for (TensorId t : kept) {
    const std::byte *bytes = residentTensor(t) ? resident[t].get() : nullptr;
    results.outputs[t].assign(bytes, bytes + model.tensors[t].bytes());
  }
  return results;
}

void Executor::compute(const NodeInfo &node) {
  bool isGradient = node.forward >= 0 || node.op == "GradientSeed";
  for (TensorId t : node.inputs)
    residentTensor(t); // throws
  std::vector<Memory::Buffer> outputs = makeOutputs(node, isGradient);
  if (node.op == "GradientSeed")
    *reinterpret_cast<Real *>(outputs[0].get()) = 1;
  else if (isGradient)
    runGradient(node, outputs);
  else
    runForward(node, outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    // Of a tensor that is still there the new copy goes: its bytes have been
    // counted, as the memory model wants it.
    Memory::Buffer &slot = resident[node.outputs[i]];
    if (!slot)
      slot = std::move(outputs[i]);
  }
}

/// A buffer for each output: its input's for a view and for what is
/// overwritten, else a new one.
std::vector<Memory::Buffer> Executor::makeOutputs(const NodeInfo &node,
                                                  bool isGradient) {
  std::vector<Memory::Buffer> outputs;
  for (TensorId t : node.outputs) {
    if (auto view = node.alias.find(t); view != node.alias.end()) {
      outputs.push_back(resident[view->second]);
    } else if (auto old = node.inplace.find(t); old != node.inplace.end()) {
      outputs.push_back(std::move(resident[old->second]));
      resident[old->second].reset();
    } else {
      outputs.push_back(memory.allocate(model.tensors[t].bytes()));
      if (isGradient) // sums start from 0
        std::memset(outputs.back().get(), 0, model.tensors[t].bytes());
    }
  }
  return outputs;
}

Tensor Executor::tensor(TensorId t, const Memory::Buffer &buffer) const {
  const TensorInfo &info = model.tensors[t];
  Tensor made{nullptr, nullptr, &info.shape};
  if (info.isInteger)
    made.integers = reinterpret_cast<int64_t *>(buffer.get());
  else
    made.reals = reinterpret_cast<Real *>(buffer.get());
  return made;
}

Tensor Executor::residentTensor(TensorId t) const {
  if (!resident[t])
    throw std::runtime_error(model.tensors[t].name + ": not resident");
  return tensor(t, resident[t]);
}

void Executor::runForward(const NodeInfo &node,
                          const std::vector<Memory::Buffer> &outputs) const {
  Call call{node, {}, {}, {}, {}};
  for (TensorId t : node.inputs)
    call.in.push_back(residentTensor(t));
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorId t = node.outputs[i];
    bool isView = node.alias.count(t); // nothing to be written
    call.out.push_back(tensor(t, isView ? nullptr : outputs[i]));
  }
  findOperator(node.op).forward(call);
}

/// A gradient's tensors are named for those of the forward node: T itself, and
/// `d:T` or, where others have contributed, `d:T#2`.
void Executor::runGradient(const NodeInfo &node,
                           const std::vector<Memory::Buffer> &outputs) const {
  const NodeInfo &forward = model.nodes[node.forward];
  std::map<TensorId, Tensor> values, gradients, sums; // by forward tensor
  for (TensorId t : node.inputs) {
    auto of = model.gradientOf.find(t);
    if (of == model.gradientOf.end())
      values[t] = residentTensor(t);
    else if (resident[t]) // else it has just been taken over by an output
      gradients[of->second] = residentTensor(t);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorId t = node.outputs[i];
    if (!node.alias.count(t)) // a view has the sum already
      sums[model.gradientOf.at(t)] = tensor(t, outputs[i]);
  }
  auto find = [this](const std::map<TensorId, Tensor> &map, TensorId t) {
    auto found = map.find(t);
    return found != map.end() ? found->second : tensor(t, nullptr);
  };
  Call call{forward, {}, {}, {}, {}};
  for (TensorId t : forward.outputs) {
    call.out.push_back(find(values, t));
    call.dOut.push_back(find(gradients, t));
  }
  for (TensorId t : forward.inputs) {
    call.in.push_back(find(values, t));
    // The sum of a weight's gradient is an input that the node adds to.
    call.dIn.push_back(sums.count(t) ? sums[t] : find(gradients, t));
  }
  findOperator(forward.op).gradient(call);
}

} // namespace example
