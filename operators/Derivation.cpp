// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One node `NAME.grad` for each node with a gradient, in reverse order. It
// reads the gradients of the node's outputs, and what the operator table says
// of the forward pass; it makes the gradients of the node's inputs.
//
//   x ──f──> h ──g──> y        y.seed              makes d:y
//        W   └──k──> z         z.seed              makes d:z
//                              k.grad reads d:z, h makes d:h
//                              g.grad reads d:y, h overwrites d:h, makes d:h#2
//                              f.grad reads d:h#2, x makes d:W
//
// A tensor with several readers gets a contribution from each. The first one
// makes a buffer, the others add to it in place, in the order in which they
// arise. For what a node makes, each sum is a tensor of its own, so that
// whoever reads the gradient comes after the last addition. The gradient of an
// initializer is read by nobody: it stays one tensor, which later contributors
// list among their inputs. That they change it is not in the graph, so that
// the first contributor and they must run once, and in this order.
//
// Operators that hand their gradient on as it is (Add, Reshape) make views of
// it instead of copies. That and adding in place are at odds when a buffer is
// added to while some other view of it is still to be read. Every gradient has
// one reader, so a count per buffer of the views that are yet to be read tells
// when this happens; the view is then made a copy after all.

#include "reprise/operators/Derivation.h"

#include "reprise/graph/Error.h"
#include "reprise/operators/CostModel.h"
#include "reprise/operators/GradientFlow.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"

#include <set>

namespace reprise {

namespace {

/// A gradient, or the sum of the contributions to it so far.
struct Gradient {
  std::string name;
  uint32_t record = kNone; ///< index of the node that makes it
  uint32_t slot = 0;       ///< which output of that node it is
  uint32_t buffer = kNone; ///< shared with the gradients that it is a view of
};

class Deriver {
public:
  Deriver(const Graph &graph, const ModelFacts &facts, const GradientFlow &flow,
          llvm::ArrayRef<BackwardOverride> overrides);

  llvm::Expected<Derivation> run();

private:
  llvm::Error addGradientNode(NodeId n, const BackwardOverride *given);
  void addSeeds(NodeId n);
  void addSeed(TensorId t);
  void readGradients(NodeId n, NodeRecord &record);
  void readForward(NodeId n, const BackwardOverride *given, NodeRecord &record);
  void readByRule(NodeId n, NodeRecord &record);
  /// Adds the contribution of \p record to the gradient of \p t.
  void contribute(TensorId t, NodeRecord &record);
  /// Is the latest contribution of \p record, for input \p i, the incoming
  /// gradient as it is? Makes a view of it where it is no addition.
  bool passesOn(NodeId n, unsigned i, NodeRecord &record);
  /// \p computed: the inputs whose gradients are work.
  llvm::Error setCosts(NodeId n, const BackwardOverride *given,
                       llvm::ArrayRef<unsigned> computed, NodeRecord &record);
  llvm::Error setBytes(NodeId n, llvm::ArrayRef<int64_t> bytes,
                       NodeRecord &record);
  llvm::SmallVector<TensorId, 8> targets(NodeId n) const;
  std::string nameOfNext(TensorId t);
  void makeCopy(Gradient &gradient, TensorId t);
  double elements(TensorId t) const {
    return static_cast<double>(facts.types.elements(t).value_or(0));
  }
  bool isSameSize(TensorId a, TensorId b) const;

