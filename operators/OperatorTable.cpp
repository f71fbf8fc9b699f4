// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row says what the gradient for each input reads, in the order of the
// inputs. It follows from the derivative. With x and y for inputs and outputs
// and dy for the gradient of y:
//
//   Mul      dx0 = dy * x1, dx1 = dy * x0      {X1, X0}
//   Relu     dx0 = dy where y > 0              {Y0}
//   Softmax  dx0 = y * (dy - sum(y * dy))      {Y0}
//   Gelu     dx0 = dy * gelu'(x)               {X0}
//   Add      dx0 = dx1 = dy                    {Pass, Pass}
//   Concat   dx = a part of dy                 {Zip...}
//
// Where a derivative can be told from the output or from the input, the choice
// is what training frameworks do: the output where that is exact everywhere
// (Relu), the input where it is not at the edges (Clip).
//
// FLOPs per element are those of common implementations: one for arithmetic
// and for moving data, a few for roots and exponentials. They matter little
// next to the products, but they tell cheap recomputations from free ones.

#include "reprise/operators/OperatorTable.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <vector>

namespace reprise {

// Short names: the table is read by columns.
static constexpr ReadSet Zip = kNothing, No = kNoGradient, Pass = kPassed;
static constexpr ReadSet X = kThisInput, Others = kOtherInputs;
static constexpr ReadSet All = kAllInputs | kAllOutputs;
static constexpr ReadSet X0 = inputRead(0), X1 = inputRead(1),
                         X2 = inputRead(2), X3 = inputRead(3),
                         X4 = inputRead(4);
static constexpr ReadSet Y0 = outputRead(0), Y1 = outputRead(1),
                         Y2 = outputRead(2), Y3 = outputRead(3),
                         Y4 = outputRead(4);
/// Statistics of a normalization, where the node makes or is given them.
static constexpr ReadSet Stats = Y1 | Y2;
static constexpr ReadSet BatchStats = X3 | X4 | Y1 | Y2 | Y3 | Y4;

static constexpr WorkRule free() { return {}; }
static constexpr WorkRule out(double n) { return {Work::PerOutput, n}; }
static constexpr WorkRule most(double n) { return {Work::PerLargest, n}; }
static constexpr WorkRule by(Work work) { return {work, 1}; }

/// y = f(x), with dx read from \p reads.
static constexpr OperatorRule unary(llvm::StringLiteral name, double flops,
                                    ReadSet reads, double gradientFlops) {
  return OperatorRule(name, out(flops), {reads}, out(gradientFlops));
}

/// A reduction of x over some of its axes; the second input names them.
static constexpr OperatorRule reduction(llvm::StringLiteral name, double flops,
                                        ReadSet reads, double gradientFlops) {
  return OperatorRule(name, most(flops), {reads, No}, most(gradientFlops));
}

/// An operator without gradients: it makes integers, booleans or constants, or
/// a step function.
static constexpr OperatorRule flat(llvm::StringLiteral name, double flops) {
  return OperatorRule(name, out(flops), {});
}

// clang-format off
using R = OperatorRule;
static constexpr OperatorRule rows[] = {
  // Products.
  R("Conv", by(Work::Convolution), {X1, X0, Zip}, by(Work::Convolution)),
  R("ConvTranspose", by(Work::Transposed), {X1, X0, Zip}, by(Work::Transposed)),
  R("Gemm", by(Work::ProductAdd), {X1, X0, Zip}, by(Work::ProductAdd)),
  R("MatMul", by(Work::Product), {X1, X0}, by(Work::Product)),
  R("FusedMatMul", by(Work::Product), {X1, X0}, by(Work::Product)),
  R("Einsum", by(Work::Contraction), {Others}, by(Work::Contraction)).repeated(),

  // Activations by their output.
  unary("Relu", 1, Y0, 1),
  unary("LeakyRelu", 1, Y0, 1),
  unary("Elu", 4, Y0, 2),
  unary("Selu", 4, Y0, 2),
  unary("Sigmoid", 4, Y0, 3),
  unary("Tanh", 4, Y0, 3),
  unary("Exp", 4, Y0, 1),
  unary("Sqrt", 2, Y0, 2),
  unary("Reciprocal", 1, Y0, 2),
  unary("Tan", 4, Y0, 2),
  R("Softmax", most(5), {Y0}, most(4)),
  R("LogSoftmax", most(5), {Y0}, most(5)),

  // Activations by their input.
  unary("Gelu", 8, X0, 12),
  unary("FastGelu", 8, X0, 12),
  unary("QuickGelu", 5, X0, 8),
  unary("Erf", 8, X0, 6),
  unary("Silu", 5, X0, 8),
  unary("Swish", 5, X0, 8),
  unary("HardSwish", 4, X0, 5),
  unary("HardSigmoid", 3, X0, 2),
  unary("Mish", 8, X0, 12),
  unary("Celu", 4, X0, 4),
  unary("Softplus", 5, X0, 4),
  unary("Softsign", 3, X0, 3),
  unary("ThresholdedRelu", 1, X0, 1),
  unary("Shrink", 2, X0, 1),
  unary("Log", 4, X0, 1),
  unary("Abs", 1, X0, 1),
  unary("Neg", 1, Zip, 1),
  unary("Sin", 4, X0, 5),
  unary("Cos", 4, X0, 5),
  unary("Asin", 4, X0, 4),
  unary("Acos", 4, X0, 4),
  unary("Atan", 4, X0, 3),
  unary("Sinh", 4, X0, 5),
  unary("Cosh", 4, X0, 5),
  unary("Asinh", 4, X0, 4),
  unary("Acosh", 4, X0, 4),
  unary("Atanh", 4, X0, 3),
  R("Clip", out(2), {X0, No, No}, out(1)),
  R("PRelu", out(1), {X0 | X1, X0}, out(1)),
  R("BiasGelu", out(9), {X0 | X1, X0 | X1}, out(13)).jointly(),

  // Arithmetic.
  R("Add", out(1), {Pass, Pass}, most(1)),
  R("Sub", out(1), {Pass, Zip}, most(1)),
  R("Mul", out(1), {X1, X0}, most(1)),
  R("Div", out(1), {X1, X0 | X1}, most(2)),
  R("Pow", out(2), {X0 | X1, X0 | Y0}, most(3)),
  R("Mod", out(1), {Pass, No}, most(1)),
  R("Sum", out(1), {Pass}, most(1)).repeated(),
  R("Mean", out(1), {Zip}, most(1)).repeated(),
  R("Max", out(1), {X | Y0}, most(1)).repeated(),
  R("Min", out(1), {X | Y0}, most(1)).repeated(),
  R("Where", out(1), {No, X0, X0}, most(1)),

  // Normalizations.
  R("BatchNormalization", most(8),
    {X0 | X1 | BatchStats, X0 | BatchStats, Zip, No, No}, most(12)).jointly().firstOutput(),
  R("LayerNormalization", most(8), {X0 | X1 | Stats, X0 | Stats, Zip}, most(14)).jointly().firstOutput(),
  R("GroupNormalization", most(8), {X0 | X1, X0, Zip}, most(14)).jointly(),
  R("InstanceNormalization", most(8), {X0 | X1, X0, Zip}, most(14)).jointly(),
  R("RMSNormalization", most(5), {X0 | X1, X0}, most(9)).jointly(),
  R("SimplifiedLayerNormalization", most(5), {X0 | X1 | Y1, X0 | Y1}, most(9)).jointly().firstOutput(),
  R("SkipLayerNormalization", most(9),
    {X0 | X1 | X2 | X4 | Stats | Y3, X0 | X1 | X2 | X4 | Stats | Y3, X0 | X1 | X4 | Stats | Y3, Zip,
     X0 | X1 | X2 | X4 | Stats | Y3}, most(15)).jointly(),
  R("MeanVarianceNormalization", most(8), {X0 | Y0}, most(14)),
  R("LpNormalization", most(4), {X0 | Y0}, most(6)),
  R("LRN", by(Work::Normalization), {X0 | Y0}, by(Work::Normalization)),

  // Pooling.
  R("MaxPool", by(Work::PerWindow), {Y1}, most(1)).without1(X0 | Y0).firstOutput(),
  R("AveragePool", by(Work::PerWindow), {Zip}, most(1)),
  R("LpPool", by(Work::PerWindow), {X0 | Y0}, most(3)),
  R("GlobalAveragePool", most(1), {Zip}, most(1)),
  R("GlobalMaxPool", most(1), {X0 | Y0}, most(1)),
  R("GlobalLpPool", most(2), {X0 | Y0}, most(3)),
  R("MaxUnpool", out(1), {X1, No, No}, most(1)),
  R("MaxRoiPool", most(1), {X0 | X1 | Y0, No}, most(1)),
  R("RoiAlign", out(8), {X1 | X2, No, No}, most(8)),

  // Reductions.
  reduction("ReduceSum", 1, Zip, 1),
  reduction("ReduceMean", 1, Zip, 1),
  reduction("ReduceMax", 1, X0 | Y0, 1),
  reduction("ReduceMin", 1, X0 | Y0, 1),
  reduction("ReduceProd", 1, X0 | Y0, 2),
  reduction("ReduceL1", 2, X0, 1),
  reduction("ReduceL2", 2, X0 | Y0, 2),
  reduction("ReduceLogSum", 1, Y0, 1),
  reduction("ReduceLogSumExp", 5, X0 | Y0, 5),
  reduction("ReduceSumSquare", 2, X0, 2),
  R("CumSum", out(1), {X1, No}, most(1)),
  R("TopK", most(1), {Y1, No}, most(1)).firstOutput(),

  // Losses.
  R("SoftmaxCrossEntropyLoss", most(6), {X1 | X2 | Y1, No, No}, most(6)).without1(X0 | X1 | X2).firstOutput(),
  R("NegativeLogLikelihoodLoss", most(1), {X1 | X2, No, No}, most(1)),

  // Moving data.
  R("Reshape", free(), {Pass, No}, out(1)).view(),
  R("Flatten", free(), {Pass}, out(1)).view(),
  R("Squeeze", free(), {Pass, No}, out(1)).view(),
  R("Unsqueeze", free(), {Pass, No}, out(1)).view(),
  R("Identity", free(), {Pass}, out(1)).view(),
  unary("Transpose", 1, Zip, 1),
  unary("Cast", 1, Zip, 1),
  unary("DepthToSpace", 1, Zip, 1),
  unary("SpaceToDepth", 1, Zip, 1),
  R("CastLike", out(1), {Zip, No}, out(1)),
  R("Concat", out(1), {Zip}, out(1)).jointly().repeated(),
  R("Split", out(1), {Zip, No}, most(1)),
  R("Slice", out(1), {X1 | X2 | X3 | X4, No, No, No, No}, most(1)),
  R("Gather", out(1), {X1, No}, most(1)),
  R("GatherElements", out(1), {X1, No}, most(1)),
  R("GatherND", out(1), {X1, No}, most(1)),
  R("Scatter", out(1), {X1, No, X1}, most(1)),
  R("ScatterElements", out(1), {X1, No, X1}, most(1)),
  R("ScatterND", out(1), {X1, No, X1}, most(1)),
  R("Pad", out(1), {X1 | X3, No, No, No}, most(1)),
  R("Expand", out(1), {Zip, No}, most(1)),
  R("Tile", out(1), {Zip, No}, most(1)),
  R("Resize", out(8), {X1 | X2 | X3, No, No, No}, most(8)),
  R("Upsample", out(1), {X1, No}, most(1)),
  R("Compress", out(1), {X1, No}, most(1)),
  R("ReverseSequence", out(1), {X1, No}, most(1)),
  R("Trilu", out(1), {X1, No}, most(1)),

  // Random draws.
  R("Dropout", out(2), {Y1, No, No}, most(2)).without1(X0 | Y0).firstOutput().random(),
  flat("RandomNormal", 1).random(),
  flat("RandomNormalLike", 1).random(),
  flat("RandomUniform", 1).random(),
  flat("RandomUniformLike", 1).random(),
  flat("Multinomial", 1).random(),
  flat("Bernoulli", 1).random(),

  // Recurrences and attention: whole layers in one node.
  R("RNN", by(Work::Recurrence), {All, All, All, All, No, All}, by(Work::Recurrence)).jointly()
      .holds(Workspace::Gates, Workspace::Gates),
  R("GRU", by(Work::Recurrence), {All, All, All, All, No, All}, by(Work::Recurrence)).jointly()
      .holds(Workspace::Gates, Workspace::Gates),
  R("LSTM", by(Work::Recurrence), {All, All, All, All, No, All, All, All}, by(Work::Recurrence)).jointly()
      .holds(Workspace::Gates, Workspace::Gates),
  R("Attention", by(Work::Attention), {All, All, All, No, No, No}, by(Work::Attention)).jointly()
      .holds(Workspace::Scores, Workspace::Scores),
  R("MultiHeadAttention", by(Work::Attention), {All, All, All, All, No, No}, by(Work::Attention)).jointly()
      .holds(Workspace::Scores, Workspace::Scores),

  // Control flow: whatever the bodies do.
  R("If", free(), {No, All}).repeated(),
  R("Loop", free(), {No, No, All}).repeated(),
  R("Scan", free(), {All}).repeated(),

  // No gradients.
  flat("Constant", 0), flat("ConstantOfShape", 1), flat("Shape", 0), flat("Size", 0), flat("Range", 1),
  flat("EyeLike", 1), flat("OneHot", 1), flat("ArgMax", 1), flat("ArgMin", 1), flat("NonZero", 1),
  flat("Equal", 1), flat("Greater", 1), flat("GreaterOrEqual", 1), flat("Less", 1), flat("LessOrEqual", 1),
  flat("And", 1), flat("Or", 1), flat("Xor", 1), flat("Not", 1), flat("BitShift", 1),
  flat("IsNaN", 1), flat("IsInf", 1), flat("Sign", 1), flat("Floor", 1), flat("Ceil", 1), flat("Round", 1),
  flat("Hardmax", 1), flat("NonMaxSuppression", 1), flat("Unique", 1),
  flat("QuantizeLinear", 2), flat("DequantizeLinear", 2), flat("DynamicQuantizeLinear", 4),
};
// clang-format on

llvm::ArrayRef<OperatorRule> operatorTable() {
  static const std::vector<OperatorRule> table = [] {
    std::vector<OperatorRule> sorted(std::begin(rows), std::end(rows));
    llvm::sort(sorted, [](const OperatorRule &a, const OperatorRule &b) {
      return a.name < b.name;
    });
    return sorted;
  }();
  return table;
}

const OperatorRule *findOperator(llvm::StringRef opType) {
  llvm::ArrayRef<OperatorRule> table = operatorTable();
  const OperatorRule *found =
      std::lower_bound(table.begin(), table.end(), opType,
                       [](const OperatorRule &rule, llvm::StringRef name) {
                         return llvm::StringRef(rule.name) < name;
                       });
  return found != table.end() && found->name == opType ? found : nullptr;
}

const OperatorRule &unknownOperator() {
  static const OperatorRule rule = OperatorRule("", free(), {All}).repeated();
  return rule;
}

} // namespace reprise
