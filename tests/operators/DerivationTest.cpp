// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/operators/Derivation.h"

#include "reprise/graph/GraphBuilder.h"
#include "reprise/io/GraphReader.h"
#include "reprise/operators/Completion.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/Random.h"
#include "reprise/planner/Strategies.h"

#include "llvm/ADT/StringExtras.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

using namespace reprise;

static LoadedGraph read(const std::string &text) {
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(llvm::MemoryBufferRef(text, "test.json"), {});
  REQUIRE_MESSAGE(loaded, llvm::toString(loaded.takeError()));
  return std::move(*loaded);
}

static Derivation derive(const LoadedGraph &loaded,
                         const DerivationOptions &options = {}) {
  llvm::Expected<Derivation> derived =
      deriveBackward(loaded.graph, loaded.facts, loaded.overrides, options);
  REQUIRE_MESSAGE(derived, llvm::toString(derived.takeError()));
  return std::move(*derived);
}

static Derivation derive(const std::string &text,
                         const DerivationOptions &options = {}) {
  return derive(read(text), options);
}

static std::string errorOf(const std::string &text,
                           const DerivationOptions &options = {}) {
  LoadedGraph loaded = read(text);
  llvm::Expected<Derivation> derived =
      deriveBackward(loaded.graph, loaded.facts, loaded.overrides, options);
  return derived ? std::string() : llvm::toString(derived.takeError());
}

/// "name: inputs -> outputs (bytes), what shares storage, never".
static std::string show(const NodeRecord &node) {
  std::string text = node.name + ": " + llvm::join(node.inputs, " ") + " ->";
  for (size_t i = 0; i < node.outputs.size(); ++i)
    text += " " + node.outputs[i] + "(" + std::to_string(node.bytes[i]) + ")";
  for (const auto &[output, input] : node.alias)
    text += ", " + output + " views " + input;
  for (const auto &[output, input] : node.inplace)
    text += ", " + output + " overwrites " + input;
  if (node.recompute == RecomputeRule::Never)
    text += ", once";
  return text;
}

static std::vector<std::string> show(const Derivation &derived) {
  std::vector<std::string> lines;
  for (const NodeRecord &node : derived.nodes)
    lines.push_back(show(node));
  return lines;
}

using Lines = std::vector<std::string>;

TEST_CASE("derivation: a weight that three nodes share has one gradient") {
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "W", "memory": 16}], "output": [{"name": "h3"}],
    "node": [
      {"name": "n1", "opType": "MatMul", "input": ["x", "W"],
       "output": ["h1"], "flops": 32, "memory": [4]},
      {"name": "n2", "opType": "MatMul", "input": ["h1", "W"],
       "output": ["h2"], "flops": 32, "memory": [4]},
      {"name": "n3", "opType": "MatMul", "input": ["h2", "W"],
       "output": ["h3"], "flops": 32, "memory": [4]}]}})");
  CHECK(show(derived) == Lines{"h3.seed:  -> d:h3(4)",
                               "n3.grad: d:h3 h2 W -> d:h2(4) d:W(16), once",
                               "n2.grad: d:h2 h1 W d:W -> d:h1(4), once",
                               "n1.grad: d:h1 x d:W ->, once"});
  CHECK(derived.outputs == Lines{"d:W"});
  CHECK(*derived.nodes[0].flops == 0);
  CHECK(*derived.nodes[1].flops == 64); // a product for each factor
  CHECK(*derived.nodes[3].flops == 32); // x has no gradient
}

TEST_CASE("derivation: sums in place, and views of what is passed on") {
  // Add hands d:y to both sides. f adds to d:h when g has read its own view.
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "memory": 4}], "output": [{"name": "y"}],
    "node": [
      {"name": "a", "opType": "Mul", "input": ["x", "w"], "output": ["h"],
       "memory": [4]},
      {"name": "f", "opType": "Relu", "input": ["h"], "output": ["p"],
       "memory": [4]},
      {"name": "g", "opType": "Tanh", "input": ["p"], "output": ["q"],
       "memory": [4]},
      {"name": "s", "opType": "Add", "input": ["q", "h"], "output": ["y"],
       "memory": [4]}]}})");
  CHECK(show(derived) ==
        Lines{"y.seed:  -> d:y(4)",
              "s.grad: d:y -> d:q(0) d:h(0), d:q views d:y, d:h views d:y",
              "g.grad: d:q q -> d:p(4)",
              "f.grad: d:p p d:h -> d:h#2(0), d:h#2 overwrites d:h",
              "a.grad: d:h#2 x -> d:w(4)"});
}

