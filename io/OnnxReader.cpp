// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/OnnxReader.h"

#include "reprise/graph/Error.h"
#include "reprise/graph/GraphBuilder.h"
#include "reprise/io/GraphAssembly.h"
#include "reprise/io/Json.h"
#include "reprise/io/OnnxModel.h"
#include "reprise/io/TensorShape.h"
#include "reprise/io/Utf8.h"
#include "reprise/operators/ElementType.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace reprise {

namespace {

class OnnxConverter {
public:
  OnnxConverter(const OnnxModel &model, const GraphReadOptions &options)
      : graph(model.proto.graph()), fault(model.inferenceFault),
        options(options) {}

  llvm::Expected<LoadedGraph> run();

private:
  llvm::Expected<TensorSize> readTensor(const onnx::TensorProto &tensor) const;
  TensorSize readValue(const onnx::ValueInfoProto &value) const;
  std::string unknownDim(const onnx::TensorShapeProto_Dimension &dim,
                         int position) const;
  llvm::Error addInitializers();
  llvm::Error addStandIns();
  llvm::Error addInputs();
  void readTypes();
  llvm::Error addNodes();
  llvm::Error addNode(int index);
  void keepFacts(const onnx::NodeProto &node, NodeId n);
  llvm::Error addConstant(const std::string &name, bool isInitializer,
                          const TensorSize &tensor);

  const onnx::GraphProto &graph;
  const std::string &fault;
  const GraphReadOptions &options;
  GraphBuilder builder;
  ModelFacts facts;
  llvm::StringMap<TensorSize> tensors;
  llvm::StringSet<> initializers, nodeNames;
  llvm::StringSet<> unusedShapes; ///< shapes that only stand-ins read
  std::vector<bool> isStandIn;    ///< by node of the model
};

} // namespace

/// Fills in the bytes of a tensor whose element type and shape are known.
static void setBytes(TensorSize &tensor) {
  const ElementType *type = findElementType(int64_t(tensor.elementType));
  if (!type) {
    tensor.reason = "element type " + std::to_string(tensor.elementType) +
                    " has no fixed size";
    return;
  }
  std::optional<int64_t> elements = countElements(tensor.dims);
  std::optional<int64_t> bytes;
  if (elements)
    bytes = bytesOfElements(*elements, *type);
  if (bytes)
    tensor.bytes = *bytes;
  else
    tensor.reason = "its size overflows 64 bits";
}

llvm::Expected<TensorSize>
OnnxConverter::readTensor(const onnx::TensorProto &tensor) const {
  TensorSize result;
  result.elementType = tensor.data_type();
  result.hasShape = true;
  for (int64_t dim : tensor.dims()) {
    if (dim < 0)
      return makeInputError("dimension " + llvm::Twine(result.dims.size()) +
                            ": expected an integer in 0 .. 2^63-1, got " +
                            llvm::Twine(dim));
    result.dims.push_back(dim);
  }
  setBytes(result);
  return result;
}

/// Why \p dim is no number, and what to do.
std::string
OnnxConverter::unknownDim(const onnx::TensorShapeProto_Dimension &dim,
                          int position) const {
  std::string text = "dimension " + std::to_string(position);
  if (dim.has_dim_value())
    return text + ": expected an integer in 0 .. 2^63-1, got " +
           std::to_string(dim.dim_value());
  // A symbol of an input can be bound; what inference made up cannot.
  std::vector<std::string> symbols;
  for (const onnx::ValueInfoProto &input : graph.input())
    if (input.type().has_tensor_type())
      for (const auto &entry : input.type().tensor_type().shape().dim())
        if (entry.has_dim_param() && !entry.dim_param().empty() &&
            !llvm::is_contained(symbols, entry.dim_param()))
          symbols.push_back(entry.dim_param());
  if (llvm::is_contained(symbols, dim.dim_param()))
    return text + " is symbolic (" + dim.dim_param() +
           "); bind it with --dim " + dim.dim_param() + "=VALUE";
  text += " is unknown";
  for (const std::string &symbol : symbols)
    text += (symbol == symbols.front() ? "; bind the symbols of the inputs "
                                         "with --dim "
                                       : " --dim ") +
            symbol + "=VALUE";
  return text;
}

