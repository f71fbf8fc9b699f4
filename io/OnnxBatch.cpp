// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exported models often have the batch of their example baked in: in the
// shapes of their inputs, and in the target shapes of Reshape, as in
//
//   Reshape(pool [1, 256, 6, 6], [1, 9216])
//
// A target that starts with the old batch, on data that comes from an input,
// gets the new one. Where that was a wrong guess, or a target hides the batch
// in a product, the Reshape has more elements on one side than on the other
// after inference, and checkBatch() says so.

#include "reprise/graph/Error.h"
#include "reprise/io/OnnxModel.h"
#include "reprise/operators/ElementType.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>

namespace reprise {

namespace {
class Rebatcher {
public:
  Rebatcher(onnx::GraphProto &graph, int64_t batch)
      : graph(graph), batch(batch) {}
  llvm::Error run();

private:
  llvm::Error setInputs();
  void bindSymbols();
  void dropShapes();
  void retargetReshapes();
  void findConstants();

  onnx::GraphProto &graph;
  int64_t batch;
  int64_t oldBatch = -1;       ///< -1: it was symbolic or unknown
  llvm::StringSet<> symbols;   ///< that stood for the batch
  llvm::StringSet<> dependent; ///< on an input that has a batch
  llvm::StringMap<onnx::TensorProto *> constants;
};
} // namespace

/// The shape of \p value; null where it is no tensor of known rank.
static onnx::TensorShapeProto *shapeOf(onnx::ValueInfoProto &value) {
  if (!value.type().has_tensor_type() ||
      !value.type().tensor_type().has_shape())
    return nullptr;
  return value.mutable_type()->mutable_tensor_type()->mutable_shape();
}

llvm::Error Rebatcher::setInputs() {
  llvm::StringSet<> initializers;
  for (const onnx::TensorProto &tensor : graph.initializer())
    initializers.insert(tensor.name());
  bool isFirst = true;
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    onnx::TensorShapeProto *shape = shapeOf(input);
    if (initializers.contains(input.name()) || !shape || shape->dim_size() == 0)
      continue;
    auto &dim = *shape->mutable_dim(0);
    if (isFirst && dim.has_dim_value())
      oldBatch = dim.dim_value();
    isFirst = false;
    if (dim.has_dim_value() && dim.dim_value() != oldBatch)
      continue;
    if (dim.has_dim_param())
      symbols.insert(dim.dim_param());
    dim.set_dim_value(batch);
    dependent.insert(input.name());
  }
  if (dependent.empty())
    return makeInputError("batch: no input of the graph has a first dimension");
  return llvm::Error::success();
}

/// Puts the batch in place of its symbols everywhere.
void Rebatcher::bindSymbols() {
  for (auto *values : {graph.mutable_input(), graph.mutable_output(),
                       graph.mutable_value_info()})
    for (onnx::ValueInfoProto &value : *values)
      if (onnx::TensorShapeProto *shape = shapeOf(value))
        for (auto &dim : *shape->mutable_dim())
          if (dim.has_dim_param() && symbols.contains(dim.dim_param()))
            dim.set_dim_value(batch);
}

/// Forgets the shapes that were inferred for the old batch.
void Rebatcher::dropShapes() {
  graph.clear_value_info();
  for (onnx::ValueInfoProto &output : *graph.mutable_output())
    if (shapeOf(output))
      output.mutable_type()->mutable_tensor_type()->clear_shape();
}

/// Collects the values of initializers and Constant nodes.
void Rebatcher::findConstants() {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer())
    constants[tensor.name()] = &tensor;
  for (onnx::NodeProto &node : *graph.mutable_node())
    if (node.op_type() == "Constant" && node.output_size() == 1)
      for (onnx::AttributeProto &attribute : *node.mutable_attribute())
        if (attribute.name() == "value" && attribute.has_t())
          constants[node.output(0)] = attribute.mutable_t();
}

