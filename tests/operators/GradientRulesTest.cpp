// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the gradient of each operator reads, written down a second time: from
// the derivatives, operator by operator and input by input, in words.

#include "reprise/io/GraphReader.h"
#include "reprise/operators/OperatorTable.h"

#include <doctest/doctest.h>

#include <set>

using namespace reprise;

namespace {

/// An operator with inputs x0, x1, ... and outputs y0, y1, ...
struct Expectation {
  const char *opType;
  /// Per input: what its gradient reads, or "-" where it has none. The number
  /// of entries is the number of inputs.
  std::vector<std::string> reads;
  unsigned outputs = 1;
};

} // namespace

// With dy for the gradient of the output y, and s for a sum.
static const std::vector<Expectation> expectations = {
    // y = x0 * x1 in one form or another: each factor's gradient reads the
    // other. A bias is only added.
    {"Conv", {"x1", "x0", ""}},
    {"ConvTranspose", {"x1", "x0", ""}},
    {"Gemm", {"x1", "x0", ""}},
    {"MatMul", {"x1", "x0"}},
    {"FusedMatMul", {"x1", "x0"}},
    {"Mul", {"x1", "x0"}},
    {"Einsum", {"x1 x2", "x0 x2", "x0 x1"}},
    {"Div", {"x1", "x0 x1"}},    // dy / x1, -dy x0 / x1^2
    {"Pow", {"x0 x1", "x0 y0"}}, // dy x1 x0^(x1-1), dy y log x0

    // Told by the output.
    {"Relu", {"y0"}},
    {"LeakyRelu", {"y0"}},
    {"Elu", {"y0"}},
    {"Selu", {"y0"}},
    {"Sigmoid", {"y0"}},    // dy y (1 - y)
    {"Tanh", {"y0"}},       // dy (1 - y^2)
    {"Exp", {"y0"}},        // dy y
    {"Sqrt", {"y0"}},       // dy / (2 y)
    {"Reciprocal", {"y0"}}, // -dy y^2
    {"Tan", {"y0"}},        // dy (1 + y^2)
    {"Softmax", {"y0"}},
    {"LogSoftmax", {"y0"}},

    // Told by the input.
    {"Gelu", {"x0"}},
    {"FastGelu", {"x0"}},
    {"QuickGelu", {"x0"}},
    {"BiasGelu", {"x0 x1", "x0 x1"}},
    {"Erf", {"x0"}},
    {"Silu", {"x0"}},
    {"Swish", {"x0"}},
    {"HardSwish", {"x0"}},
    {"HardSigmoid", {"x0"}},
    {"Mish", {"x0"}},
    {"Celu", {"x0"}},
    {"Softplus", {"x0"}},
    {"Softsign", {"x0"}},
    {"ThresholdedRelu", {"x0"}},
    {"Shrink", {"x0"}},
    {"Log", {"x0"}},
    {"Abs", {"x0"}},
    {"Sin", {"x0"}},
    {"Cos", {"x0"}},
    {"Asin", {"x0"}},
    {"Acos", {"x0"}},
    {"Atan", {"x0"}},
    {"Sinh", {"x0"}},
    {"Cosh", {"x0"}},
    {"Asinh", {"x0"}},
    {"Acosh", {"x0"}},
    {"Atanh", {"x0"}},
    {"Clip", {"x0", "-", "-"}},
    {"PRelu", {"x0 x1", "x0"}},

    // Linear, with nothing to remember.
    {"Add", {"", ""}},
    {"Sub", {"", ""}},
    {"Neg", {""}},
    {"Sum", {"", "", ""}},
    {"Mean", {"", "", ""}},
    {"Mod", {"", "-"}},
    {"AveragePool", {""}},
    {"GlobalAveragePool", {""}},
    {"ReduceSum", {"", "-"}},
    {"ReduceMean", {"", "-"}},
    {"Cast", {""}},
    {"CastLike", {"", "-"}},
    {"Identity", {""}},
    {"Reshape", {"", "-"}},
    {"Flatten", {""}},
    {"Squeeze", {"", "-"}},
    {"Unsqueeze", {"", "-"}},
    {"Transpose", {""}},
    {"DepthToSpace", {""}},
    {"SpaceToDepth", {""}},
    {"Concat", {"", "", ""}},
    {"Split", {"", "-"}, 2},
    {"Expand", {"", "-"}},
    {"Tile", {"", "-"}},

    // Linear, but where to is an input.
    {"Slice", {"x1 x2 x3 x4", "-", "-", "-", "-"}},
    {"Gather", {"x1", "-"}},
    {"GatherElements", {"x1", "-"}},
    {"GatherND", {"x1", "-"}},
    {"Scatter", {"x1", "-", "x1"}},
    {"ScatterElements", {"x1", "-", "x1"}},
    {"ScatterND", {"x1", "-", "x1"}},
    {"Pad", {"x1", "-", "-"}},
    {"Resize", {"x1 x2 x3", "-", "-", "-"}},
    {"Upsample", {"x1", "-"}},
    {"Compress", {"x1", "-"}},
    {"ReverseSequence", {"x1", "-"}},
    {"Trilu", {"x1", "-"}},
    {"CumSum", {"x1", "-"}},
    {"Where", {"-", "x0", "x0"}},
    {"MaxUnpool", {"x1", "-", "-"}},
    {"RoiAlign", {"x1 x2", "-", "-"}},

    // Which element it was: an index, or where input and output are equal.
    {"MaxPool", {"x0 y0"}},
    {"MaxPool", {"y1"}, 2},
    {"MaxRoiPool", {"x0 x1 y0", "-"}},
    {"GlobalMaxPool", {"x0 y0"}},
    {"ReduceMax", {"x0 y0", "-"}},
    {"ReduceMin", {"x0 y0", "-"}},
    {"Max", {"x0 y0", "x1 y0", "x2 y0"}},
    {"Min", {"x0 y0", "x1 y0", "x2 y0"}},
    {"TopK", {"y1", "-"}, 2},
    {"Dropout", {"x0 y0", "-", "-"}},
    {"Dropout", {"y1", "-", "-"}, 2},

    // Norms and other reductions.
    {"LpPool", {"x0 y0"}},
    {"GlobalLpPool", {"x0 y0"}},
    {"ReduceProd", {"x0 y0", "-"}}, // dy y / x
    {"ReduceL1", {"x0", "-"}},      // dy sign(x)
    {"ReduceL2", {"x0 y0", "-"}},   // dy x / y
    {"ReduceSumSquare", {"x0", "-"}},
    {"ReduceLogSum", {"y0", "-"}},       // dy exp(-y)
    {"ReduceLogSumExp", {"x0 y0", "-"}}, // dy exp(x - y)
    {"LpNormalization", {"x0 y0"}},
    {"LRN", {"x0 y0"}},
    {"MeanVarianceNormalization", {"x0 y0"}},

    // The normalized value is the input and the statistics; the shift is only
    // added.
    {"BatchNormalization",
     {"x0 x1 x3 x4", "x0 x3 x4", "", "-", "-"}}, // given statistics
    {"BatchNormalization",
     {"x0 x1 x3 x4 y1 y2", "x0 x3 x4 y1 y2", "", "-", "-"},
     3},
    {"BatchNormalization",
     {"x0 x1 x3 x4 y1 y2 y3 y4", "x0 x3 x4 y1 y2 y3 y4", "", "-", "-"},
     5},
    {"LayerNormalization", {"x0 x1", "x0", ""}},
    {"LayerNormalization", {"x0 x1 y1 y2", "x0 y1 y2", ""}, 3},
    {"GroupNormalization", {"x0 x1", "x0", ""}},
    {"InstanceNormalization", {"x0 x1", "x0", ""}},
    {"RMSNormalization", {"x0 x1", "x0"}},
    {"SimplifiedLayerNormalization", {"x0 x1 y1", "x0 y1"}, 2},
    {"SkipLayerNormalization",
     {"x0 x1 x2 x4 y1 y2 y3", "x0 x1 x2 x4 y1 y2 y3", "x0 x1 x4 y1 y2 y3", "",
      "x0 x1 x2 x4 y1 y2 y3"},
     4},

    // softmax(x0) - onehot(x1), or by the logarithm that is there anyway.
    {"SoftmaxCrossEntropyLoss", {"x0 x1", "-"}},
    {"SoftmaxCrossEntropyLoss", {"x1 x2 y1", "-", "-"}, 2},
    {"NegativeLogLikelihoodLoss", {"x1 x2", "-", "-"}},

    // Whole layers and bodies: everything.
    {"RNN", {"x0 x1 x2 y0", "x0 x1 x2 y0", "x0 x1 x2 y0"}},
    {"GRU", {"x0 x1 x2 y0", "x0 x1 x2 y0", "x0 x1 x2 y0"}},
    {"LSTM",
     {"x0 x1 x2 x3 x4 y0 y1 y2", "x0 x1 x2 x3 x4 y0 y1 y2",
      "x0 x1 x2 x3 x4 y0 y1 y2", "x0 x1 x2 x3 x4 y0 y1 y2", "-"},
     3},
    {"Attention", {"x0 x1 x2 y0", "x0 x1 x2 y0", "x0 x1 x2 y0"}},
    {"MultiHeadAttention", {"x0 x1 x2 y0", "x0 x1 x2 y0", "x0 x1 x2 y0"}},
    {"If", {"-", "x0 x1 x2 y0", "x0 x1 x2 y0"}},
    {"Loop", {"-", "-", "x0 x1 x2 y0"}},
    {"Scan", {"x0 x1 y0 y1", "x0 x1 y0 y1"}, 2},
    {"NoSuchOperator", {"x0 x1 y0 y1", "x0 x1 y0 y1"}, 2},
};

