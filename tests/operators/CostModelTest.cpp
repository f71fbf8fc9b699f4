// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FLOPs by hand: a multiply-add is two.

#include "reprise/operators/CostModel.h"

#include "reprise/io/GraphReader.h"

#include "llvm/ADT/StringExtras.h"

#include <doctest/doctest.h>

using namespace reprise;

using Dims = std::vector<int64_t>;

namespace {
/// One node with inputs x0, x1, ... and outputs y0, y1, ... of float shapes.
struct Case {
  std::string opType;
  std::vector<Dims> inputs;
  std::vector<Dims> outputs;
  std::string attributes = {}; ///< JSON objects
  std::string fields = {};     ///< further JSON fields of the node
};
} // namespace

static std::string shapes(char prefix, const std::vector<Dims> &list) {
  std::string json;
  for (size_t i = 0; i < list.size(); ++i) {
    std::string dims;
    for (int64_t dim : list[i])
      dims += (dims.empty() ? "{\"dimValue\": " : ", {\"dimValue\": ") +
              std::to_string(dim) + "}";
    json += std::string(i ? ", " : "") + "{\"name\": \"" + prefix +
            std::to_string(i) + "\", \"type\": {\"tensorType\": " +
            "{\"elemType\": 1, \"shape\": {\"dim\": [" + dims + "]}}}}";
  }
  return "[" + json + "]";
}

static std::string names(char prefix, size_t count) {
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i)
    list.push_back(std::string("\"") + prefix + std::to_string(i) + "\"");
  return "[" + llvm::join(list, ", ") + "]";
}

static LoadedGraph load(const Case &c) {
  std::string text =
      "{\"graph\": {\"input\": " + shapes('x', c.inputs) +
      ", \"valueInfo\": " + shapes('y', c.outputs) +
      ", \"node\": [{\"name\": \"n\", \"opType\": \"" + c.opType +
      "\", \"input\": " + names('x', c.inputs.size()) +
      ", \"output\": " + names('y', c.outputs.size()) + ", \"attribute\": [" +
      c.attributes + "]" + c.fields + "}]}}";
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(llvm::MemoryBufferRef(text, "test.json"), {});
  REQUIRE_MESSAGE(loaded, llvm::toString(loaded.takeError()));
  return std::move(*loaded);
}

static double forward(const Case &c) { return load(c).graph.flops(0); }

static double backward(const Case &c, std::vector<unsigned> needed) {
  LoadedGraph loaded = load(c);
  return backwardFlops(loaded.graph, loaded.facts, 0, needed);
}

TEST_CASE("cost model: convolutions") {
  // 2 images, 8 to 16 channels, 3x3, stride 2: 2*16*5*5 outputs.
  Case conv{"Conv", {{2, 8, 10, 10}, {16, 8, 3, 3}}, {{2, 16, 5, 5}}};
  CHECK(forward(conv) == 2 * 800 * 8 * 9);
  Case bias = conv;
  bias.inputs.push_back({16});
  CHECK(forward(bias) == 2 * 800 * 8 * 9 + 800);
  // Four groups: each output sees two channels.
  Case groups{"Conv", {{2, 8, 10, 10}, {16, 2, 3, 3}}, {{2, 16, 5, 5}}};
  CHECK(forward(groups) == 2 * 800 * 2 * 9);
  // A transposed one counts by its input: each of its 2*8*5*5 elements is
  // multiplied by 16 filters.
  Case transposed{
      "ConvTranspose", {{2, 8, 5, 5}, {8, 16, 2, 2}}, {{2, 16, 10, 10}}};
  CHECK(forward(transposed) == 2 * 400 * 16 * 4);
  // One dimension, and three.
  CHECK(forward({"Conv", {{1, 4, 10}, {6, 4, 3}}, {{1, 6, 8}}}) ==
        2 * 48 * 4 * 3);
  CHECK(forward(
            {"Conv", {{1, 1, 4, 4, 4}, {2, 1, 2, 2, 2}}, {{1, 2, 3, 3, 3}}}) ==
        2 * 54 * 8);

  CHECK(backward(bias, {0, 1, 2}) == 2 * (2 * 800 * 8 * 9) + 800);
  CHECK(backward(bias, {1, 2}) == 2 * 800 * 8 * 9 + 800);
  CHECK(backward(transposed, {0, 1}) == 2 * (2 * 400 * 16 * 4));
}