  const Graph &graph;
  const ModelFacts &facts;
  const GradientFlow &flow;
  llvm::ArrayRef<BackwardOverride> overrides;
  Derivation result;
  std::set<std::string> unknown;
  llvm::StringSet<> taken;      ///< names that partial sums must not get
  std::vector<Gradient> latest; ///< by TensorId
  std::vector<uint32_t> made;   ///< contributions so far, by TensorId
  std::vector<uint32_t> unread; ///< by buffer: its gradients not read yet
};

} // namespace

Deriver::Deriver(const Graph &graph, const ModelFacts &facts,
                 const GradientFlow &flow,
                 llvm::ArrayRef<BackwardOverride> overrides)
    : graph(graph), facts(facts), flow(flow), overrides(overrides),
      latest(graph.numTensors()), made(graph.numTensors()) {
  for (TensorId t = 0; t < graph.numTensors(); ++t) {
    llvm::StringRef name = graph.tensorName(t);
    if (name.startswith("d:"))
      taken.insert(name);
    if (name.contains('#'))
      taken.insert(("d:" + name).str());
  }
}

bool Deriver::isSameSize(TensorId a, TensorId b) const {
  if (tensorBytes(graph, facts, a) != tensorBytes(graph, facts, b))
    return false;
  return facts.types[a].elementType == facts.types[b].elementType ||
         facts.types[a].elementType == 0 || facts.types[b].elementType == 0;
}

/// The name of the next sum of contributions to the gradient of \p t.
std::string Deriver::nameOfNext(TensorId t) {
  std::string name = ("d:" + graph.tensorName(t)).str();
  if (made[t] == 0)
    return name;
  name += "#" + std::to_string(made[t] + 1);
  while (!taken.insert(name).second)
    name += '_';
  return name;
}

/// Gives \p gradient, so far a view, bytes of its own.
void Deriver::makeCopy(Gradient &gradient, TensorId t) {
  NodeRecord &maker = result.nodes[gradient.record];
  llvm::erase_if(maker.alias,
                 [&](const auto &pair) { return pair.first == gradient.name; });
  maker.bytes[gradient.slot] = tensorBytes(graph, facts, t);
  maker.flops = *maker.flops + elements(t);
  --unread[gradient.buffer];
  gradient.buffer = unread.size();
  unread.push_back(1);
}

void Deriver::contribute(TensorId t, NodeRecord &record) {
  bool isFirst = made[t] == 0;
  if (graph.isInitializer(t) && flow.contributions(t) > 1)
    record.recompute = RecomputeRule::Never;
  if (!isFirst)
    record.flops = record.flops.value_or(0) + elements(t);
  if (graph.isInitializer(t) && !isFirst) {
    record.inputs.push_back(latest[t].name);
    return;
  }
  Gradient next;
  next.name = nameOfNext(t);
  next.record = result.nodes.size();
  next.slot = record.outputs.size();
  next.buffer = unread.size();
  unread.push_back(1);
  record.outputs.push_back(next.name);
  record.bytes.push_back(tensorBytes(graph, facts, t));
  if (!isFirst) {
    Gradient &sum = latest[t];
    if (unread[sum.buffer] > 1)
      makeCopy(sum, t);
    --unread[sum.buffer];
    record.inputs.push_back(sum.name);
    record.inplace.push_back({next.name, sum.name});
    record.bytes.back() = 0;
  }
  ++made[t];
  latest[t] = std::move(next);
}

void Deriver::addSeed(TensorId t) {
  if (!flow.isSeeded(t) || made[t] > 0)
    return;
  NodeRecord record;
  record.name = (graph.tensorName(t) + ".seed").str();
  record.opType = kSeedOperator.str();
  record.phase = Phase::Backward;
  record.flops = 0;
  if (graph.isTimed())
    record.seconds = 0;
  contribute(t, record);
  result.nodes.push_back(std::move(record));
}

/// The seeds that the gradient of \p n reads or adds to.
void Deriver::addSeeds(NodeId n) {
  for (TensorId t : graph.outputs(n))
    if (t != kNone)
      addSeed(t);
  for (unsigned i : flow.gradientInputs(n))
    addSeed(graph.inputs(n)[i]);
}

void Deriver::readGradients(NodeId n, NodeRecord &record) {
  llvm::ArrayRef<TensorId> outputs = graph.outputs(n);
  for (unsigned i = 0; i < outputs.size(); ++i)
    if (flow.flowsInto(n, i)) {
      assert(made[outputs[i]] == flow.contributions(outputs[i]) &&
             "a gradient is read before it is whole");
      record.inputs.push_back(latest[outputs[i]].name);
    }
}

/// Adds the forward tensors that the operator table names.
void Deriver::readByRule(NodeId n, NodeRecord &record) {
  llvm::ArrayRef<TensorId> inputs = graph.inputs(n), outputs = graph.outputs(n);
  bool hasOutput1 = outputs.size() > 1 && outputs[1] != kNone;
  llvm::BitVector readInputs(inputs.size());
  ReadSet all = kNothing;
  unsigned others = 0, spared = 0; // inputs that read every one but themselves
  for (unsigned i : flow.gradientInputs(n)) {
    ReadSet set = flow.rule(n).reads(i, hasOutput1);
    all |= set;
    if (set & kThisInput)
      readInputs.set(i);
    if (set & kOtherInputs) {
      ++others;
      spared = i;
    }
  }
  if (others > 0)
    for (unsigned i = 0; i < inputs.size(); ++i)
      if (others > 1 || i != spared)
        readInputs.set(i);
  llvm::SmallVector<TensorId, 8> reads;
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (readInputs[i] || (i < 8 && (all & inputRead(i))))
      reads.push_back(inputs[i]);
  for (unsigned i = 0; i < outputs.size(); ++i)
    if ((all & kAllOutputs) || (i < 8 && (all & outputRead(i))))
      reads.push_back(outputs[i]);
  llvm::DenseSet<TensorId> seen;
  for (TensorId t : reads)
    if (t != kNone && seen.insert(t).second)
      record.inputs.push_back(graph.tensorName(t).str());
}

/// `backward: needs` in place of the operator table.
void Deriver::readForward(NodeId n, const BackwardOverride *given,
                          NodeRecord &record) {
  if (given && given->needs) {
    record.inputs.insert(record.inputs.end(), given->needs->begin(),
                         given->needs->end());
    return;
  }
  if (&flow.rule(n) == &unknownOperator())
    unknown.insert(graph.opType(n).str());
  readByRule(n, record);
}

bool Deriver::passesOn(NodeId n, unsigned i, NodeRecord &record) {
  llvm::ArrayRef<TensorId> inputs = graph.inputs(n), outputs = graph.outputs(n);
  TensorId t = inputs[i];
  TensorId whole = kNone; // the one output with a gradient
  for (unsigned o = 0; o < outputs.size(); ++o)
    if (flow.flowsInto(n, o)) {
      if (whole != kNone)
        return false;
      whole = outputs[o];
    }
  bool hasOutput1 = outputs.size() > 1 && outputs[1] != kNone;
  if (flow.rule(n).reads(i, hasOutput1) != kPassed || graph.isInitializer(t) ||
      !isSameSize(t, whole) || llvm::count(inputs, t) > 1)
    return false;
  Gradient &gradient = latest[t];
  bool isFirst = made[t] == 1;
  if (isFirst) {
    record.alias.push_back({gradient.name, latest[whole].name});
    record.bytes.back() = 0;
    gradient.buffer = latest[whole].buffer;
    ++unread[gradient.buffer];
  }
  return true;
}

llvm::Error Deriver::setCosts(NodeId n, const BackwardOverride *given,
                              llvm::ArrayRef<unsigned> computed,
                              NodeRecord &record) {
  record.workspaceBytes = backwardWorkspace(graph, facts, n);
  double additions = record.flops.value_or(0);
  record.flops = additions;
  if (!computed.empty())
    *record.flops += backwardFlops(graph, facts, n, computed);
  if (graph.isTimed()) {
    // Nobody measured the gradient: as much dearer as its FLOPs are more.
    constexpr double usualRatio = 2;
    double ratio = graph.flops(n) > 0 ? *record.flops / graph.flops(n)
                                      : (computed.empty() ? 0 : usualRatio);
    record.seconds = graph.seconds(n) * ratio;
  }
  if (given && given->flops)
    record.flops = *given->flops;
  if (given && given->workspaceBytes)
    record.workspaceBytes = *given->workspaceBytes;
  if (given && given->bytes)
    return setBytes(n, *given->bytes, record);
  return llvm::Error::success();
}

/// `backward: memory`, one entry for each tensor that \p n has a gradient for;
/// what is added to an existing gradient takes no bytes.
llvm::Error Deriver::setBytes(NodeId n, llvm::ArrayRef<int64_t> bytes,
                              NodeRecord &record) {
  std::vector<std::string> expected;
  size_t slot = 0;
  for (TensorId t : targets(n)) {
    expected.push_back(("d:" + graph.tensorName(t)).str());
    if (latest[t].record != result.nodes.size())
      continue;
    bool isSum = llvm::any_of(record.inplace, [&](const auto &pair) {
      return pair.first == record.outputs[slot];
    });
    if (!isSum && expected.size() <= bytes.size())
      record.bytes[slot] = bytes[expected.size() - 1];
    ++slot;
  }
  if (bytes.size() == expected.size())
    return llvm::Error::success();
  return makeInputError(
      "node " + graph.nodeName(n) + ": backward: memory: expected " +
      llvm::Twine(expected.size()) +
      (expected.size() == 1 ? " entry, for " : " entries, for ") +
      llvm::join(expected, ", ") + ", got " + llvm::Twine(bytes.size()));
}

/// The tensors that \p n has a gradient for, each once.
llvm::SmallVector<TensorId, 8> Deriver::targets(NodeId n) const {
  llvm::SmallVector<TensorId, 8> distinct;
  llvm::DenseSet<TensorId> seen;
  for (unsigned i : flow.gradientInputs(n))
    if (seen.insert(graph.inputs(n)[i]).second)
      distinct.push_back(graph.inputs(n)[i]);
  return distinct;
}

llvm::Error Deriver::addGradientNode(NodeId n, const BackwardOverride *given) {
  NodeRecord record;
  record.name = (graph.nodeName(n) + ".grad").str();
  record.opType = (graph.opType(n) + "Grad").str();
  record.phase = Phase::Backward;
  readGradients(n, record);
  readForward(n, given, record);
  bool mayPass = !given || (!given->flops && !given->bytes);
  llvm::SmallVector<unsigned, 8> computed; // inputs whose gradient is work
  llvm::DenseSet<TensorId> seen;
  for (unsigned i : flow.gradientInputs(n)) {
    TensorId t = graph.inputs(n)[i];
    if (!seen.insert(t).second) {
      computed.push_back(i);
      continue;
    }
    contribute(t, record);
    if (!mayPass || !passesOn(n, i, record))
      computed.push_back(i);
  }
  if (llvm::Error e = setCosts(n, given, computed, record))
    return e;
  for (TensorId t : graph.outputs(n))
    if (t != kNone && made[t] > 0)
      --unread[latest[t].buffer];
  result.nodes.push_back(std::move(record));
  return llvm::Error::success();
}

llvm::Expected<Derivation> Deriver::run() {
  llvm::DenseMap<NodeId, const BackwardOverride *> given;
  for (const BackwardOverride &entry : overrides)
    given[entry.node] = &entry;
  for (NodeId n : llvm::reverse(graph.order())) {
    if (!flow.isActive(n))
      continue;
    addSeeds(n);
    if (llvm::Error e = addGradientNode(n, given.lookup(n)))
      return e;
  }
  for (TensorId t = 0; t < graph.numConstants(); ++t) {
    addSeed(t);
    if (graph.isInitializer(t) && made[t] > 0)
      result.outputs.push_back(latest[t].name);
  }
  result.unknownOperators.assign(unknown.begin(), unknown.end());
  return std::move(result);
}

/// The initializers that one of \p patterns names.
static llvm::Expected<llvm::BitVector>
findFrozen(const Graph &graph, llvm::ArrayRef<std::string> patterns) {
  llvm::BitVector frozen(graph.numTensors());
  for (const std::string &text : patterns) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return makeInputError("frozen: " + text + ": " +
                            llvm::toString(pattern.takeError()));
    bool any = false;
    for (TensorId t = 0; t < graph.numConstants(); ++t)
      if (graph.isInitializer(t) && pattern->match(graph.tensorName(t))) {
        frozen.set(t);
        any = true;
      }
    if (!any)
      return makeInputError("frozen: no initializer is called " + text);
  }
  return frozen;
}

static llvm::Error checkNeeds(const Graph &graph,
                              llvm::ArrayRef<BackwardOverride> overrides) {
  llvm::StringSet<> names;
  for (const BackwardOverride &entry : overrides) {
    if (!entry.needs)
      continue;
    if (names.empty())
      for (TensorId t = 0; t < graph.numTensors(); ++t)
        names.insert(graph.tensorName(t));
    for (const std::string &name : *entry.needs)
      if (!names.contains(name))
        return makeInputError("node " + graph.nodeName(entry.node) +
                              ": backward: needs: there is no tensor " + name);
  }
  return llvm::Error::success();
}

llvm::Expected<Derivation>
deriveBackward(const Graph &graph, const ModelFacts &facts,
               llvm::ArrayRef<BackwardOverride> overrides,
               const DerivationOptions &options) {
  llvm::Expected<llvm::BitVector> frozen = findFrozen(graph, options.frozen);
  if (!frozen)
    return frozen.takeError();
  if (llvm::Error e = checkNeeds(graph, overrides))
    return e;
  GradientFlow flow(graph, facts, *frozen);
  return Deriver(graph, facts, flow, overrides).run();
}

} // namespace reprise