TEST_CASE("derivation: a sum never overwrites what is still to be read") {
  // f reads d:q while it adds to d:h: both cannot be views of d:y.
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "memory": 4}], "output": [{"name": "y"}],
    "node": [
      {"name": "a", "opType": "Mul", "input": ["x", "w"], "output": ["h"],
       "memory": [4]},
      {"name": "f", "opType": "Relu", "input": ["h"], "output": ["q"],
       "memory": [4]},
      {"name": "s", "opType": "Add", "input": ["q", "h"], "output": ["y"],
       "memory": [4]}]}})");
  CHECK(show(derived) ==
        Lines{"y.seed:  -> d:y(4)",
              "s.grad: d:y -> d:q(0) d:h(4), d:q views d:y",
              "f.grad: d:q q d:h -> d:h#2(0), d:h#2 overwrites d:h",
              "a.grad: d:h#2 x -> d:w(4)"});
}

TEST_CASE("derivation: an output that is read as well adds up to its seed") {
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "memory": 4}],
    "output": [{"name": "h"}, {"name": "y"}],
    "node": [
      {"name": "a", "opType": "Mul", "input": ["x", "w"], "output": ["h"],
       "memory": [4]},
      {"name": "f", "opType": "Relu", "input": ["h"], "output": ["y"],
       "memory": [4]}]}})");
  CHECK(show(derived) ==
        Lines{"y.seed:  -> d:y(4)", "h.seed:  -> d:h(4)",
              "f.grad: d:y y d:h -> d:h#2(0), d:h#2 overwrites d:h",
              "a.grad: d:h#2 x -> d:w(4)"});
}

TEST_CASE("derivation: a gradient has the size of its tensor") {
  // v views the first half of h by its shape; the bias is broadcast.
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 32}],
    "initializer": [{"name": "w", "memory": 8}, {"name": "b", "memory": 4}],
    "output": [{"name": "y"}],
    "valueInfo": [{"name": "v", "type": {"tensorType": {"elemType": 1,
                   "shape": {"dim": [{"dimValue": 4}]}}}}],
    "node": [
      {"name": "a", "opType": "Mul", "input": ["x", "w"], "output": ["h"],
       "memory": [32]},
      {"name": "cut", "opType": "Slice", "input": ["h"], "output": ["v"],
       "memory": [0], "alias": {"v": "h"}},
      {"name": "s", "opType": "Add", "input": ["v", "b"], "output": ["y"],
       "memory": [16]}]}})");
  CHECK(show(derived) == Lines{"y.seed:  -> d:y(16)",
                               "s.grad: d:y -> d:v(0) d:b(4), d:v views d:y",
                               "cut.grad: d:v -> d:h(32)",
                               "a.grad: d:h x -> d:w(8)"});
}

TEST_CASE("derivation: integers and frozen weights carry no gradient") {
  const std::string text = R"({"graph": {
    "input": [{"name": "ids", "type": {"tensorType": {"elemType": 7,
               "shape": {"dim": [{"dimValue": 2}]}}}}],
    "initializer": [{"name": "table", "dataType": 1, "dims": [8, 4]},
                    {"name": "scale", "dataType": 1, "dims": [4]},
                    {"name": "axes", "dataType": 7, "dims": [1]}],
    "output": [{"name": "y"}, {"name": "n"}],
    "valueInfo": [{"name": "n", "type": {"tensorType": {"elemType": 7,
                   "shape": {"dim": []}}}}],
    "node": [
      {"name": "look", "opType": "Gather", "input": ["table", "ids"],
       "output": ["e"], "memory": [32]},
      {"name": "mul", "opType": "Mul", "input": ["e", "scale"],
       "output": ["y"], "memory": [32]},
      {"name": "count", "opType": "Unknown", "input": ["y", "axes"],
       "output": ["n"]}]}})";
  CHECK(show(derive(text)) ==
        Lines{"y.seed:  -> d:y(32)",
              "mul.grad: d:y e scale -> d:e(32) d:scale(16)",
              "look.grad: d:e ids -> d:table(128)"});
  CHECK(show(derive(text, {.frozen = {"tab*"}})) ==
        Lines{"y.seed:  -> d:y(32)", "mul.grad: d:y e -> d:scale(16)"});
  CHECK(derive(text, {.frozen = {"*"}}).nodes.empty());
  CHECK(errorOf(text, {.frozen = {"tables"}}) ==
        "frozen: no initializer is called tables");
  CHECK(errorOf(text, {.frozen = {"ids"}}) ==
        "frozen: no initializer is called ids");
}

