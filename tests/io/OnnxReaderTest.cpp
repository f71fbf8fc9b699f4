// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models in protobuf's text form, serialized and read again.

#include "reprise/io/OnnxReader.h"

#include "reprise/io/GraphWriter.h"

#include <doctest/doctest.h>
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>

using namespace reprise;

/// A tensor value of floats: `floats("x", "3, 4")`.
static std::string floats(const std::string &name,
                          std::vector<std::string> dims) {
  std::string shape;
  for (const std::string &dim : dims)
    shape +=
        "dim { " +
        (std::isdigit(dim[0]) || dim[0] == '-' ? "dim_value: " + dim
                                               : "dim_param: \"" + dim + "\"") +
        " } ";
  return "{ name: \"" + name + "\" type { tensor_type { elem_type: 1 shape { " +
         shape + "} } } }\n";
}

static std::string node(const std::string &opType,
                        const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs,
                        const std::string &rest = "") {
  std::string text = "node { op_type: \"" + opType + "\" ";
  for (const std::string &input : inputs)
    text += "input: \"" + input + "\" ";
  for (const std::string &output : outputs)
    text += "output: \"" + output + "\" ";
  return text + rest + " }\n";
}

static std::string serialize(const std::string &graph, int opset = 13) {
  std::string text =
      "ir_version: 7 opset_import { version: " + std::to_string(opset) +
      " } graph { name: \"g\"\n" + graph + "}";
  onnx::ModelProto model;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &model));
  return model.SerializeAsString();
}

static llvm::Expected<LoadedGraph> read(const std::string &bytes,
                                        const GraphReadOptions &options = {}) {
  return readGraphBuffer(llvm::MemoryBufferRef(bytes, "m.onnx"), options);
}

static LoadedGraph load(const std::string &graph,
                        const GraphReadOptions &options = {}, int opset = 13) {
  llvm::Expected<LoadedGraph> loaded = read(serialize(graph, opset), options);
  REQUIRE_MESSAGE(loaded, llvm::toString(loaded.takeError()));
  return std::move(*loaded);
}

static std::string errorOf(const std::string &graph,
                           const GraphReadOptions &options = {},
                           int opset = 13) {
  llvm::Expected<LoadedGraph> loaded = read(serialize(graph, opset), options);
  return loaded ? std::string() : llvm::toString(loaded.takeError());
}

static TensorId find(const Graph &graph, llvm::StringRef name) {
  for (TensorId t = 0; t < graph.numTensors(); ++t)
    if (graph.tensorName(t) == name)
      return t;
  FAIL("no tensor " << name.str());
  return kNone;
}

static int64_t bytesOf(const LoadedGraph &loaded, llvm::StringRef name) {
  return tensorBytes(loaded.graph, loaded.facts, find(loaded.graph, name));
}

static std::vector<std::string> inputsOf(const Graph &graph, NodeId n) {
  std::vector<std::string> names;
  for (TensorId t : graph.inputs(n))
    names.push_back(t == kNone ? "" : graph.tensorName(t).str());
  return names;
}

using Strings = std::vector<std::string>;

/// x [2, 4] times w [4, 8], and what becomes of it.
static const std::string perceptron =
    "input " + floats("x", {"2", "4"}) +
    "initializer { name: \"w\" data_type: 1 dims: 4 dims: 8 }\n" + "output " +
    floats("y", {"2", "8"}) +
    node("MatMul", {"x", "w"}, {"h"}, "name: \"mm\"") +
    node("Relu", {"h"}, {"y"}, "name: \"act\"");

TEST_CASE("OnnxReader: shapes are inferred, costs filled in") {
  LoadedGraph loaded = load(perceptron);
  const Graph &graph = loaded.graph;
  CHECK(graph.name() == "g");
  CHECK(graph.numNodes() == 2);
  CHECK(graph.nodeName(0) == "mm");
  CHECK(graph.isInitializer(find(graph, "w")));
  CHECK(bytesOf(loaded, "w") == 4 * 8 * 4);
  CHECK(bytesOf(loaded, "h") == 2 * 8 * 4);
  CHECK(graph.flops(0) == 2 * 16 * 4);
  CHECK(graph.flops(1) == 16);
  CHECK(graph.isOutput(find(graph, "y")));
  CHECK(loaded.sha256.size() == 64);
}

