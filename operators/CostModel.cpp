// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes are those of ONNX's operators:
//
//   Conv           x [N, C, ...]  w [M, C/group, kernel...]  y [N, M, ...]
//   ConvTranspose  x [N, C, ...]  w [C, M/group, kernel...]  y [N, M, ...]
//   MatMul         a [..., M, K]  b [..., K, N]              y [..., M, N]
//   LSTM           x [steps, batch, in]  w [dirs, gates * hidden, in]
//                  r [dirs, gates * hidden, hidden]
//
// A product costs two FLOPs per multiply-add. The gradient of a product for
// one of its factors is a product with as many multiply-adds, so that a
// convolution's backward pass costs once its forward pass for the input's
// gradient and once for the weight's, where each is needed.
//
// Strides, padding and dilation show in the size of y alone.

#include "reprise/operators/CostModel.h"

#include "reprise/operators/ElementType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace reprise {

namespace {

/// A node with what is known of it.
struct Operator {
  const Graph &graph;
  const ModelFacts &facts;
  NodeId node;

  TensorId input(unsigned i) const { return at(graph.inputs(node), i); }
  TensorId output(unsigned i) const { return at(graph.outputs(node), i); }
  TensorType typeOf(TensorId t) const {
    return t == kNone ? TensorType() : facts.types[t];
  }
  /// Elements of \p t as a double; none where they are not known.
  std::optional<double> elements(TensorId t) const {
    if (t == kNone)
      return std::nullopt;
    std::optional<int64_t> count = facts.types.elements(t);
    if (!count)
      return std::nullopt;
    return static_cast<double>(*count);
  }
  std::optional<double> outputElements() const {
    return sum(graph.outputs(node));
  }
  std::optional<double> sum(llvm::ArrayRef<TensorId> tensors) const;
  std::optional<double> largest() const;

private:
  static TensorId at(llvm::ArrayRef<TensorId> row, unsigned i) {
    return i < row.size() ? row[i] : kNone;
  }
};

} // namespace

std::optional<double> Operator::sum(llvm::ArrayRef<TensorId> tensors) const {
  double total = 0;
  for (TensorId t : tensors) {
    if (t == kNone)
      continue;
    std::optional<double> count = elements(t);
    if (!count)
      return std::nullopt;
    total += *count;
  }
  return total;
}

std::optional<double> Operator::largest() const {
  double most = 0;
  for (llvm::ArrayRef<TensorId> row : {graph.inputs(node), graph.outputs(node)})
    for (TensorId t : row) {
      if (t == kNone)
        continue;
      std::optional<double> count = elements(t);
      if (!count)
        return std::nullopt;
      most = std::max(most, *count);
    }
  return most;
}

/// The product of \p dims as a double, which cannot overflow.
static double product(llvm::ArrayRef<int64_t> dims) {
  double result = 1;
  for (int64_t dim : dims)
    result *= static_cast<double>(dim);
  return result;
}

/// Multiply-adds for each element that \p weight [first, rest...] produces.
static std::optional<double> kernelProduct(const Operator &op) {
  TensorType weight = op.typeOf(op.input(1));
  if (!weight.hasShape || weight.dims.size() < 2)
    return std::nullopt;
  return product(weight.dims.drop_front());
}

static std::optional<double> innerDimension(const Operator &op) {
  TensorType a = op.typeOf(op.input(0));
  if (!a.hasShape || a.dims.empty())
    return std::nullopt;
  bool transposed =
      a.dims.size() >= 2 && op.facts.integer(op.node, "transA", 0) != 0;
  return static_cast<double>(transposed ? a.dims[a.dims.size() - 2]
                                        : a.dims.back());
}

/// The index ranges of an Einsum equation, by letter; the ellipsis stands for
/// all dimensions that it covers.
static std::optional<double> einsumRange(const Operator &op) {
  const Attribute *equation = op.facts.attribute(op.node, "equation");
  if (!equation)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef, 4> terms;
  llvm::StringRef(equation->text).split("->").first.split(terms, ',');
  double ranges[256] = {};
  double ellipsis = 1;
  for (unsigned i = 0; i < terms.size(); ++i) {
    TensorType type = op.typeOf(op.input(i));
    if (!type.hasShape)
      return std::nullopt;
    size_t letters = llvm::count_if(terms[i], llvm::isAlpha);
    if (letters > type.dims.size())
      return std::nullopt;
    size_t covered = type.dims.size() - letters, dim = 0;
    for (size_t c = 0; c < terms[i].size(); ++c) {
      char letter = terms[i][c];
      if (letter == '.' && (c == 0 || terms[i][c - 1] != '.')) {
        ellipsis = std::max(ellipsis, product(type.dims.slice(dim, covered)));
        dim += covered;
      } else if (llvm::isAlpha(letter)) {
        double &range = ranges[static_cast<unsigned char>(letter)];
        range = std::max(range, static_cast<double>(type.dims[dim++]));
      }
    }
  }
  double all = ellipsis;
  for (double range : ranges)
    if (range > 0)
      all *= range;
  return all;
}