TEST_CASE("cost model: matrix products") {
  CHECK(forward({"MatMul", {{3, 4}, {4, 5}}, {{3, 5}}}) == 2 * 15 * 4);
  // Batches broadcast: the output tells how many products there are.
  Case batched{"MatMul", {{7, 1, 3, 4}, {6, 4, 5}}, {{7, 6, 3, 5}}};
  CHECK(forward(batched) == 2 * 7 * 6 * 15 * 4);
  CHECK(backward(batched, {0, 1}) == 2 * (2 * 7 * 6 * 15 * 4));
  CHECK(backward(batched, {1}) == 2 * 7 * 6 * 15 * 4);
  CHECK(forward({"MatMul", {{4}, {4}}, {{}}}) == 8);
  Case gemm{"Gemm", {{3, 4}, {4, 5}, {5}}, {{3, 5}}};
  CHECK(forward(gemm) == 15 * (2 * 4 + 1));
  Case transposed{
      "Gemm",
      {{4, 3}, {5, 4}},
      {{3, 5}},
      R"({"name": "transA", "i": "1"}, {"name": "transB", "i": 1})"};
  CHECK(forward(transposed) == 15 * 2 * 4);
  CHECK(backward(gemm, {0, 1, 2}) == 2 * (15 * 2 * 4) + 15);
  CHECK(forward({"MatMul", {{3, 0}, {0, 5}}, {{3, 5}}}) == 0);
}

TEST_CASE("cost model: Einsum counts every index once") {
  for (const char *equation :
       {"bhqd,bhkd->bhqk", "YmhxZCxiaGtkLT5iaHFr" /* in base64 */})
    CHECK(forward({"Einsum",
                   {{2, 3, 4, 5}, {2, 3, 6, 5}},
                   {{2, 3, 4, 6}},
                   std::string(R"({"name": "equation", "s": ")") + equation +
                       "\"}"}) == 2 * 2 * 3 * 4 * 6 * 5);
  CHECK(forward({"Einsum",
                 {{2, 3, 4}, {2, 4, 5}},
                 {{2, 3, 5}},
                 R"({"name": "equation", "s": "...ij,...jk->...ik"})"}) ==
        2 * 2 * 3 * 4 * 5);
}

TEST_CASE("cost model: recurrences and attention") {
  // 5 steps of 2 sequences, 3 features, 4 hidden: 4 gates of 4.
  Case lstm{"LSTM",
            {{5, 2, 3}, {1, 16, 3}, {1, 16, 4}},
            {{5, 1, 2, 4}},
            R"({"name": "hidden_size", "i": 4})"};
  double gates = 5 * 2 * 16;
  CHECK(forward(lstm) == gates * (2 * 3 + 2 * 4 + 5));
  CHECK(backward(lstm, {0, 1, 2}) == 3 * forward(lstm));
  LoadedGraph loaded = load(lstm);
  CHECK(backwardWorkspace(loaded.graph, loaded.facts, 0) == gates * 4);
  Case attention{"Attention",
                 {{2, 8, 6}, {6, 18}},
                 {{2, 8, 6}},
                 R"({"name": "num_heads", "i": 3})"};
  CHECK(forward(attention) ==
        4 * 2 * 8 * 8 * 6 + 5 * 2 * 3 * 8 * 8 + 2 * 2 * 8 * 6 * 18);
}