TEST_CASE("OnnxReader: opsets 7 to 17, and no others") {
  for (int opset = 7; opset <= 17; ++opset)
    CHECK(load(perceptron, {}, opset).graph.numNodes() == 2);
  for (int opset : {0, 1, 6, 18, 1'000'000})
    CHECK(errorOf(perceptron, {}, opset) ==
          "m.onnx: opset_import: version " + std::to_string(opset) +
              " is not supported, only 7 to 17");
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(serialize(perceptron)));
  model.mutable_opset_import(0)->set_domain("com.example");
  llvm::Expected<LoadedGraph> loaded = read(model.SerializeAsString());
  REQUIRE_FALSE(static_cast<bool>(loaded));
  CHECK(llvm::toString(loaded.takeError()).find("does not say which version") !=
        std::string::npos);
}

TEST_CASE("OnnxReader: a cut or damaged file is an error, never a crash") {
  std::string whole = serialize(perceptron);
  for (size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    llvm::Expected<LoadedGraph> loaded = read(whole.substr(0, size));
    REQUIRE_FALSE(static_cast<bool>(loaded));
    std::string message = llvm::toString(loaded.takeError());
    CHECK(message.find("m.onnx: ") == 0);
    CHECK(message.find('\n') == std::string::npos);
  }
  for (size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      llvm::Expected<LoadedGraph> loaded = read(damaged);
      if (!loaded)
        llvm::consumeError(loaded.takeError());
    }
}

TEST_CASE("OnnxReader: cycles are told, unsorted nodes are sorted") {
  std::string head =
      "input " + floats("x", {"2"}) + "output " + floats("y", {"2"});
  CHECK(errorOf(head + node("Add", {"x", "b"}, {"a"}, "name: \"p\"") +
                node("Relu", {"a"}, {"b"}) + node("Relu", {"x"}, {"y"})) ==
        "m.onnx: node p: input: the node is on a cycle, or reads from one");
  CHECK(errorOf(head + node("Add", {"x", "y"}, {"y"})) ==
        "m.onnx: node node0: input: the node is on a cycle, or reads from one");
  LoadedGraph loaded =
      load(head + node("Relu", {"h"}, {"y"}, "name: \"last\"") +
           node("Tanh", {"x"}, {"h"}));
  CHECK(bytesOf(loaded, "h") == 8);
  CHECK(loaded.graph.nodeName(loaded.graph.order()[0]) == "node1");
  CHECK(loaded.graph.nodeName(loaded.graph.order()[1]) == "last");
}

TEST_CASE("OnnxReader: dimensions that are no sizes") {
  auto relu = [](std::vector<std::string> dims) {
    return "input " + floats("x", dims) + "output { name: \"y\" }\n" +
           node("Relu", {"x"}, {"y"});
  };
  CHECK(errorOf(relu({"2", "-3"})) == "m.onnx: input x: dimension 1: expected "
                                      "an integer in 0 .. 2^63-1, got -3");
  CHECK(errorOf(relu({"4294967296", "4294967296"})) ==
        "m.onnx: input x: its size overflows 64 bits");
  CHECK(errorOf(relu({"N", "3"})) ==
        "m.onnx: input x: dimension 0 is symbolic (N); bind it with --dim "
        "N=VALUE");
  CHECK(bytesOf(load(relu({"0", "3"})), "y") == 0);
  CHECK(bytesOf(load(relu({})), "y") == 4);
  GraphReadOptions eight;
  eight.dims["N"] = 8;
  CHECK(bytesOf(load(relu({"N", "3"}), eight), "y") == 8 * 3 * 4);
  CHECK(errorOf("initializer { name: \"w\" data_type: 1 dims: 2 dims: -1 }\n" +
                relu({"2"})) ==
        "m.onnx: initializer w: dimension 1: expected an integer in 0 .. "
        "2^63-1, got -1");
  CHECK(errorOf("initializer { name: \"w\" data_type: 8 dims: 2 }\n" +
                relu({"2"})) ==
        "m.onnx: initializer w: element type 8 has no fixed size");
}

TEST_CASE("OnnxReader: a tensor without a size is named") {
  std::string head = "input " + floats("x", {"2"}) + "output { name: \"y\" }\n";
  CHECK(errorOf(head + node("Mystery", {"x"}, {"h"}, "name: \"m\"") +
                node("Relu", {"h"}, {"y"}))
            .find("m.onnx: node m: memory: tensor h: shape inference finds no "
                  "shape") == 0);
  // With its shape in the file, an unknown operator is no problem.
  LoadedGraph loaded =
      load(head + "value_info " + floats("h", {"5"}) +
           node("Mystery", {"x"}, {"h"}, "domain: \"com.example\"") +
           node("Relu", {"h"}, {"y"}));
  CHECK(bytesOf(loaded, "y") == 20);
  CHECK(loaded.facts.isForeign(0));
  // A size that depends on values is unknown, whatever is bound.
  CHECK(errorOf(head + node("NonZero", {"x"}, {"y"}, "name: \"nz\"")) ==
        "m.onnx: node nz: memory: tensor y: dimension 1 is unknown");
  CHECK(errorOf("input { name: \"s\" type { sequence_type { elem_type { "
                "tensor_type { elem_type: 1 } } } } }\n" +
                head + node("Relu", {"x"}, {"y"})) ==
        "m.onnx: input s: it is no tensor");
}

