// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/GraphReader.h"

#include "support/TemporaryFolder.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace reprise;

static llvm::Expected<LoadedGraph> read(const std::string &text,
                                        const GraphReadOptions &options = {}) {
  return readGraphBuffer(llvm::MemoryBufferRef(text, "test.json"), options);
}

/// The error of \p text; empty where it is read.
static std::string errorOf(const std::string &text) {
  llvm::Expected<LoadedGraph> loaded = read(text);
  return loaded ? std::string() : llvm::toString(loaded.takeError());
}

static std::vector<std::string> filesIn(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json")
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

static std::vector<std::string> inputNames(const Graph &graph, NodeId n) {
  std::vector<std::string> names;
  for (TensorId t : graph.inputs(n))
    names.push_back(t == kNone ? "" : graph.tensorName(t).str());
  return names;
}

/// Bytes of the tensor \p name.
static int64_t bytesOf(const Graph &graph, llvm::StringRef name) {
  for (TensorId t = 0; t < graph.numTensors(); ++t)
    if (graph.tensorName(t) == name)
      return graph.storageBytes(graph.storage(t));
  return -1;
}

TEST_CASE("GraphReader: every file in valid is read") {
  std::vector<std::string> files = filesIn(REPRISE_TEST_DATA "/valid");
  REQUIRE_FALSE(files.empty());
  for (const std::string &file : files) {
    CAPTURE(file);
    llvm::Expected<LoadedGraph> loaded = readGraph(file, {});
    CHECK(static_cast<bool>(loaded));
    if (!loaded)
      FAIL_CHECK(llvm::toString(loaded.takeError()));
  }
}

TEST_CASE("GraphReader: every file in invalid is refused with its message") {
  std::vector<std::string> files = filesIn(REPRISE_TEST_DATA "/invalid");
  REQUIRE_FALSE(files.empty());
  for (const std::string &file : files) {
    CAPTURE(file);
    std::string expected = readText(
        std::filesystem::path(file).replace_extension("expected").string());
    llvm::Expected<LoadedGraph> loaded = readGraph(file, {});
    REQUIRE_FALSE(static_cast<bool>(loaded));
    CHECK(llvm::toString(loaded.takeError()) + "\n" == file + ": " + expected);
  }
}

TEST_CASE("GraphReader: both dialects give the same graph") {
  std::string folder = REPRISE_TEST_DATA "/reports/R22-dialect-";
  std::vector<LoadedGraph> graphs;
  for (const char *dialect : {"camel-strings", "camel-numbers", "snake"}) {
    llvm::Expected<LoadedGraph> loaded =
        readGraph(folder + dialect + ".json", {});
    REQUIRE(static_cast<bool>(loaded));
    graphs.push_back(std::move(*loaded));
  }
  const Graph &first = graphs[0].graph;
  for (const LoadedGraph &loaded : graphs) {
    const Graph &graph = loaded.graph;
    REQUIRE(graph.numNodes() == first.numNodes());
    CHECK(graph.constantBytes() == first.constantBytes());
    for (NodeId n = 0; n < graph.numNodes(); ++n) {
      CHECK(graph.nodeName(n) == first.nodeName(n));
      CHECK(graph.opType(n) == first.opType(n));
      CHECK(inputNames(graph, n) == inputNames(first, n));
      CHECK(graph.ownedBytes(n) == first.ownedBytes(n));
    }
  }
}

TEST_CASE("GraphReader: integers come as numbers or strings") {
  llvm::Expected<LoadedGraph> loaded =
      readGraph(REPRISE_TEST_DATA "/valid/integer-forms.json", {});
  REQUIRE(static_cast<bool>(loaded));
  CHECK(bytesOf(loaded->graph, "h") == 4);    // "4"
  CHECK(bytesOf(loaded->graph, "b") == 4);    // 4.0
  CHECK(bytesOf(loaded->graph, "c") == 1000); // 1e3
  CHECK(bytesOf(loaded->graph, "d") == 4);    // 40e-1
  CHECK(bytesOf(loaded->graph, "e") == 0);    // -0
}

TEST_CASE("GraphReader: integers are exact to 2^63-1 and refused beyond") {
  auto with = [](const std::string &number) {
    return R"({"graph": {"node": [{"name": "n", "opType": "A",
               "output": ["h"], "memory": [)" +
           number + "]}]}}";
  };
  // 2^53 + 1 is no double: an exact reader does not round it.
  llvm::Expected<LoadedGraph> exact = read(with("9007199254740993.0"));
  REQUIRE(static_cast<bool>(exact));
  CHECK(bytesOf(exact->graph, "h") == 9007199254740993);
  for (const char *number : {"9223372036854775807", "922337203685477580.7e1",
                             "\"9223372036854775807\"", "1e18", "0e999999"})
    CHECK(errorOf(with(number)) == "");
  for (const char *number :
       {"9223372036854775808", "18446744073709551615", "1e19", "1e-1",
        "1e999999999999", "\"1e3\"", "\"\"", "\" 4\"", "\"-4\"", "\"4.0\"",
        "\"9223372036854775808\""})
    CHECK(errorOf(with(number)) != "");
}

TEST_CASE("GraphReader: an initializer goes before an input of its name") {
  // The input's shape is unknown, but the initializer's 8 bytes decide.
  llvm::Expected<LoadedGraph> loaded =
      readGraph(REPRISE_TEST_DATA "/valid/sections-reversed.json", {});
  REQUIRE(static_cast<bool>(loaded));
  CHECK(loaded->graph.constantBytes() == 24);
  CHECK(bytesOf(loaded->graph, "h") == 32);
  CHECK(loaded->graph.isInitializer(0));
}

static std::string shaped(const std::string &type, const std::string &dims) {
  return R"({"graph": {"input": [{"name": "x", "type": {"tensorType":
            {"elemType": )" +
         type + R"(, "shape": {"dim": [)" + dims + "]}}}}]}}";
}

TEST_CASE("GraphReader: shapes give bytes, 4-bit elements two to a byte") {
  struct Case {
    std::string type, dims;
    int64_t bytes;
  };
  for (const Case &c :
       {Case{"1", "", 4}, Case{"1", R"({"dimValue": 3})", 12},
        Case{R"("FLOAT")", R"({"dimValue": "3"})", 12},
        Case{R"("1")", R"({"dim_value": 3})", 12},
        Case{"21", R"({"dimValue": 3})", 2},
        Case{"22", R"({"dimValue": 4})", 2},
        Case{"10", R"({"dimValue": 2}, {"dimValue": 5})", 20},
        Case{"15", R"({"dimValue": 2})", 32},
        Case{"7", R"({"dimValue": 4294967296},
                                     {"dimValue": 4294967296},
                                     {"dimValue": 0})",
             0},
        Case{"2", R"({"dimValue": 9223372036854775807})", INT64_MAX}}) {
    CAPTURE(c.type);
    CAPTURE(c.dims);
    llvm::Expected<LoadedGraph> loaded = read(shaped(c.type, c.dims));
    REQUIRE(static_cast<bool>(loaded));
    CHECK(bytesOf(loaded->graph, "x") == c.bytes);
  }
  CHECK(errorOf(shaped("3", R"({"dimValue": 9223372036854775807},
                               {"dimValue": 2})")) ==
        "test.json: input x: its size overflows 64 bits");
  CHECK(errorOf(shaped("4", R"({"dimValue": 9223372036854775807})")) ==
        "test.json: input x: its size overflows 64 bits");
}

TEST_CASE("GraphReader: a symbolic dimension is bound by the options") {
  std::string text = shaped("1", R"({"dimParam": "N"}, {"dimValue": 3})");
  CHECK(errorOf(text) == "test.json: input x: dimension 0 is symbolic (N); "
                         "bind it with --dim N=VALUE");
  GraphReadOptions options;
  options.dims["N"] = 8;
  llvm::Expected<LoadedGraph> loaded = read(text, options);
  REQUIRE(static_cast<bool>(loaded));
  CHECK(bytesOf(loaded->graph, "x") == 96); // 8 * 3 * 4
}

TEST_CASE("GraphReader: a node reads what its bodies read from outside") {
  // The inner If reads p (outer), q (of the body around it) and r (outer).
  std::string text = R"({"graph": {
    "input": [{"name": "c", "memory": 1}, {"name": "p", "memory": 1},
              {"name": "r", "memory": 1}, {"name": "s", "memory": 1}],
    "node": [{"name": "if", "opType": "If", "input": ["c"], "output": ["y"],
      "memory": [1], "attribute": [{"name": "then_branch", "type": "GRAPH",
        "g": {"name": "b", "input": [{"name": "i"}],
          "initializer": [{"name": "k", "rawData": "AAAA"}],
          "node": [
            {"opType": "If", "input": ["p"], "output": ["t"],
             "attribute": [{"name": "else_branch", "g": {
               "node": [{"opType": "Add", "input": ["q", "r", "", "i"],
                         "output": ["u"]}],
               "output": [{"name": "u"}]}}]},
            {"opType": "Add", "input": ["c", "k"], "output": ["q"]}],
          "output": [{"name": "s"}]}},
        {"name": "ints", "ints": ["1", "2"]}]}]}})";
  llvm::Expected<LoadedGraph> loaded = read(text);
  REQUIRE(static_cast<bool>(loaded));
  CHECK(inputNames(loaded->graph, 0) ==
        std::vector<std::string>{"c", "p", "r", "s"});
}