TensorSize OnnxConverter::readValue(const onnx::ValueInfoProto &value) const {
  TensorSize result;
  if (value.type().value_case() == onnx::TypeProto::VALUE_NOT_SET)
    return result;
  if (!value.type().has_tensor_type()) {
    result.reason = "it is no tensor";
    return result;
  }
  const onnx::TypeProto_Tensor &type = value.type().tensor_type();
  result.elementType = type.elem_type();
  if (!type.has_shape())
    return result;
  for (const auto &dim : type.shape().dim()) {
    if (!dim.has_dim_value() || dim.dim_value() < 0) {
      result.reason = unknownDim(dim, static_cast<int>(result.dims.size()));
      result.dims.clear();
      return result;
    }
    result.dims.push_back(dim.dim_value());
  }
  result.hasShape = true;
  setBytes(result);
  return result;
}

void OnnxConverter::readTypes() {
  for (const auto *values :
       {&graph.value_info(), &graph.output(), &graph.input()})
    for (const onnx::ValueInfoProto &value : *values)
      tensors.try_emplace(value.name(), readValue(value));
}

llvm::Error OnnxConverter::addConstant(const std::string &name,
                                       bool isInitializer,
                                       const TensorSize &tensor) {
  std::string where = (isInitializer ? "initializer " : "input ") + name;
  if (name.empty())
    return makeInputError(where + "name: expected a non-empty string");
  if (tensor.bytes < 0)
    return makeInputError(where + ": " +
                          (tensor.reason.empty()
                               ? "no shape with an element type"
                               : tensor.reason));
  if (!isInitializer)
    return builder.addInput(name, tensor.bytes);
  initializers.insert(name);
  return builder.addInitializer(name, tensor.bytes);
}

llvm::Error OnnxConverter::addInitializers() {
  for (const onnx::TensorProto &initializer : graph.initializer()) {
    llvm::Expected<TensorSize> tensor = readTensor(initializer);
    if (!tensor)
      return inPlace("initializer " + initializer.name(), tensor.takeError());
    tensors[initializer.name()] = *tensor;
    if (unusedShapes.contains(initializer.name()))
      continue;
    if (llvm::Error e = addConstant(initializer.name(), true, *tensor))
      return e;
  }
  return llvm::Error::success();
}

/// ONNX's light models, which have no weights, make each weight W from its
/// shape: W = ConstantOfShape(W__SHAPE). These are weights all the same.
llvm::Error OnnxConverter::addStandIns() {
  isStandIn.assign(graph.node_size(), false);
  llvm::StringMap<unsigned> readers;
  for (const onnx::NodeProto &node : graph.node())
    for (const std::string &input : node.input())
      ++readers[input];
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto &node = graph.node(i);
    if (node.op_type() != "ConstantOfShape" || node.input_size() != 1 ||
        node.output_size() != 1 || node.input(0) != node.output(0) + "__SHAPE")
      continue;
    isStandIn[i] = true;
    if (readers[node.input(0)] == 1)
      unusedShapes.insert(node.input(0));
    if (llvm::Error e =
            addConstant(node.output(0), true, tensors.lookup(node.output(0))))
      return e;
  }
  return llvm::Error::success();
}

llvm::Error OnnxConverter::addInputs() {
  for (const onnx::ValueInfoProto &input : graph.input()) {
    if (initializers.contains(input.name()) ||
        unusedShapes.contains(input.name()))
      continue;
    if (llvm::Error e =
            addConstant(input.name(), false, tensors.lookup(input.name())))
      return e;
  }
  return llvm::Error::success();
}

void OnnxConverter::keepFacts(const onnx::NodeProto &node, NodeId n) {
  if (!isOnnxDomain(node.domain()) && node.domain() != "com.microsoft") {
    facts.foreign.resize(n + 1);
    facts.foreign.set(n);
  }
  for (const onnx::AttributeProto &entry : node.attribute()) {
    if (!isUsedAttribute(entry.name()))
      continue;
    Attribute attribute;
    attribute.name = entry.name();
    attribute.text = entry.s();
    if (entry.type() == onnx::AttributeProto::INTS)
      attribute.ints.assign(entry.ints().begin(), entry.ints().end());
    else if (entry.type() == onnx::AttributeProto::INT)
      attribute.ints.push_back(entry.i());
    facts.attributes[n].push_back(std::move(attribute));
  }
}

