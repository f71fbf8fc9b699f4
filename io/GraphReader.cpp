// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of a graph may come in any order. Nodes, initializers and
// valueInfo go to the builder as they come; inputs and outputs wait to the end
// of the file, because an initializer takes precedence over an input of the
// same name, and valueInfo over what `output` says of a tensor's shape.

#include "reprise/io/GraphReader.h"

#include "reprise/graph/Error.h"
#include "reprise/graph/GraphBuilder.h"
#include "reprise/io/GraphAssembly.h"
#include "reprise/io/InputFile.h"
#include "reprise/io/Json.h"
#include "reprise/io/NodeReader.h"
#include "reprise/io/OnnxReader.h"
#include "reprise/io/TensorShape.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

#include <future>

namespace reprise {

namespace {

/// Places of a document, for JsonVisitor.
enum Place : int {
  Document,
  GraphObject,
  GraphName,
  Nodes,
  Inputs,
  Initializers,
  Outputs,
  ValueInfos,
  Sparse
};

struct NamedSize {
  std::string name;
  TensorSize size;
};

class GraphVisitor : public JsonVisitor {
public:
  explicit GraphVisitor(const GraphReadOptions &options) : options(options) {}

  JsonAction member(int place, llvm::StringRef key) override;
  void enter(int place) override { sawGraph |= place == GraphObject; }
  JsonAction element(int place) override {
    return {JsonAction::Collect, place};
  }
  bool wants(int place, llvm::StringRef top, llvm::StringRef key) override;
  llvm::Error value(int place, llvm::StringRef key, size_t position,
                    JsonValue value) override;
  /// The graph, once the document is read.
  llvm::Expected<LoadedGraph> finish();

private:
  llvm::Error addEntry(Place place, size_t position, JsonValue value);
  void keepType(llvm::StringRef name, const TensorSize &size);
  llvm::Error addConstant(bool isInitializer, llvm::StringRef name,
                          const TensorSize &size);