TEST_CASE("GraphReader: an alias of a tensor named like a skipped attribute") {
  CHECK(errorOf(R"({"graph": {"input": [{"name": "floats", "memory": 1}],
    "node": [{"opType": "A", "input": ["floats"], "output": ["ints"],
              "alias": {"ints": "floats"}}]}})") == "");
}

TEST_CASE("GraphReader: backward objects are kept for the derivation") {
  llvm::Expected<LoadedGraph> loaded = read(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "node": [{"name": "a", "opType": "A", "input": ["x"], "output": ["h"],
              "memory": [4]},
             {"name": "b", "opType": "B", "input": ["h"], "output": ["y"],
              "memory": [4], "backward": {"needs": ["h"], "flops": 2.5,
              "memory": ["8", 0], "workspace": 3}}]}})");
  REQUIRE(static_cast<bool>(loaded));
  REQUIRE(loaded->overrides.size() == 1);
  const BackwardOverride &given = loaded->overrides[0];
  CHECK(given.node == 1);
  CHECK(*given.needs == std::vector<std::string>{"h"});
  CHECK(*given.flops == 2.5);
  CHECK(*given.bytes == std::vector<int64_t>{8, 0});
  CHECK(*given.workspaceBytes == 3);
}

TEST_CASE("GraphReader: element types and shapes are kept") {
  llvm::Expected<LoadedGraph> loaded = read(R"({"graph": {
    "input": [{"name": "ids", "type": {"tensorType": {"elemType": 7,
               "shape": {"dim": []}}}}, {"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "dataType": 1, "dims": [2]},
                    {"name": "axes", "data_type": "INT64", "dims": [1]}]}})");
  REQUIRE(static_cast<bool>(loaded));
  // Initializers come first, each group in the order of the file.
  const TensorTypes &types = loaded->facts.types;
  REQUIRE(loaded->graph.numConstants() == 4);
  CHECK(types[0].elementType == 1); // w
  CHECK(types[0].dims.vec() == std::vector<int64_t>{2});
  CHECK(types[1].elementType == 7); // axes
  CHECK(types[2].elementType == 7); // ids, a scalar
  CHECK(types[2].hasShape);
  CHECK(types.elements(2) == 1);
  CHECK(types[3].elementType == 0); // x: bytes only
  CHECK_FALSE(types[3].hasShape);
}