TEST_CASE("OnnxReader: operators that are used wrongly") {
  std::string head = "input " + floats("x", {"2"}) + "output { name: \"y\" }\n";
  for (const std::string &bad :
       {node("Relu", {}, {"y"}, "name: \"n\""),
        node("MatMul", {"x"}, {"y"}, "name: \"n\""),
        node("Concat", {"x"}, {"y"}, "name: \"n\""), // without its axis
        node("Relu", {"x"}, {"y"},
             "name: \"n\" attribute { name: \"what\" i: 1 type: INT }")}) {
    std::string message = errorOf(head + bad);
    CHECK(message.find("m.onnx: node n: ") == 0);
    CHECK(message.find('\n') == std::string::npos);
  }
  CHECK(errorOf(head + "node { output: \"y\" }") ==
        "m.onnx: node node0: op_type: expected a name of an operator");
  CHECK(errorOf(head + node("Relu", {"nobody"}, {"y"}))
            .find("m.onnx: node node0: ") == 0);
}

TEST_CASE("OnnxReader: names may be empty or repeated") {
  LoadedGraph loaded =
      load("input " + floats("x", {"2"}) + "output { name: \"d\" }\n" +
           node("Relu", {"x"}, {"a"}, "name: \"r\"") +
           node("Relu", {"a"}, {"b"}, "name: \"r\"") +
           node("Relu", {"b"}, {"c"}) + node("Relu", {"c"}, {"d"}));
  CHECK(loaded.graph.nodeName(0) == "r");
  CHECK(loaded.graph.nodeName(1) == "r_2");
  CHECK(loaded.graph.nodeName(2) == "node2");
  CHECK(loaded.graph.nodeName(3) == "node3");
}

TEST_CASE("OnnxReader: bodies read outer tensors") {
  auto branch = [](const std::string &name, const std::string &nodes,
                   const std::string &output) {
    return "attribute { name: \"" + name + "\" type: GRAPH g { name: \"" +
           name + "\" " + nodes + " output " + floats(output, {"2"}) + "} } ";
  };
  std::string ifNode =
      node("If", {"c"}, {"y"},
           "name: \"if\" " +
               branch("then_branch",
                      node("Mul", {"a", "k"}, {"t"}) +
                          "initializer { name: \"k\" "
                          "data_type: 1 dims: 2 float_data: 1 float_data: 2 }",
                      "t") +
               branch("else_branch", node("Identity", {"b"}, {"e"}), "e"));
  LoadedGraph loaded =
      load("input { name: \"c\" type { tensor_type { elem_type: 9 shape { } } "
           "} }\n" +
           ("input " + floats("x", {"2"})) + "output { name: \"y\" }\n" +
           node("Relu", {"x"}, {"a"}) + node("Tanh", {"x"}, {"b"}) + ifNode);
  CHECK(inputsOf(loaded.graph, 2) == Strings{"c", "a", "b"});
  CHECK(bytesOf(loaded, "y") == 8);
}

