// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forward node reads the one before it and sometimes one from further back.
// Its backward node reads the gradient so far, some of what the forward node
// read and made, and sometimes an older gradient.

#include "support/RandomGraph.h"

#include "reprise/graph/GraphBuilder.h"
#include "reprise/planner/Random.h"

#include "llvm/ADT/STLExtras.h"

#include <string>

namespace reprise {

namespace {

/// One node before it is handed to the GraphBuilder.
struct Draft {
  std::string name;
  std::vector<std::string> inputs, outputs;
  std::vector<int64_t> bytes;
  std::string viewOf, overwrites; ///< of the first output; empty: its own
  int64_t workspaceBytes = 0;
  double flops = 0;
  bool never = false;
};

class Generator {
public:
  Generator(uint64_t seed, const RandomGraphOptions &options)
      : random(seed), options(options) {}

  Graph generate() {
    llvm::cantFail(builder.addInput("x", bytes()));
    for (unsigned i = 0; i < options.forwardNodes; ++i)
      addForward(i);
    addSeed();
    for (unsigned i = options.forwardNodes; i-- > 0;)
      addBackward(i);
    llvm::cantFail(builder.addOutput(gradient));
    return llvm::cantFail(builder.build());
  }

private:
  /// True in \p percent of the cases.
  bool chance(unsigned percent) { return random.below(100) < percent; }

  int64_t bytes() { return 1 + random.below(options.largestBytes); }

  Draft draft(std::string name) {
    Draft d;
    d.name = std::move(name);
    d.flops = chance(15) ? 0 : double(1 + random.below(12));
    if (chance(options.workspaceShare))
      d.workspaceBytes = bytes();
    d.never = chance(options.neverShare);
    return d;
  }

  std::string activation(unsigned i) {
    return i == 0 ? "x" : "a" + std::to_string(i - 1);
  }

  void addForward(unsigned i) {
    std::string number = std::to_string(i);
    Draft d = draft("f" + number);
    d.inputs = {activation(i)};
    if (chance(10))
      d.inputs.push_back("");
    if (i > 1 && chance(options.skipShare))
      d.inputs.push_back(activation(random.below(i)));
    if (chance(40)) {
      llvm::cantFail(builder.addInitializer("w" + number, bytes()));
      d.inputs.push_back("w" + number);
      weighted.push_back(i);
    }
    d.outputs = {"a" + number};
    d.bytes = {chance(5) ? 0 : bytes()};
    if (chance(options.aliasShare))
      d.viewOf = d.inputs.front();
    if (chance(options.secondOutputShare)) {
      d.outputs.push_back("m" + number);
      d.bytes.push_back(bytes());
      masked.push_back(i);
    }
    readByForward.push_back(d.inputs);
    add(d, Phase::Forward);
  }

  void addSeed() {
    Draft d = draft("loss");
    d.inputs = {activation(options.forwardNodes)};
    if (chance(30))
      d.inputs.push_back(activation(random.below(options.forwardNodes) + 1));
    d.outputs = {gradient = "d" + std::to_string(options.forwardNodes)};
    d.bytes = {bytes()};
    gradients.push_back(gradient);
    add(d, Phase::Backward);
  }

  void addBackward(unsigned i) {
    std::string number = std::to_string(i);
    Draft d = draft("b" + number);
    d.inputs = {gradient};
    if (gradients.size() > 1 && chance(options.skipShare / 2))
      d.inputs.push_back(gradients[random.below(gradients.size() - 1)]);
    if (chance(50))
      d.inputs.push_back(activation(i + 1));
    for (const std::string &t : readByForward[i])
      if (!t.empty() && chance(70))
        d.inputs.push_back(t);
    if (llvm::is_contained(masked, i) && chance(80))
      d.inputs.push_back("m" + number);
    d.outputs = {"d" + number};
    d.bytes = {bytes()};
    if (llvm::is_contained(weighted, i)) {
      d.outputs.push_back("dw" + number);
      d.bytes.push_back(bytes());
      llvm::cantFail(builder.addOutput("dw" + number));
    } else if (chance(10)) {
      d.outputs.push_back("");
      d.bytes.push_back(0);
    }
    add(d, Phase::Backward);
    gradient = d.outputs.front();
    // What is overwritten must not be read afterwards: only the new name is
    // on offer to later nodes.
    if (chance(options.inplaceShare))
      addInPlaceSum(number);
    gradients.push_back(gradient);
  }

  void addInPlaceSum(const std::string &number) {
    Draft d = draft("sum" + number);
    d.inputs = {gradient, activation(random.below(options.forwardNodes + 1))};
    d.outputs = {"s" + number};
    d.bytes = {0};
    d.overwrites = gradient;
    add(d, Phase::Backward);
    gradient = d.outputs.front();
  }

  void add(const Draft &d, Phase phase) {
    std::vector<llvm::StringRef> inputs(d.inputs.begin(), d.inputs.end());
    std::vector<llvm::StringRef> outputs(d.outputs.begin(), d.outputs.end());
    std::vector<std::pair<llvm::StringRef, llvm::StringRef>> alias, inplace;
    if (!d.viewOf.empty())
      alias.push_back({d.outputs.front(), d.viewOf});
    if (!d.overwrites.empty())
      inplace.push_back({d.outputs.front(), d.overwrites});
    NodeDescription node;
    node.name = d.name;
    node.opType = "Op";
    node.inputs = inputs;
    node.outputs = outputs;
    node.bytes = d.bytes;
    node.flops = d.flops;
    node.workspaceBytes = d.workspaceBytes;
    node.phase = phase;
    node.recompute = d.never ? RecomputeRule::Never : RecomputeRule::Allow;
    node.alias = alias;
    node.inplace = inplace;
    llvm::cantFail(builder.addNode(node));
  }

  Random random;
  RandomGraphOptions options;
  GraphBuilder builder;
  std::vector<std::vector<std::string>> readByForward; ///< inputs of each f
  std::vector<unsigned> weighted, masked; ///< with a weight; with two outputs
  std::vector<std::string> gradients;     ///< on offer to backward nodes
  std::string gradient;                   ///< the last one
};

} // namespace

Graph randomGraph(uint64_t seed, const RandomGraphOptions &options) {
  return Generator(seed, options).generate();
}

} // namespace reprise