  const GraphReadOptions &options;
  GraphBuilder builder;
  NodeReader nodeReader;
  bool sawGraph = false;
  std::vector<NamedSize> inputs, outputs;
  llvm::StringSet<> initializerNames, sizedNames;
  llvm::StringMap<TensorSize> typedTensors;
  std::vector<BackwardOverride> overrides;
  ModelFacts facts;
};

} // namespace

JsonAction GraphVisitor::member(int place, llvm::StringRef key) {
  if (place == Document) {
    if (key != "graph")
      return {};
    return {JsonAction::DescendObject, GraphObject};
  }
  if (key == "name")
    return {JsonAction::Collect, GraphName};
  int list = llvm::StringSwitch<int>(key)
                 .Case("node", Nodes)
                 .Case("input", Inputs)
                 .Case("initializer", Initializers)
                 .Case("output", Outputs)
                 .Cases("valueInfo", "value_info", ValueInfos)
                 .Cases("sparseInitializer", "sparse_initializer", Sparse)
                 .Default(Document);
  if (list == Document)
    return {};
  return {JsonAction::DescendList, list};
}

bool GraphVisitor::wants(int place, llvm::StringRef top, llvm::StringRef key) {
  if (place == Nodes)
    return NodeReader::wants(top, key);
  if (!top.empty())
    return true;
  // Not the data of an initializer: that can be megabytes.
  return llvm::StringSwitch<bool>(key)
      .Cases("name", "memory", "type", "dims", "dataType", "data_type", true)
      .Default(false);
}

static llvm::StringRef sectionName(Place place) {
  switch (place) {
  case Inputs:
    return "input";
  case Initializers:
    return "initializer";
  case Outputs:
    return "output";
  default:
    return "valueInfo";
  }
}

llvm::Error GraphVisitor::value(int place, llvm::StringRef, size_t position,
                                JsonValue value) {
  switch (place) {
  case GraphName: {
    if (!value.isPresent())
      return llvm::Error::success();
    llvm::Expected<llvm::StringRef> name = readString(value, "graph: name");
    if (!name)
      return name.takeError();
    builder.setName(*name);
    return llvm::Error::success();
  }
  case Nodes:
    return nodeReader.read(value, builder, overrides, facts);
  case Sparse:
    return makeInputError("sparseInitializer " + llvm::Twine(position) +
                          ": not supported");
  default:
    return addEntry(static_cast<Place>(place), position, value);
  }
}

llvm::Error GraphVisitor::addEntry(Place place, size_t position,
                                   JsonValue value) {
  std::string where = (sectionName(place) + " " + llvm::Twine(position)).str();
  if (!value.isObject())
    return wrongValue(where, "an object", value);
  JsonValue name = value.member("name");
  if (!name.isString() || name.text().empty()) {
    if (place == ValueInfos && !name.isPresent())
      return llvm::Error::success();
    return wrongValue(where + ": name", "a non-empty string", name);
  }
  where = (sectionName(place) + " " + name.text()).str();
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError(where + ": " + twice + ": the key comes twice");
  llvm::Expected<TensorSize> size = readTensorSize(value, options);
  if (!size)
    return inPlace(where, size.takeError());
  if (place == Initializers || place == ValueInfos)
    keepType(name.text(), *size);
  if (place == Inputs) {
    inputs.push_back({name.text().str(), std::move(*size)});
  } else if (place == Outputs) {
    outputs.push_back({name.text().str(), std::move(*size)});
  } else if (place == Initializers) {
    initializerNames.insert(name.text());
    return addConstant(/*isInitializer=*/true, name.text(), *size);
  } else if (size->bytes >= 0) {
    sizedNames.insert(name.text());
    builder.setTensorBytes(name.text(), size->bytes);
  } else if (!size->reason.empty()) {
    sizedNames.insert(name.text());
    builder.setTensorUnsized(name.text(), size->reason);
  }
  return llvm::Error::success();
}

llvm::Error GraphVisitor::addConstant(bool isInitializer, llvm::StringRef name,
                                      const TensorSize &size) {
  if (size.bytes < 0)
    return makeInputError(
        llvm::Twine(isInitializer ? "initializer " : "input ") + name + ": " +
        (size.reason.empty() ? "neither memory nor a shape with an element type"
                             : size.reason));
  if (isInitializer)
    return builder.addInitializer(name, size.bytes);
  return builder.addInput(name, size.bytes);
}

/// Remembers the first that is said of the type of \p name.
void GraphVisitor::keepType(llvm::StringRef name, const TensorSize &size) {
  if (size.elementType != 0)
    typedTensors.try_emplace(name, size);
}

llvm::Expected<LoadedGraph> GraphVisitor::finish() {
  if (!sawGraph)
    return makeInputError("graph: expected an object, got nothing");
  for (const NamedSize &input : inputs) {
    keepType(input.name, input.size);
    if (!initializerNames.contains(input.name))
      if (llvm::Error e =
              addConstant(/*isInitializer=*/false, input.name, input.size))
        return e;
  }
  for (const NamedSize &output : outputs) {
    keepType(output.name, output.size);
    if (llvm::Error e = builder.addOutput(output.name))
      return e;
    if (sizedNames.contains(output.name))
      continue;
    if (output.size.bytes >= 0)
      builder.setTensorBytes(output.name, output.size.bytes);
    else if (!output.size.reason.empty())
      builder.setTensorUnsized(output.name, output.size.reason);
  }
  llvm::Expected<Graph> graph = builder.build();
  if (!graph)
    return graph.takeError();
  facts.types = typesByName(*graph, typedTensors);
  return assembleGraph(
      {std::move(*graph), "", std::move(overrides), std::move(facts)}, options,
      options.completion);
}

/// Does \p bytes begin like a protobuf message rather than like JSON?
static bool looksLikeOnnx(llvm::StringRef bytes) {
  // The first field of a ModelProto is its ir_version: tag 8. Whatever else a
  // message may begin with is a control character that JSON does not allow.
  return !bytes.empty() && static_cast<unsigned char>(bytes[0]) < 0x20 &&
         bytes[0] != '\t' && bytes[0] != '\n' && bytes[0] != '\r';
}

llvm::Expected<LoadedGraph> readGraphBuffer(llvm::MemoryBufferRef buffer,
                                            const GraphReadOptions &options) {
  if (looksLikeOnnx(buffer.getBuffer()))
    return readOnnxBuffer(buffer, options);
  if (options.batch)
    return inFile(
        buffer.getBufferIdentifier(),
        makeInputError("--batch is for ONNX models in protobuf; here "
                       "a symbolic batch N is bound by --dim N=VALUE"));
  // Hashing takes about half as long as parsing: side by side, it is free. Of
  // a small file it takes less time than a thread does to start.
  constexpr size_t smallBytes = 1 << 16;
  std::future<std::string> hash =
      std::async(buffer.getBufferSize() < smallBytes ? std::launch::deferred
                                                     : std::launch::async,
                 hashBytes, buffer.getBuffer());
  GraphVisitor visitor(options);
  if (llvm::Error e = parseJson(buffer, visitor))
    return e;
  llvm::Expected<LoadedGraph> loaded = visitor.finish();
  if (!loaded)
    return inInput(buffer.getBufferIdentifier(), loaded.takeError());
  loaded->sha256 = hash.get();
  return loaded;
}

llvm::Expected<LoadedGraph> readGraph(llvm::StringRef path,
                                      const GraphReadOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = openInput(path);
  if (!buffer)
    return buffer.takeError();
  return readGraphBuffer(**buffer, options);
}

} // namespace reprise
