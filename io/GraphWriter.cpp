// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/GraphWriter.h"

#include "reprise/graph/GraphCopy.h"
#include "reprise/io/NodeWriter.h"
#include "reprise/io/ScheduleWriter.h"

#include "llvm/Support/Base64.h"

namespace reprise {

namespace {
class GraphWriter {
public:
  explicit GraphWriter(const LoadedGraph &loaded)
      : graph(loaded.graph), facts(loaded.facts) {
    for (const BackwardOverride &entry : loaded.overrides)
      overrides[entry.node] = &entry;
  }
  std::string write();

private:
  void beginList(const char *key);
  void beginEntry();
  void endList();
  void addDims(llvm::ArrayRef<int64_t> dims, const char *before,
               const char *after);
  void addConstants(bool initializers);
  void addTensorType(TensorId t);
  void addValueInfo();
  void addNodes();
  void addAttributes(NodeId n);
  void addOverride(const BackwardOverride &given);

  const Graph &graph;
  const ModelFacts &facts;
  llvm::DenseMap<NodeId, const BackwardOverride *> overrides;
  std::string json;
  const char *separator = "";
};
} // namespace

void GraphWriter::beginList(const char *key) {
  json += ",\n    \"";
  json += key;
  json += "\": [";
  separator = "\n";
}

void GraphWriter::beginEntry() {
  json += separator;
  separator = ",\n";
  json += "      {\"name\": ";
}

void GraphWriter::endList() { json += separator[0] == ',' ? "\n    ]" : "]"; }

void GraphWriter::addDims(llvm::ArrayRef<int64_t> dims, const char *before,
                          const char *after) {
  const char *comma = "";
  for (int64_t dim : dims) {
    json += comma;
    comma = ", ";
    json += before + std::to_string(dim) + after;
  }
}

/// The `type` of a ValueInfoProto.
void GraphWriter::addTensorType(TensorId t) {
  TensorType type = facts.types[t];
  json += ", \"type\": {\"tensorType\": {\"elemType\": " +
          std::to_string(type.elementType);
  if (type.hasShape) {
    json += ", \"shape\": {\"dim\": [";
    addDims(type.dims, "{\"dimValue\": ", "}");
    json += "]}";
  }
  json += "}}}";
}

void GraphWriter::addConstants(bool initializers) {
  beginList(initializers ? "initializer" : "input");
  for (TensorId t = 0; t < graph.numConstants(); ++t) {
    if (graph.isInitializer(t) != initializers)
      continue;
    beginEntry();
    appendJsonString(json, graph.tensorName(t));
    json +=
        ", \"memory\": " + std::to_string(graph.storageBytes(graph.storage(t)));
    TensorType type = facts.types[t];
    if (type.elementType == 0) {
      json += '}';
    } else if (initializers && type.hasShape) {
      json += ", \"dataType\": " + std::to_string(type.elementType) +
              ", \"dims\": [";
      addDims(type.dims, "", "");
      json += "]}";
    } else {
      addTensorType(t);
    }
  }
  endList();
}

void GraphWriter::addAttributes(NodeId n) {
  auto found = facts.attributes.find(n);
  if (found == facts.attributes.end())
    return;
  json += ", \"attribute\": [";
  const char *comma = "";
  for (const Attribute &attribute : found->second) {
    json += comma;
    comma = ", ";
    json += "{\"name\": ";
    appendJsonString(json, attribute.name);
    if (!attribute.text.empty())
      json += ", \"s\": \"" + llvm::encodeBase64(attribute.text) + "\"";
    if (!attribute.ints.empty()) {
      json += ", \"ints\": [";
      addDims(attribute.ints, "", "");
      json += ']';
    }
    json += '}';
  }
  json += ']';
}

void GraphWriter::addOverride(const BackwardOverride &given) {
  json += ", \"backward\": {";
  const char *comma = "";
  auto key = [&](const char *name) {
    json += comma;
    comma = ", ";
    json += std::string("\"") + name + "\": ";
  };
  if (given.needs) {
    key("needs");
    json += '[';
    const char *nameComma = "";
    for (const std::string &name : *given.needs) {
      json += nameComma;
      nameComma = ", ";
      appendJsonString(json, name);
    }
    json += ']';
  }
  if (given.flops) {
    key("flops");
    appendJsonNumber(json, *given.flops);
  }
  if (given.bytes) {
    key("memory");
    json += '[';
    addDims(*given.bytes, "", "");
    json += ']';
  }
  if (given.workspaceBytes) {
    key("workspace");
    json += std::to_string(*given.workspaceBytes);
  }
  json += '}';
}

void GraphWriter::addNodes() {
  beginList("node");
  NodeDescriber describer(graph);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    NodeDescription node = describer.describe(n);
    beginEntry();
    appendJsonString(json, node.name);
    json += ", ";
    appendNodeFields(json, node);
    if (facts.isForeign(n))
      json += ", \"domain\": \"other\"";
    addAttributes(n);
    if (const BackwardOverride *given = overrides.lookup(n))
      addOverride(*given);
    json += '}';
  }
  endList();
}

void GraphWriter::addValueInfo() {
  beginList("valueInfo");
  for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t) {
    if (facts.types[t].elementType == 0)
      continue;
    beginEntry();
    appendJsonString(json, graph.tensorName(t));
    addTensorType(t);
  }
  endList();
}

std::string GraphWriter::write() {
  json = "{\n  \"producerName\": \"reprise\",\n  \"graph\": {\n    \"name\": ";
  appendJsonString(json, graph.name());
  addConstants(/*initializers=*/false);
  addConstants(/*initializers=*/true);
  beginList("output");
  for (TensorId t : graph.graphOutputs()) {
    beginEntry();
    appendJsonString(json, graph.tensorName(t));
    json += '}';
  }
  endList();
  addNodes();
  addValueInfo();
  json += "\n  }\n}\n";
  return std::move(json);
}

std::string writeGraph(const LoadedGraph &loaded) {
  return GraphWriter(loaded).write();
}

} // namespace reprise