TEST_CASE("GraphReader: the digest is that of the file's bytes") {
  llvm::Expected<LoadedGraph> loaded = read("{\"graph\": {}}");
  REQUIRE(static_cast<bool>(loaded));
  CHECK(loaded->sha256 ==
        "ab58c8ef3b43f507acdf2da9d746c1ac1d15aeb64bba34120c9bcee6f1c6d85f");
}

TEST_CASE("GraphReader: what is no file is an error with the path") {
  for (std::string path : {std::string("/"), std::string("/no/such/file")}) {
    llvm::Expected<LoadedGraph> loaded = readGraph(path, {});
    REQUIRE_FALSE(static_cast<bool>(loaded));
    std::string message = llvm::toString(loaded.takeError());
    CHECK(message.find(path + ": cannot read: ") == 0);
  }
}

TEST_CASE("GraphReader: derived nodes join a forward graph only") {
  auto graph = [](const char *phase) {
    return std::string(R"({"graph": {"input": [{"name": "x", "memory": 4}],
      "initializer": [{"name": "w", "memory": 8}],
      "node": [{"name": "a", "opType": "A", "input": ["x", "w"],
                "output": ["h"], "memory": [4], "phase": ")") +
           phase + R"("}]}})";
  };
  NodeRecord gradient;
  gradient.name = "a.grad";
  gradient.opType = "AGrad";
  gradient.inputs = {"h"};
  gradient.outputs = {"d:w"};
  gradient.bytes = {8};
  gradient.phase = Phase::Backward;
  std::vector<NodeRecord> derived = {gradient};
  GraphReadOptions options;
  options.derivedNodes = &derived;
  llvm::Expected<LoadedGraph> loaded = read(graph("forward"), options);
  REQUIRE(static_cast<bool>(loaded));
  CHECK(loaded->graph.numNodes() == 2);
  CHECK(loaded->graph.isTraining());
  REQUIRE(loaded->graph.graphOutputs().size() == 1);
  CHECK(loaded->graph.tensorName(loaded->graph.graphOutputs()[0]) == "d:w");
  llvm::Expected<LoadedGraph> training = read(graph("backward"), options);
  REQUIRE_FALSE(static_cast<bool>(training));
  llvm::consumeError(training.takeError());
}