static std::string nameList(const char *prefix, unsigned count) {
  std::string list;
  for (unsigned i = 0; i < count; ++i)
    list +=
        std::string(i ? ", " : "") + "\"" + prefix + std::to_string(i) + "\"";
  return "[" + list + "]";
}

/// A graph of one node in which only input \p trained has a gradient.
static LoadedGraph graphOf(const Expectation &expected, unsigned trained) {
  unsigned count = expected.reads.size();
  std::string inputs, memory;
  for (unsigned i = 0; i < count; ++i)
    if (i != trained)
      inputs += std::string(inputs.empty() ? "" : ", ") + "{\"name\": \"x" +
                std::to_string(i) + "\", \"memory\": 4}";
  for (unsigned i = 0; i < expected.outputs; ++i)
    memory += i ? ", 4" : "4";
  std::string text =
      "{\"graph\": {\"input\": [" + inputs +
      "], \"initializer\": [{\"name\": \"x" + std::to_string(trained) +
      "\", \"memory\": 4}], \"output\": [{\"name\": \"y0\"}], \"node\": "
      "[{\"name\": \"n\", \"opType\": \"" +
      expected.opType + "\", \"input\": " + nameList("x", count) +
      ", \"output\": " + nameList("y", expected.outputs) + ", \"memory\": [" +
      memory + "]}]}}";
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(llvm::MemoryBufferRef(text, "test.json"), {});
  REQUIRE_MESSAGE(loaded, llvm::toString(loaded.takeError()));
  return std::move(*loaded);
}