TEST_CASE("OnnxReader: external weights are not opened") {
  LoadedGraph loaded =
      load("input " + floats("x", {"2", "4"}) + "output { name: \"y\" }\n" +
           "initializer { name: \"w\" data_type: 1 dims: 4 dims: 1000000000 "
           "data_location: EXTERNAL external_data { key: \"location\" value: "
           "\"/no/such/folder/weights.bin\" } }\n" +
           node("MatMul", {"x", "w"}, {"y"}));
  CHECK(bytesOf(loaded, "w") == 16'000'000'000);
  CHECK(bytesOf(loaded, "y") == 8'000'000'000);
}

TEST_CASE("OnnxReader: views and draws of random numbers") {
  LoadedGraph loaded =
      load("input " + floats("x", {"2", "4"}) + "output { name: \"y\" }\n" +
           "initializer { name: \"to\" data_type: 7 dims: 1 int64_data: 8 }\n" +
           node("Relu", {"x"}, {"h"}) + node("Reshape", {"h", "to"}, {"r"}) +
           node("Dropout", {"r"}, {"y", "mask"}));
  const Graph &graph = loaded.graph;
  CHECK(graph.storageUse(find(graph, "r")) == StorageUse::Alias);
  CHECK(graph.base(find(graph, "r")) == find(graph, "h"));
  CHECK(graph.isNever(2));
  CHECK(bytesOf(loaded, "mask") == 8); // booleans
  // Before opset 10 a mask was like the data.
  CHECK(
      bytesOf(load("input " + floats("x", {"8"}) + "output { name: \"y\" }\n" +
                       node("Dropout", {"x"}, {"y", "mask"}),
                   {}, 9),
              "mask") == 32);
}

TEST_CASE("OnnxReader: weights made from their shapes are weights") {
  LoadedGraph loaded = load(
      "input " + floats("x", {"2", "4"}) + "output { name: \"y\" }\n" +
      "initializer { name: \"w__SHAPE\" data_type: 7 dims: 2 int64_data: 4 "
      "int64_data: 8 }\n" +
      node("ConstantOfShape", {"w__SHAPE"}, {"w"}) +
      node("MatMul", {"x", "w"}, {"y"}));
  CHECK(loaded.graph.numNodes() == 1);
  CHECK(loaded.graph.numConstants() == 2);
  CHECK(loaded.graph.isInitializer(find(loaded.graph, "w")));
  CHECK(bytesOf(loaded, "w") == 128);
}

static const std::string flattening =
    "input " + floats("x", {"1", "4", "2"}) + "output " +
    floats("y", {"1", "8"}) +
    "initializer { name: \"to\" data_type: 7 dims: 2 int64_data: 1 "
    "int64_data: 8 }\n" +
    node("Relu", {"x"}, {"h"}) + node("Reshape", {"h", "to"}, {"r"}) +
    node("Relu", {"r"}, {"y"});

TEST_CASE("OnnxReader: another batch") {
  GraphReadOptions three;
  three.batch = 3;
  LoadedGraph loaded = load(flattening, three);
  CHECK(bytesOf(loaded, "x") == 3 * 32);
  CHECK(bytesOf(loaded, "y") == 3 * 32); // the Reshape's target followed

  // A target that others read stays as it is for them.
  LoadedGraph shared =
      load(flattening + node("Reshape", {"w", "to"}, {"z"}) +
               "initializer { name: \"w\" data_type: 1 dims: 8 }\n",
           three);
  CHECK(bytesOf(shared, "r") == 3 * 32);
  CHECK(bytesOf(shared, "z") == 32);

  // A Constant as target; the batch as a symbol.
  std::string constant =
      node("Constant", {}, {"to"},
           "attribute { name: \"value\" type: TENSOR t { data_type: 7 dims: 2 "
           "int64_data: 1 int64_data: 8 } }");
  LoadedGraph computed = load("input " + floats("x", {"1", "4", "2"}) +
                                  "output { name: \"y\" }\n" + constant +
                                  node("Reshape", {"x", "to"}, {"y"}),
                              three);
  CHECK(bytesOf(computed, "y") == 3 * 32);
  LoadedGraph symbolic =
      load("input " + floats("x", {"N", "4"}) + "output " +
               floats("y", {"N", "4"}) + node("Relu", {"x"}, {"y"}),
           three);
  CHECK(bytesOf(symbolic, "y") == 3 * 16);

  // A batch that is hidden in a product.
  CHECK(errorOf("input " + floats("x", {"2", "4"}) +
                    "output { name: \"y\" }\ninitializer { name: \"to\" "
                    "data_type: 7 dims: 1 int64_data: 8 }\n" +
                    node("Reshape", {"x", "to"}, {"y"}, "name: \"r\""),
                three) ==
        "m.onnx: node r: batch: its target has 8 elements and its input 12: "
        "the model is made for another batch");
  CHECK(errorOf("output { name: \"y\" }\n" +
                    node("RandomNormal", {}, {"y"},
                         "attribute { name: \"shape\" ints: 2 type: INTS }"),
                three) ==
        "m.onnx: batch: no input of the graph has a first dimension");
}

TEST_CASE("OnnxReader: what is written as JSON is the same graph") {
  for (const std::string &graph : {perceptron, flattening}) {
    LoadedGraph loaded = load(graph);
    std::string text = writeGraph(loaded);
    llvm::Expected<LoadedGraph> again =
        readGraphBuffer(llvm::MemoryBufferRef(text, "test.json"), {});
    REQUIRE_MESSAGE(again, llvm::toString(again.takeError()));
    CHECK(writeGraph(*again) == text);
    CHECK(again->graph.constantBytes() == loaded.graph.constantBytes());
  }
}
