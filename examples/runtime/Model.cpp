// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Model.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>

namespace example {

using Json = nlohmann::json;

int64_t elementCount(const Shape &shape) {
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  return count;
}

static Json readFile(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  return Json::parse(file);
}

/// The number of tensor \p name, which is a new one if need be.
static TensorId tensorId(Model &model, const std::string &name) {
  auto [entry, isNew] = model.tensorIds.try_emplace(name, model.tensors.size());
  if (isNew)
    model.tensors.push_back({name, {}});
  return entry->second;
}

/// Reads an ONNX value description: name, element type, shape.
static TensorId addValue(Model &model, const Json &value) {
  // ONNX's numbers.
  constexpr int kInt64 = 7, kReal = sizeof(Real) == 4 ? 1 : 11;
  TensorId id = tensorId(model, value.at("name"));
  const Json &type = value.at("type").at("tensorType");
  model.tensors[id].isInteger = type.at("elemType") == kInt64;
  if (!model.tensors[id].isInteger && type.at("elemType") != kReal)
    throw std::runtime_error(model.tensors[id].name +
                             ": of another type than this program computes in");
  for (const Json &dim : type.at("shape").at("dim"))
    model.tensors[id].shape.push_back(dim.at("dimValue"));
  return id;
}

/// `d:T` and `d:T#2` are made like T.
static void describeGradient(Model &model, TensorId id) {
  std::string name = model.tensors[id].name;
  if (name.rfind("d:", 0) != 0)
    return;
  auto found = model.tensorIds.find(name.substr(2));
  if (found == model.tensorIds.end())
    found = model.tensorIds.find(name.substr(2, name.rfind('#') - 2));
  if (found == model.tensorIds.end())
    throw std::runtime_error(name + ": gradient of no tensor");
  model.gradientOf[id] = found->second;
  model.tensors[id].shape = model.tensors[found->second].shape;
}

static void addNode(Model &model, const std::string &name, const Json &json) {
  NodeInfo node{name, json.at("opType"), {}, {}, {}, {}, {}, -1};
  for (const std::string tensor : json.at("input"))
    node.inputs.push_back(tensorId(model, tensor));
  for (const std::string tensor : json.at("output")) {
    node.outputs.push_back(tensorId(model, tensor));
    describeGradient(model, node.outputs.back());
  }
  for (auto [key, uses] :
       {std::pair("alias", &node.alias), std::pair("inplace", &node.inplace)})
    if (json.contains(key))
      for (const auto &[out, in] : json.at(key).items())
        (*uses)[tensorId(model, out)] = tensorId(model, in);
  for (const Json &attribute : json.value("attribute", Json::array()))
    if (attribute.contains("ints"))
      attribute.at("ints").get_to(node.attributes[attribute.at("name")]);
    else if (attribute.contains("i"))
      node.attributes[attribute.at("name")] = {attribute.at("i")};
  constexpr size_t kSuffix = sizeof(".grad") - 1;
  if (name.size() > kSuffix && name.substr(name.size() - kSuffix) == ".grad")
    node.forward = model.nodeIds.at(name.substr(0, name.size() - kSuffix));
  model.nodeIds[name] = model.nodes.size();
  model.nodes.push_back(std::move(node));
}

Model readModel(const std::string &path) {
  Model model;
  Json file = readFile(path);
  const Json &graph = file.at("graph");
  for (const Json &value : graph.at("input"))
    model.inputs.push_back(addValue(model, value));
  for (const Json &value : graph.at("initializer"))
    model.weights.push_back(addValue(model, value));
  for (const Json &value : graph.at("valueInfo"))
    addValue(model, value);
  for (const Json &node : graph.at("node"))
    addNode(model, node.at("name"), node);
  for (const Json &output : graph.at("output"))
    model.outputs.push_back(model.tensorIds.at(output.at("name")));
  return model;
}

Schedule readSchedule(const std::string &path, Model &model) {
  Json file = readFile(path);
  if (file.at("format") != "reprise.schedule" || file.at("version") != 1)
    throw std::runtime_error(path + ": not a schedule of version 1");
  for (const auto &[name, node] : file.at("nodes").items())
    if (!model.nodeIds.count(name))
      addNode(model, name, node);
  Schedule schedule;
  schedule.peakBytes = file.at("peak_memory");
  for (const Json &step : file.at("steps"))
    if (step.contains("compute"))
      schedule.steps.push_back({false, model.nodeIds.at(step["compute"])});
    else if (step.contains("free"))
      schedule.steps.push_back({true, model.tensorIds.at(step["free"])});
    else
      throw std::runtime_error(path + ": a step of an unknown kind");
  return schedule;
}

} // namespace example