/// The forward tensors that the one gradient node reads, or "-".
static std::string readsOf(const LoadedGraph &loaded) {
  llvm::Expected<Derivation> derived =
      deriveBackward(loaded.graph, loaded.facts, {});
  REQUIRE(static_cast<bool>(derived));
  std::string reads = "-";
  for (const NodeRecord &node : derived->nodes) {
    if (node.name != "n.grad")
      continue;
    reads.clear();
    for (const std::string &input : node.inputs)
      if (input.rfind("d:", 0) != 0)
        reads += (reads.empty() ? "" : " ") + input;
  }
  return reads;
}

TEST_CASE("gradient rules: each gradient reads what its derivative needs") {
  for (const Expectation &expected : expectations)
    for (unsigned i = 0; i < expected.reads.size(); ++i) {
      CAPTURE(expected.opType);
      CAPTURE(i);
      CHECK(readsOf(graphOf(expected, i)) == expected.reads[i]);
    }
}

TEST_CASE("gradient rules: every operator of the table is expected here, or "
          "has no gradient") {
  std::set<std::string> expected;
  for (const Expectation &entry : expectations)
    expected.insert(entry.opType);
  for (const OperatorRule &rule : operatorTable()) {
    bool hasGradient = false;
    for (unsigned i = 0; i < OperatorRule::kMaxReadSets; ++i)
      hasGradient |= rule.reads(i, /*hasOutput1=*/true) != kNoGradient;
    CAPTURE(rule.name.str());
    CHECK(hasGradient == (expected.count(rule.name.str()) == 1));
  }
}

TEST_CASE("gradient rules: names are found, in any order of the table") {
  for (const OperatorRule &rule : operatorTable())
    CHECK(findOperator(rule.name) == &rule);
  CHECK(findOperator("NoSuchOperator") == nullptr);
  CHECK(findOperator("") == nullptr);
}

TEST_CASE("gradient rules: operators without a gradient stop it") {
  for (const char *opType : {"Shape", "ArgMax", "Floor", "Equal", "Constant",
                             "QuantizeLinear", "RandomNormalLike"})
    CHECK(readsOf(graphOf({opType, {"-"}}, 0)) == "-");
}