/// Replaces the first element of the list \p tensor of 64-bit integers where
/// it is \p from; false where it is something else.
static bool replaceFirst(onnx::TensorProto &tensor, int64_t from, int64_t to) {
  if (tensor.data_type() != onnx::TensorProto::INT64 ||
      tensor.dims_size() != 1 ||
      tensor.data_location() == onnx::TensorProto::EXTERNAL)
    return false;
  if (tensor.int64_data_size() > 0) {
    if (tensor.int64_data(0) != from)
      return false;
    tensor.set_int64_data(0, to);
    return true;
  }
  int64_t first = 0;
  if (tensor.raw_data().size() < sizeof(first))
    return false;
  std::memcpy(&first, tensor.raw_data().data(), sizeof(first));
  if (first != from)
    return false;
  std::memcpy(tensor.mutable_raw_data()->data(), &to, sizeof(to));
  return true;
}

void Rebatcher::retargetReshapes() {
  findConstants();
  llvm::StringMap<unsigned> readers;
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &input : node.input())
      ++readers[input];
  llvm::StringMap<std::string> replacements; ///< a shared target, to its copy
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    bool depends = llvm::any_of(node.input(), [&](const std::string &input) {
      return dependent.contains(input);
    });
    if (!depends)
      continue;
    for (const std::string &output : node.output())
      dependent.insert(output);
    if (node.op_type() != "Reshape" || node.input_size() < 2 ||
        !dependent.contains(node.input(0)))
      continue;
    std::string target = node.input(1);
    auto copied = replacements.find(target);
    if (copied != replacements.end()) {
      node.set_input(1, copied->second);
      continue;
    }
    onnx::TensorProto *tensor = constants.lookup(target);
    if (!tensor)
      continue;
    if (readers[target] == 1) {
      replaceFirst(*tensor, oldBatch, batch);
      continue;
    }
    onnx::TensorProto copy = *tensor;
    if (!replaceFirst(copy, oldBatch, batch))
      continue;
    copy.set_name(target + "#batch");
    replacements[target] = copy.name();
    node.set_input(1, copy.name());
    *graph.add_initializer() = std::move(copy);
  }
}

llvm::Error Rebatcher::run() {
  if (llvm::Error e = setInputs())
    return e;
  bindSymbols();
  if (oldBatch >= 0 && oldBatch != batch) {
    dropShapes();
    retargetReshapes();
  }
  return llvm::Error::success();
}

llvm::Error setBatch(onnx::GraphProto &graph, int64_t batch) {
  return Rebatcher(graph, batch).run();
}

/// Elements of the tensor that \p value describes, or -1.
static int64_t elementsOf(const onnx::ValueInfoProto &value) {
  if (!value.type().has_tensor_type() ||
      !value.type().tensor_type().has_shape())
    return -1;
  std::vector<int64_t> dims;
  for (const auto &dim : value.type().tensor_type().shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0)
      return -1;
    dims.push_back(dim.dim_value());
  }
  return countElements(dims).value_or(-1);
}

llvm::Error checkBatch(const onnx::GraphProto &graph) {
  llvm::StringMap<int64_t> elements;
  for (const auto *values :
       {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto &value : *values)
      elements[value.name()] = elementsOf(value);
  auto count = [&](const std::string &name) {
    auto found = elements.find(name);
    return found == elements.end() ? int64_t(-1) : found->second;
  };
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto &node = graph.node(i);
    if (node.op_type() != "Reshape" || node.input_size() < 2 ||
        node.output_size() < 1)
      continue;
    int64_t from = count(node.input(0)), to = count(node.output(0));
    if (from >= 0 && to >= 0 && from != to)
      return makeInputError(describeNode(graph, i) +
                            ": batch: its target has " + llvm::Twine(to) +
                            " elements and its input " + llvm::Twine(from) +
                            ": the model is made for another batch");
  }
  return llvm::Error::success();
}

} // namespace reprise
