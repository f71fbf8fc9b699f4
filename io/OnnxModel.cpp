// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/OnnxModel.h"

#include "reprise/graph/Error.h"
#include "reprise/io/Json.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <climits>
#include <queue>

namespace reprise {

/// The versions of ONNX's operators that the operator table was written for
/// and that Debian's ONNX knows.
static constexpr int64_t kOldestOpset = 7, kNewestOpset = 17;

bool isOnnxDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

std::string describeNode(const onnx::GraphProto &graph, int index) {
  const std::string &name = graph.node(index).name();
  return "node " + (name.empty() ? "node" + std::to_string(index) : name);
}

static llvm::Error parse(llvm::MemoryBufferRef buffer,
                         onnx::ModelProto &model) {
  if (buffer.getBufferSize() > INT_MAX)
    return makeInputError("an ONNX model of more than 2 GiB; keep its weights "
                          "in external files");
  // What is wrong is told here, not on the standard error.
  google::protobuf::LogSilencer silence;
  if (!model.ParseFromArray(buffer.getBufferStart(),
                            static_cast<int>(buffer.getBufferSize())))
    return makeInputError("no whole ONNX model: the protobuf data is cut off "
                          "or damaged");
  if (!model.has_graph())
    return makeInputError("no ONNX model: it has no graph");
  return llvm::Error::success();
}

/// The version of ONNX's own operators that \p model uses.
static llvm::Expected<int> checkOpset(const onnx::ModelProto &model) {
  const onnx::OperatorSetIdProto *found = nullptr;
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    if (isOnnxDomain(opset.domain()))
      found = &opset;
  if (!found)
    return makeInputError("opset_import: the model does not say which version "
                          "of ONNX's operators it uses");
  if (found->version() < kOldestOpset || found->version() > kNewestOpset)
    return makeInputError(
        "opset_import: version " + llvm::Twine(found->version()) +
        " is not supported, only " + llvm::Twine(kOldestOpset) + " to " +
        llvm::Twine(kNewestOpset));
  return static_cast<int>(found->version());
}

namespace {
/// Walks through the bodies of a node. Their nesting is limited by protobuf.
class BodyWalk {
public:
  explicit BodyWalk(llvm::function_ref<void(const std::string &)> visit)
      : visit(visit) {}

  void walkAttributes(const onnx::NodeProto &node) {
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (attribute.has_g())
        walk(attribute.g());
      for (const onnx::GraphProto &body : attribute.graphs())
        walk(body);
    }
  }

private:
  void walk(const onnx::GraphProto &body) {
    llvm::StringSet<> declared;
    for (const onnx::ValueInfoProto &input : body.input())
      declared.insert(input.name());
    for (const onnx::TensorProto &initializer : body.initializer())
      declared.insert(initializer.name());
    for (const auto &initializer : body.sparse_initializer())
      declared.insert(initializer.values().name());
    for (const onnx::NodeProto &node : body.node())
      for (const std::string &output : node.output())
        declared.insert(output);
    scopes.push_back(std::move(declared));
    for (const onnx::NodeProto &node : body.node()) {
      for (const std::string &input : node.input())
        read(input);
      walkAttributes(node);
    }
    for (const onnx::ValueInfoProto &output : body.output())
      read(output.name()); // a body may return an outer tensor
    scopes.pop_back();
  }

  void read(const std::string &name) {
    if (!name.empty() && llvm::none_of(scopes, [&](const auto &scope) {
          return scope.contains(name);
        }))
      visit(name);
  }

  llvm::function_ref<void(const std::string &)> visit;
  std::vector<llvm::StringSet<>> scopes;
};
} // namespace

void forEachOuterRead(const onnx::NodeProto &node,
                      llvm::function_ref<void(const std::string &)> visit) {
  BodyWalk(visit).walkAttributes(node);
}