TEST_CASE("cost model: per element") {
  CHECK(forward({"Relu", {{3, 4}}, {{3, 4}}}) == 12);
  CHECK(forward({"Gelu", {{3, 4}}, {{3, 4}}}) == 8 * 12);
  CHECK(forward({"Add", {{3, 4}, {4}}, {{3, 4}}}) == 12);
  CHECK(forward({"ReduceMean", {{3, 4}}, {{3, 1}}}) == 12); // of the input
  CHECK(forward({"Softmax", {{3, 4}}, {{3, 4}}}) == 5 * 12);
  CHECK(forward({"LayerNormalization", {{3, 4}, {4}, {4}}, {{3, 4}}}) ==
        8 * 12);
  CHECK(forward({"MaxPool",
                 {{1, 2, 6, 6}},
                 {{1, 2, 3, 3}},
                 R"({"name": "kernel_shape", "ints": ["2", "2"]})"}) == 18 * 4);
  CHECK(forward({"LRN", {{3, 4}}, {{3, 4}}, R"({"name": "size", "i": 5})"}) ==
        15 * 12);
  CHECK(forward({"Reshape", {{3, 4}, {1}}, {{12}}}) == 0);
  CHECK(forward({"Shape", {{3, 4}}, {{2}}}) == 0);
  CHECK(forward({"NoSuchOperator", {{3, 4}}, {{3, 4}}}) == 0);
  CHECK(backward({"Mul", {{3, 4}, {4}}, {{3, 4}}}, {0, 1}) == 2 * 12);
  CHECK(backward({"Mul", {{3, 4}, {4}}, {{3, 4}}}, {0}) == 12);
  CHECK(backward({"BatchNormalization", {{3, 4}, {4}, {4}}, {{3, 4}}},
                 {0, 1, 2}) == 12 * 12);
}

TEST_CASE("cost model: what the file says of a node scales its gradient") {
  // Measured at twice the formula, so is the gradient.
  Case slow{"MatMul", {{3, 4}, {4, 5}}, {{3, 5}}, "", ", \"flops\": 240"};
  CHECK(forward(slow) == 240);
  CHECK(backward(slow, {0, 1}) == 480);
  // Without shapes the node's own figure is all there is.
  auto blind = [](const char *opType, std::vector<unsigned> needed) {
    std::string text =
        std::string(R"({"graph": {"input": [{"name": "x", "memory": 4}],
      "node": [{"opType": ")") +
        opType + R"(", "input": ["x", "x", "x"], "output": ["y"],
                "memory": [4], "flops": 10}]}})";
    llvm::Expected<LoadedGraph> loaded =
        readGraphBuffer(llvm::MemoryBufferRef(text, "test.json"), {});
    REQUIRE(static_cast<bool>(loaded));
    return backwardFlops(loaded->graph, loaded->facts, 0, needed);
  };
  CHECK(blind("Conv", {0, 1, 2}) == 20);
  CHECK(blind("Conv", {1}) == 10);
  CHECK(blind("MatMul", {0, 1}) == 20);
  CHECK(blind("BatchNormalization", {0, 1, 2}) == 15); // 12 of 8
  CHECK(blind("Relu", {0}) == 10);
  CHECK(blind("LSTM", {0, 1, 2}) == 30);
  CHECK(blind("NoSuchOperator", {0}) == 20);
  CHECK(blind("If", {1}) == 20);
}

TEST_CASE("cost model: an operator of another domain is not the known one") {
  Case other{"Conv",
             {{2, 8, 10, 10}, {16, 8, 3, 3}},
             {{2, 16, 5, 5}},
             "",
             ", \"domain\": \"com.example\""};
  CHECK(forward(other) == 0);
  other.fields = ", \"domain\": \"ai.onnx\"";
  CHECK(forward(other) > 0);
}

TEST_CASE("cost model: huge shapes do not overflow") {
  int64_t big = int64_t(1) << 40;
  Case huge{"MatMul", {{big, 1}, {1, 4}}, {{big, 4}}, "", ", \"memory\": [8]"};
  CHECK(forward(huge) == 2.0 * 4 * double(big));
}