/// Elements of all gates of all steps: steps * batch * directions * gates *
/// hidden.
static std::optional<double> gateElements(const Operator &op) {
  TensorType x = op.typeOf(op.input(0)), w = op.typeOf(op.input(1));
  if (!x.hasShape || x.dims.size() != 3 || !w.hasShape || w.dims.size() != 3)
    return std::nullopt;
  return product(x.dims.take_front(2)) * product(w.dims.take_front(2));
}

static std::optional<double> recurrence(const Operator &op) {
  std::optional<double> gates = gateElements(op);
  TensorType w = op.typeOf(op.input(1)), r = op.typeOf(op.input(2));
  if (!gates || !r.hasShape || r.dims.size() != 3)
    return std::nullopt;
  constexpr double pointwisePerGate = 5; // an exponential and the cell update
  return *gates * (2.0 * static_cast<double>(w.dims[2]) +
                   2.0 * static_cast<double>(r.dims[2]) + pointwisePerGate);
}

namespace {
/// Scaled dot-product attention on x [batch, length, width].
struct AttentionShape {
  double batch, length, width, heads;
};
} // namespace

static std::optional<AttentionShape> attentionShape(const Operator &op) {
  TensorType x = op.typeOf(op.input(0));
  int64_t heads = op.facts.integer(op.node, "num_heads", 0);
  if (!x.hasShape || x.dims.size() != 3 || heads <= 0)
    return std::nullopt;
  return AttentionShape{
      static_cast<double>(x.dims[0]), static_cast<double>(x.dims[1]),
      static_cast<double>(x.dims[2]), static_cast<double>(heads)};
}

static std::optional<double> attention(const Operator &op) {
  std::optional<AttentionShape> shape = attentionShape(op);
  if (!shape)
    return std::nullopt;
  auto [batch, length, width, heads] = *shape;
  constexpr double softmaxPerScore = 5;
  double scores = batch * heads * length * length;
  double flops = 4 * batch * length * length * width + softmaxPerScore * scores;
  // The fused form projects first: weights [width, 3 * width].
  TensorType weights = op.typeOf(op.input(1));
  if (weights.hasShape && weights.dims.size() == 2)
    flops += 2 * batch * length * product(weights.dims);
  return flops;
}

static std::optional<double> window(const Operator &op) {
  std::optional<double> out = op.elements(op.output(0));
  const Attribute *kernel = op.facts.attribute(op.node, "kernel_shape");
  if (!out)
    return std::nullopt;
  return *out * (kernel ? product(kernel->ints) : 1);
}

/// \p perElement times what \p work counts once, without a bias.
static std::optional<double> multiplied(std::optional<double> elements,
                                        std::optional<double> perElement) {
  if (!elements || !perElement)
    return std::nullopt;
  return *elements * *perElement;
}

static std::optional<double> mainWork(const Operator &op, WorkRule rule) {
  switch (rule.work) {
  case Work::None:
    return 0;
  case Work::PerOutput:
    return multiplied(op.outputElements(), rule.factor);
  case Work::PerLargest:
    return multiplied(op.largest(), rule.factor);
  case Work::PerWindow:
    return window(op);
  case Work::Convolution:
    return multiplied(op.elements(op.output(0)),
                      multiplied(2.0, kernelProduct(op)));
  case Work::Transposed:
    return multiplied(op.elements(op.input(0)),
                      multiplied(2.0, kernelProduct(op)));
  case Work::Product:
  case Work::ProductAdd:
    return multiplied(op.elements(op.output(0)),
                      multiplied(2.0, innerDimension(op)));
  case Work::Contraction:
    return multiplied(2.0, einsumRange(op));
  case Work::Recurrence:
    return recurrence(op);
  case Work::Attention:
    return attention(op);
  case Work::Normalization: {
    double size = static_cast<double>(op.facts.integer(op.node, "size", 1));
    return multiplied(op.largest(), 2 * size + 5);
  }
  }
  llvm_unreachable("a kind of work without a formula");
}

/// The third operand of a convolution or Gemm: one addition per output.
static bool addsBias(Work work) {
  return work == Work::Convolution || work == Work::Transposed ||
         work == Work::ProductAdd;
}