/// Puts the nodes of \p graph in topological order, which inference relies on;
/// among those that are ready, the first of the file comes first.
static llvm::Error sortNodes(onnx::GraphProto &graph) {
  llvm::StringMap<int> producers;
  for (int i = 0; i < graph.node_size(); ++i)
    for (const std::string &output : graph.node(i).output())
      if (!output.empty())
        producers[output] = i;
  std::vector<std::vector<int>> users(graph.node_size());
  std::vector<size_t> waiting(graph.node_size());
  for (int i = 0; i < graph.node_size(); ++i) {
    auto waitFor = [&](const std::string &name) {
      auto found = producers.find(name);
      if (name.empty() || found == producers.end())
        return;
      users[found->second].push_back(i);
      ++waiting[i];
    };
    for (const std::string &input : graph.node(i).input())
      waitFor(input);
    forEachOuterRead(graph.node(i), waitFor);
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < graph.node_size(); ++i)
    if (waiting[i] == 0)
      ready.push(i);
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (int user : users[order.back()])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  for (int i = 0; i < graph.node_size(); ++i)
    if (waiting[i] > 0)
      return makeInputError(describeNode(graph, i) +
                            ": input: the node is on a cycle, or reads from "
                            "one");
  if (std::is_sorted(order.begin(), order.end()))
    return llvm::Error::success();
  google::protobuf::RepeatedPtrField<onnx::NodeProto> sorted;
  for (int i : order) {
    *sorted.Add() = std::move(*graph.mutable_node(i));
    if (sorted.rbegin()->name().empty()) // keep what messages call it
      sorted.rbegin()->set_name("node" + std::to_string(i));
  }
  graph.mutable_node()->Swap(&sorted);
  return llvm::Error::success();
}

/// Shape inference divides by some attributes and multiplies others, unchecked.
static llvm::Error checkAttribute(const onnx::AttributeProto &attribute) {
  auto isWithin = [&](int64_t least, int64_t most) -> llvm::Error {
    auto isWrong = [=](int64_t value) { return value < least || value > most; };
    if (llvm::any_of(attribute.ints(), isWrong) ||
        (attribute.has_i() && isWrong(attribute.i())))
      return makeInputError(llvm::Twine(attribute.name()) +
                            ": expected values in " + llvm::Twine(least) +
                            " .. " + llvm::Twine(most));
    return llvm::Error::success();
  };
  constexpr int64_t most = int64_t(1) << 31;
  if (llvm::StringSwitch<bool>(attribute.name())
          .Cases("strides", "dilations", "kernel_shape", "group", true)
          .Cases("blocksize", "hidden_size", true)
          .Default(false))
    return isWithin(1, most);
  if (llvm::StringSwitch<bool>(attribute.name())
          .Cases("pads", "output_padding", "output_shape", true)
          .Default(false))
    return isWithin(-most, most);
  return llvm::Error::success();
}

/// Checks the nodes against ONNX's own description of each operator: shape
/// inference takes for granted that inputs and attributes are as declared.
static llvm::Error verifyNodes(const onnx::GraphProto &graph, int opset) {
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto &node = graph.node(i);
    if (node.op_type().empty())
      return makeInputError(describeNode(graph, i) +
                            ": op_type: expected a name of an operator");
    if (!isOnnxDomain(node.domain()))
      continue;
    const onnx::OpSchema *schema = onnx::OpSchemaRegistry::Schema(
        node.op_type(), opset, onnx::ONNX_DOMAIN);
    try {
      if (schema)
        schema->Verify(node);
    } catch (const std::exception &error) {
      llvm::StringRef text = llvm::StringRef(error.what()).split('\n').first;
      return makeInputError(describeNode(graph, i) + ": " + text);
    }
    for (const onnx::AttributeProto &attribute : node.attribute()) {
      if (llvm::Error e = checkAttribute(attribute))
        return inPlace(describeNode(graph, i), std::move(e));
      if (attribute.has_g())
        if (llvm::Error e = verifyNodes(attribute.g(), opset))
          return e;
      for (const onnx::GraphProto &body : attribute.graphs())
        if (llvm::Error e = verifyNodes(body, opset))
          return e;
    }
  }
  return llvm::Error::success();
}

/// Puts numbers in place of the symbols that \p dims binds.
static void
bindDims(google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> &values,
         const std::map<std::string, int64_t> &dims) {
  for (onnx::ValueInfoProto &value : values) {
    if (!value.type().has_tensor_type() ||
        !value.type().tensor_type().has_shape())
      continue;
    for (auto &dim : *value.mutable_type()
                          ->mutable_tensor_type()
                          ->mutable_shape()
                          ->mutable_dim()) {
      auto bound =
          dim.has_dim_param() ? dims.find(dim.dim_param()) : dims.end();
      if (bound != dims.end())
        dim.set_dim_value(bound->second);
    }
  }
}

/// Makes \p graph ready for inference.
static llvm::Error prepare(onnx::GraphProto &graph, int opset,
                           const GraphReadOptions &options) {
  if (graph.sparse_initializer_size() > 0)
    return makeInputError("sparse_initializer 0: not supported");
  if (llvm::Error e = sortNodes(graph))
    return e;
  if (llvm::Error e = verifyNodes(graph, opset))
    return e;
  for (auto *values : {graph.mutable_input(), graph.mutable_output(),
                       graph.mutable_value_info()})
    bindDims(*values, options.dims);
  return options.batch ? setBatch(graph, *options.batch)
                       : llvm::Error::success();
}