TEST_CASE("derivation: without weights the gradient is that of the inputs") {
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 4}], "output": [{"name": "y"}],
    "node": [{"name": "f", "opType": "Layer", "input": ["x"],
              "output": ["y"], "flops": 10, "memory": [4]}]}})");
  CHECK(show(derived) ==
        Lines{"y.seed:  -> d:y(4)", "f.grad: d:y x y -> d:x(4)"});
  CHECK(derived.outputs.empty());
  CHECK(derived.unknownOperators == Lines{"Layer"});
  CHECK(*derived.nodes[1].flops == 20);
}

static std::string withOverride(const std::string &backward) {
  return R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "memory": 8}], "output": [{"name": "y"}],
    "node": [{"name": "f", "opType": "Layer", "input": ["x", "w"],
              "output": ["h"], "memory": [4], "backward": )" +
         backward + R"(},
             {"name": "g", "opType": "Mul", "input": ["h", "w"],
              "output": ["y"], "memory": [4]}]}})";
}

TEST_CASE("derivation: a backward object overrides the table") {
  Derivation derived = derive(withOverride(
      R"({"needs": ["y", "x"], "flops": 7, "memory": [6], "workspace": 5})"));
  // The gradient of w is there already: f adds to it and makes nothing.
  CHECK(errorOf(withOverride(R"({"memory": [6, 6]})")) ==
        "node f: backward: memory: expected 1 entry, for d:w, got 2");
  CHECK(show(derived)[2] == "f.grad: d:h y x d:w ->, once");
  CHECK(*derived.nodes[2].flops == 7);
  CHECK(derived.nodes[2].workspaceBytes == 5);
  CHECK(derived.unknownOperators.empty());
  CHECK(show(derive(withOverride(R"({"memory": [6]})")))[1] ==
        "g.grad: d:y h w -> d:h(4) d:w(8), once");
  CHECK(errorOf(withOverride(R"({"needs": ["z"]})")) ==
        "node f: backward: needs: there is no tensor z");
}

TEST_CASE("derivation: with measured times, gradients get times too") {
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "memory": 4}], "output": [{"name": "y"}],
    "node": [{"name": "f", "opType": "MatMul", "input": ["x", "w"],
              "output": ["h"], "memory": [4], "flops": 10, "time": 3},
             {"name": "g", "opType": "MatMul", "input": ["h", "w"],
              "output": ["y"], "memory": [4], "flops": 10, "time": 4}]}})");
  CHECK(*derived.nodes[0].seconds == 0);
  CHECK(*derived.nodes[1].seconds == 8); // two products
  CHECK(*derived.nodes[2].seconds == 3); // one
}

TEST_CASE("derivation: names that are taken") {
  // A tensor called like a partial sum; one called like a gradient.
  Derivation derived = derive(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "memory": 4}], "output": [{"name": "y"}],
    "node": [
      {"opType": "Mul", "input": ["x", "w"], "output": ["h"], "memory": [4]},
      {"opType": "Relu", "input": ["h"], "output": ["h#2"], "memory": [4]},
      {"opType": "Tanh", "input": ["h"], "output": ["z"], "memory": [4]},
      {"opType": "Mul", "input": ["h#2", "z"], "output": ["y"],
       "memory": [4]}]}})");
  std::set<std::string> names;
  for (const NodeRecord &node : derived.nodes)
    for (const std::string &output : node.outputs)
      CHECK(names.insert(output).second);
  LoadedGraph loaded = read(R"({"graph": {
    "input": [{"name": "x", "memory": 4}],
    "initializer": [{"name": "w", "memory": 4}], "output": [{"name": "y"}],
    "node": [
      {"name": "a", "opType": "Mul", "input": ["x", "w"], "output": ["d:y"],
       "memory": [4]},
      {"name": "b", "opType": "Relu", "input": ["d:y"], "output": ["y"],
       "memory": [4]}]}})");
  Derivation clash = derive(loaded);
  llvm::Expected<Graph> graph = completeGraph(
      std::move(loaded.graph), loaded.facts, Completion::AsWritten, clash);
  REQUIRE_FALSE(static_cast<bool>(graph));
  CHECK(llvm::toString(graph.takeError()) ==
        "derived node y.seed: output: d:y is already produced by node a");
}