const OperatorRule *operatorOf(const Graph &graph, const ModelFacts &facts,
                               NodeId n) {
  return facts.isForeign(n) ? nullptr : findOperator(graph.opType(n));
}

std::optional<double> forwardFlops(const Graph &graph, const ModelFacts &facts,
                                   NodeId n) {
  const OperatorRule *rule = operatorOf(graph, facts, n);
  if (!rule)
    return std::nullopt;
  Operator op{graph, facts, n};
  std::optional<double> flops = mainWork(op, rule->forward);
  if (flops && addsBias(rule->forward.work) && op.input(2) != kNone)
    *flops += op.elements(op.output(0)).value_or(0);
  return flops;
}

/// FLOPs by the formula alone.
static std::optional<double> backwardByShape(const Operator &op,
                                             const OperatorRule &rule,
                                             llvm::ArrayRef<unsigned> needed) {
  std::optional<double> each = mainWork(op, rule.backward);
  if (!each)
    return std::nullopt;
  Work work = rule.backward.work;
  // The backward pass of a recurrence or of attention makes the gates or the
  // scores again, and two products for each.
  if (work == Work::Recurrence || work == Work::Attention)
    return 3 * *each;
  if (rule.isJoint)
    return *each;
  double flops = 0;
  for (unsigned i : needed)
    flops += i == 2 && addsBias(work) ? op.elements(op.output(0)).value_or(0)
                                      : *each;
  return flops;
}

/// How much dearer than the operator itself its gradient is taken to be where
/// there are no shapes: a product per factor, and the same for what is not
/// known at all, as most of the time of unknown layers goes into products.
static double assumedRatio(const OperatorRule *rule,
                           llvm::ArrayRef<unsigned> needed) {
  if (!rule || rule->backward.work == Work::None)
    return 2;
  switch (rule->backward.work) {
  case Work::PerOutput:
  case Work::PerLargest: {
    bool known = rule->forward.work == Work::PerOutput ||
                 rule->forward.work == Work::PerLargest;
    double ratio = known ? rule->backward.factor / rule->forward.factor : 1;
    return rule->isJoint ? ratio : ratio * needed.size();
  }
  case Work::Convolution:
  case Work::Transposed:
  case Work::ProductAdd: // the bias is next to nothing
    return llvm::count_if(needed, [](unsigned i) { return i < 2; });
  case Work::Recurrence:
  case Work::Attention:
    return 3;
  default:
    return needed.size();
  }
}

double backwardFlops(const Graph &graph, const ModelFacts &facts, NodeId n,
                     llvm::ArrayRef<unsigned> needed) {
  const OperatorRule *rule = operatorOf(graph, facts, n);
  Operator op{graph, facts, n};
  double given = graph.flops(n);
  std::optional<double> byShape;
  if (rule && rule->backward.work != Work::None)
    byShape = backwardByShape(op, *rule, needed);
  if (!byShape)
    return given * assumedRatio(rule, needed);
  // The file may count in another way, or have measured: keep its scale.
  std::optional<double> own = forwardFlops(graph, facts, n);
  if (facts.hasFlops(n) && own && *own > 0 && given > 0)
    return *byShape * (given / *own);
  return *byShape;
}

/// \p elements of the type of \p like, in bytes.
static int64_t asBytes(const Operator &op, std::optional<double> elements,
                       TensorId like) {
  const ElementType *type =
      findElementType(int64_t(op.typeOf(like).elementType));
  if (!elements || !type)
    return 0;
  constexpr double limit = 4e18; // far above any memory, below 2^63
  return static_cast<int64_t>(std::min(*elements * type->bits / 8, limit));
}

static int64_t workspaceBytes(const Operator &op, Workspace kind) {
  TensorId x = op.input(0);
  if (kind == Workspace::None || x == kNone)
    return 0;
  switch (kind) {
  case Workspace::None:
    break;
  case Workspace::Gates:
    return asBytes(op, gateElements(op), x);
  case Workspace::Scores:
    if (std::optional<AttentionShape> shape = attentionShape(op))
      return asBytes(
          op, shape->batch * shape->heads * shape->length * shape->length, x);
    break;
  }
  return 0;
}

int64_t forwardWorkspace(const Graph &graph, const ModelFacts &facts,
                         NodeId n) {
  const OperatorRule *rule = operatorOf(graph, facts, n);
  return rule ? workspaceBytes({graph, facts, n}, rule->workspace) : 0;
}

int64_t backwardWorkspace(const Graph &graph, const ModelFacts &facts,
                          NodeId n) {
  const OperatorRule *rule = operatorOf(graph, facts, n);
  return rule ? workspaceBytes({graph, facts, n}, rule->backwardWorkspace) : 0;
}

} // namespace reprise