llvm::Error OnnxConverter::addNode(int index) {
  const onnx::NodeProto &proto = graph.node(index);
  NodeId n = builder.numNodes();
  // ONNX does not ask for distinct names, and exporters repeat them.
  std::string name = proto.name();
  for (unsigned k = 2; !name.empty() && !nodeNames.insert(name).second; ++k)
    name = proto.name() + "_" + std::to_string(k);
  std::vector<llvm::StringRef> inputs(proto.input().begin(),
                                      proto.input().end());
  llvm::StringSet<> seen;
  for (llvm::StringRef input : inputs)
    seen.insert(input);
  forEachOuterRead(proto, [&](const std::string &outer) {
    if (seen.insert(outer).second)
      inputs.push_back(outer);
  });
  std::vector<llvm::StringRef> outputs(proto.output().begin(),
                                       proto.output().end());
  NodeDescription node;
  node.name = name;
  node.opType = proto.op_type();
  node.inputs = inputs;
  node.outputs = outputs;
  keepFacts(proto, n);
  return builder.addNode(node);
}

llvm::Error OnnxConverter::addNodes() {
  for (const auto &entry : tensors) {
    const TensorSize &tensor = entry.getValue();
    if (tensor.bytes >= 0)
      builder.setTensorBytes(entry.getKey(), tensor.bytes);
    else if (!tensor.reason.empty())
      builder.setTensorUnsized(entry.getKey(), tensor.reason);
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    if (isStandIn[i])
      continue;
    for (const std::string &output : graph.node(i).output()) {
      auto found = tensors.find(output);
      if (found == tensors.end() ||
          (found->second.bytes < 0 && found->second.reason.empty()))
        builder.setTensorUnsized(output,
                                 "shape inference finds no shape" +
                                     (fault.empty() ? "" : ": " + fault));
    }
    if (llvm::Error e = addNode(i))
      return e;
  }
  for (const onnx::ValueInfoProto &output : graph.output())
    if (llvm::Error e = builder.addOutput(output.name()))
      return e;
  return llvm::Error::success();
}

/// Protobuf lets names hold any bytes; schedules are JSON and cannot.
static llvm::Error checkNames(const Graph &graph) {
  auto notUtf8 = [](const llvm::Twine &place) {
    return makeInputError(place + ": the name is not UTF-8");
  };
  if (!isUtf8(graph.name()))
    return notUtf8("graph");
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (!isUtf8(graph.nodeName(n)) || !isUtf8(graph.opType(n)))
      return notUtf8("node " + graph.nodeName(n));
  for (TensorId t = 0; t < graph.numTensors(); ++t)
    if (!isUtf8(graph.tensorName(t)))
      return notUtf8("tensor " + graph.tensorName(t));
  return llvm::Error::success();
}

llvm::Expected<LoadedGraph> OnnxConverter::run() {
  readTypes();
  builder.setName(graph.name());
  if (llvm::Error e = addStandIns())
    return e;
  for (auto step : {&OnnxConverter::addInitializers, &OnnxConverter::addInputs,
                    &OnnxConverter::addNodes})
    if (llvm::Error e = (this->*step)())
      return e;
  llvm::Expected<Graph> built = builder.build();
  if (!built)
    return built.takeError();
  if (llvm::Error e = checkNames(*built))
    return e;
  facts.types = typesByName(*built, tensors);
  return assembleGraph({std::move(*built), "", {}, std::move(facts)}, options,
                       Completion::Import);
}

llvm::Expected<LoadedGraph> readOnnxBuffer(llvm::MemoryBufferRef buffer,
                                           const GraphReadOptions &options) {
  llvm::Expected<OnnxModel> model = loadOnnxModel(buffer, options);
  if (!model)
    return inInput(buffer.getBufferIdentifier(), model.takeError());
  llvm::Expected<LoadedGraph> loaded = OnnxConverter(*model, options).run();
  if (!loaded)
    return inInput(buffer.getBufferIdentifier(), loaded.takeError());
  loaded->sha256 = hashBytes(buffer.getBuffer());
  return loaded;
}

} // namespace reprise