// Random graphs: every contribution arrives, none is overwritten too early.

/// A forward graph of elementwise operators on tensors of one size, so that
/// gradients are passed on and added up wherever they can be.
static Graph randomForward(uint64_t seed) {
  Random random(seed);
  auto pick = [&](uint64_t n) { return random.below(n); };
  GraphBuilder builder;
  llvm::cantFail(builder.addInput("x", 4));
  std::vector<std::string> tensors = {"x"};
  for (unsigned i = 0; i < 2; ++i) {
    tensors.push_back("w" + std::to_string(i));
    llvm::cantFail(builder.addInitializer(tensors.back(), 4));
  }
  const char *opTypes[] = {"Add",      "Add", "Sum",     "Mul",     "Relu",
                           "Identity", "Sub", "Reshape", "Unknown", "Sigmoid"};
  const unsigned arity[] = {2, 2, 3, 2, 1, 1, 2, 1, 2, 1};
  unsigned count = 3 + pick(12);
  for (unsigned n = 0; n < count; ++n) {
    unsigned kind = pick(std::size(opTypes));
    std::vector<std::string> names;
    for (unsigned i = 0; i < arity[kind]; ++i) // mostly recent ones
      names.push_back(tensors[tensors.size() - 1 -
                              pick(std::min<size_t>(tensors.size(), 5))]);
    std::vector<llvm::StringRef> inputs(names.begin(), names.end());
    std::string name = "n" + std::to_string(n), made = "t" + std::to_string(n);
    llvm::StringRef output = made;
    int64_t bytes = 4;
    NodeDescription node;
    node.name = name;
    node.opType = opTypes[kind];
    node.inputs = inputs;
    node.outputs = output;
    node.bytes = bytes;
    node.flops = 1 + pick(3);
    llvm::cantFail(builder.addNode(node));
    tensors.push_back(made);
  }
  llvm::cantFail(builder.addOutput(tensors.back()));
  llvm::cantFail(builder.addOutput(tensors[tensors.size() - 1 - pick(3)]));
  llvm::Expected<Graph> graph = builder.build();
  REQUIRE_MESSAGE(graph, llvm::toString(graph.takeError()));
  return std::move(*graph);
}

namespace {

/// Executes a plan with buffers that remember how often they were written.
class Machine {
public:
  Machine(const Graph &graph, size_t forwardNodes)
      : graph(graph), forwardNodes(forwardNodes) {}

  void run(const Plan &plan) {
    for (const Step &step : plan.steps)
      if (step.kind == Step::Free)
        values.erase(step.id);
      else
        compute(step.id);
    for (TensorId t : graph.graphOutputs())
      checkWhole(t);
  }

private:
  struct Value {
    size_t buffer;
    unsigned version;             ///< of the buffer, when this was made
    std::set<std::string> makers; ///< the nodes whose contribution it holds
  };

  static bool isGradient(llvm::StringRef name) { return name.startswith("d:"); }
  /// The forward tensor that the gradient \p t is for.
  std::string target(TensorId t) const {
    return graph.tensorName(t).drop_front(2).split('#').first.str();
  }
  TensorId find(llvm::StringRef name) const {
    for (TensorId t = 0; t < graph.numTensors(); ++t)
      if (graph.tensorName(t) == name)
        return t;
    return kNone;
  }
  /// The nodes that have to contribute to the gradient of \p name.
  std::set<std::string> contributors(llvm::StringRef name) const {
    std::set<std::string> expected;
    TensorId t = find(name);
    for (NodeId n = forwardNodes; n < graph.numNodes(); ++n) {
      llvm::StringRef own = graph.nodeName(n);
      if (own == (name + ".seed").str())
        expected.insert(own.str());
      if (own.consume_back(".grad"))
        for (NodeId f = 0; f < forwardNodes; ++f)
          if (graph.nodeName(f) == own &&
              llvm::is_contained(graph.inputs(f), t))
            expected.insert((own + ".grad").str());
    }
    return expected;
  }
  void checkUnharmed(TensorId t) {
    CAPTURE(graph.tensorName(t).str());
    REQUIRE(values.count(t) == 1);
    CHECK(values[t].version == versions[values[t].buffer]);
  }
  void checkWhole(TensorId t) {
    if (!isGradient(graph.tensorName(t)))
      return;
    checkUnharmed(t);
    CHECK(values[t].makers == contributors(target(t)));
  }