/// Inference gives up on a whole model where the version of one domain is not
/// stated; operators of domains that it does not know, it passes over.
static void importAllDomains(onnx::ModelProto &model) {
  llvm::StringSet<> imported;
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    imported.insert(opset.domain());
  for (const onnx::NodeProto &node : model.graph().node())
    if (!isOnnxDomain(node.domain()) && imported.insert(node.domain()).second) {
      onnx::OperatorSetIdProto *opset = model.add_opset_import();
      opset->set_domain(node.domain());
      opset->set_version(1);
    }
}

static void inferShapes(OnnxModel &model) {
  importAllDomains(model.proto);
  auto run = [](onnx::ModelProto &proto, int errorMode) -> std::string {
    try {
      onnx::shape_inference::InferShapes(
          proto, onnx::OpSchemaRegistry::Instance(),
          {/*check_type=*/false, errorMode, /*data_prop=*/true});
    } catch (const std::exception &error) {
      llvm::StringRef text = error.what();
      return text.take_until([](char c) { return c == '\n'; }).str();
    }
    return "";
  };
  // The lenient mode goes on where an operator cannot be inferred, but does
  // not say why; the strict mode says why and stops.
  onnx::ModelProto strict = model.proto;
  model.inferenceFault = run(strict, /*errorMode=*/1);
  if (model.inferenceFault.empty())
    model.proto = std::move(strict);
  else
    run(model.proto, /*errorMode=*/0);
}

/// Copies the type and shape of \p from, where it is known, to \p name. The
/// element type becomes \p elementType unless that is 0.
static void describeLike(onnx::GraphProto &graph, const std::string &name,
                         const onnx::TypeProto *from, int elementType) {
  if (!from)
    return;
  onnx::ValueInfoProto *value = graph.add_value_info();
  value->set_name(name);
  *value->mutable_type() = *from;
  if (elementType != 0)
    value->mutable_type()->mutable_tensor_type()->set_elem_type(elementType);
}

/// Adds what ONNX's inference leaves out: second outputs that older versions
/// of an operator have and say little about.
static void inferSecondOutputs(onnx::GraphProto &graph, int opset) {
  llvm::StringMap<onnx::TypeProto> types;
  for (const auto *values :
       {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto &value : *values)
      if (value.type().has_tensor_type())
        types[value.name()] = value.type();
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    onnx::TypeProto_Tensor type;
    type.set_elem_type(tensor.data_type());
    for (int64_t dim : tensor.dims())
      type.mutable_shape()->add_dim()->set_dim_value(dim);
    *types[tensor.name()].mutable_tensor_type() = std::move(type);
  }
  constexpr int opsetOfBooleanMasks = 10;
  for (const onnx::NodeProto &node : graph.node()) {
    bool isDropout = node.op_type() == "Dropout";
    if ((!isDropout && node.op_type() != "BatchNormalization") ||
        !isOnnxDomain(node.domain()))
      continue;
    // A mask is like the data, statistics are like the scale.
    int like = isDropout ? 0 : 1;
    auto found =
        node.input_size() > like ? types.find(node.input(like)) : types.end();
    int elementType =
        isDropout && opset >= opsetOfBooleanMasks ? onnx::TensorProto::BOOL : 0;
    for (int i = 1; i < node.output_size(); ++i)
      if (!node.output(i).empty() && !types.count(node.output(i)))
        describeLike(graph, node.output(i),
                     found == types.end() ? nullptr : &found->second,
                     elementType);
  }
}

llvm::Expected<OnnxModel> loadOnnxModel(llvm::MemoryBufferRef buffer,
                                        const GraphReadOptions &options) {
  OnnxModel model;
  if (llvm::Error e = parse(buffer, model.proto))
    return e;
  llvm::Expected<int> opset = checkOpset(model.proto);
  if (!opset)
    return opset.takeError();
  if (llvm::Error e = prepare(*model.proto.mutable_graph(), *opset, options))
    return e;
  inferShapes(model);
  inferSecondOutputs(*model.proto.mutable_graph(), *opset);
  if (options.batch)
    if (llvm::Error e = checkBatch(model.proto.graph()))
      return e;
  return model;
}

} // namespace reprise