  void readInputs(NodeId n) {
    for (TensorId t : graph.inputs(n)) {
      if (t == kNone || !isGradient(graph.tensorName(t)))
        continue;
      TensorId forward = find(target(t));
      bool isSum = forward != kNone && graph.isConstant(forward);
      for (TensorId o : graph.outputs(n))
        isSum |=
            graph.storageUse(o) == StorageUse::InPlace && graph.base(o) == t;
      checkUnharmed(t);
      if (!isSum)
        checkWhole(t);
      else if (graph.isConstant(forward))
        values[t].makers.insert(graph.nodeName(n).str());
    }
  }

  void compute(NodeId n) {
    readInputs(n);
    for (TensorId t : graph.outputs(n)) {
      if (values.count(t))
        continue; // the new copy is dropped
      Value value{versions.size(), 0, {graph.nodeName(n).str()}};
      if (graph.storageUse(t) == StorageUse::Own) {
        versions.push_back(0);
      } else if (graph.storageUse(t) == StorageUse::Alias) {
        value = values[graph.base(t)];
        value.makers = {graph.nodeName(n).str()};
      } else {
        const Value &old = values[graph.base(t)];
        value.buffer = old.buffer;
        value.version = ++versions[old.buffer];
        value.makers.insert(old.makers.begin(), old.makers.end());
      }
      values[t] = value;
    }
  }

  const Graph &graph;
  size_t forwardNodes;
  std::map<TensorId, Value> values;
  std::vector<unsigned> versions; ///< by buffer: how often it was overwritten
};

} // namespace

TEST_CASE("derivation: every contribution arrives, whatever is recomputed") {
  size_t recomputed = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Graph forward = randomForward(seed);
    size_t forwardNodes = forward.numNodes();
    llvm::Expected<Derivation> derived =
        deriveBackward(forward, ModelFacts(), {});
    REQUIRE(static_cast<bool>(derived));
    if (derived->nodes.empty())
      continue;
    llvm::Expected<Graph> graph = completeGraph(
        std::move(forward), ModelFacts(), Completion::AsWritten, *derived);
    REQUIRE_MESSAGE(graph, llvm::toString(graph.takeError()));
    int64_t peakBytes = peakOfRuns(*graph, graph->order());
    for (int64_t percent : {100, 80, 60}) {
      CAPTURE(percent);
      // As far down as it gets; the runs are in order even above the budget.
      RunSequence runs =
          greedy(Problem::of(*graph, peakBytes * percent / 100), {});
      Plan plan = planFromRuns(*graph, runs);
      Machine(*graph, forwardNodes).run(plan);
      recomputed += runs.size() - graph->numNodes();
    }
  }
  CHECK(recomputed > 0);
}

TEST_CASE("derivation: deep and wide graphs take no stack and no square") {
  constexpr unsigned size = 100'000;
  GraphBuilder builder;
  llvm::cantFail(builder.addInitializer("t0", 4));
  std::vector<std::string> names = {"t0"};
  for (unsigned n = 0; n < size; ++n) {
    names.push_back("t" + std::to_string(n + 1));
    llvm::StringRef input = names[n], output = names[n + 1];
    int64_t bytes = 4;
    NodeDescription node;
    node.opType = "Relu";
    node.inputs = input;
    node.outputs = output;
    node.bytes = bytes;
    llvm::cantFail(builder.addNode(node));
  }
  std::vector<llvm::StringRef> all(names.begin(), names.end());
  llvm::StringRef last = "last";
  int64_t bytes = 4;
  NodeDescription node;
  node.opType = "Unknown";
  node.inputs = all;
  node.outputs = last;
  node.bytes = bytes;
  llvm::cantFail(builder.addNode(node));
  llvm::cantFail(builder.addOutput("last"));
  llvm::Expected<Graph> graph = builder.build();
  REQUIRE(static_cast<bool>(graph));
  llvm::Expected<Derivation> derived = deriveBackward(*graph, ModelFacts(), {});
  REQUIRE(static_cast<bool>(derived));
  CHECK(derived->nodes.size() == size + 2);
}
