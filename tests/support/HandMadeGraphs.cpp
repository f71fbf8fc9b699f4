// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "support/HandMadeGraphs.h"

#include "reprise/graph/GraphBuilder.h"

#include <string>
#include <vector>

namespace reprise {

namespace {

/// A builder of nodes with one output.
class Maker {
public:
  void input(const std::string &name) {
    llvm::cantFail(builder.addInput(name, 1));
  }

  void node(const std::string &name, const std::vector<std::string> &inputs,
            const std::string &output, int64_t bytes, double flops,
            Phase phase) {
    std::vector<llvm::StringRef> reads(inputs.begin(), inputs.end());
    llvm::StringRef makes = output;
    NodeDescription node;
    node.name = name;
    node.opType = "Op";
    node.inputs = reads;
    node.outputs = makes;
    node.bytes = bytes;
    node.flops = flops;
    node.phase = phase;
    llvm::cantFail(builder.addNode(node));
  }

  void output(const std::string &name) {
    llvm::cantFail(builder.addOutput(name));
  }

  Graph build() { return llvm::cantFail(builder.build()); }

private:
  GraphBuilder builder;
};

} // namespace

static std::string number(const char *letter, unsigned i) {
  return letter + std::to_string(i);
}

Graph unitChain(unsigned length) {
  Maker maker;
  maker.input("a0");
  for (unsigned i = 1; i <= length; ++i)
    maker.node(number("f", i), {number("a", i - 1)}, number("a", i), 1, 1,
               Phase::Forward);
  maker.node("seed", {number("a", length)}, number("d", length), 1, 1,
             Phase::Backward);
  for (unsigned i = length; i > 0; --i)
    maker.node(number("b", i),
               {number("a", i - 1), number("a", i), number("d", i)},
               number("d", i - 1), 1, 1, Phase::Backward);
  maker.output("d0");
  return maker.build();
}

Graph star(unsigned points) {
  Maker maker;
  maker.input("x");
  std::vector<std::string> all;
  for (unsigned i = 0; i < points; ++i) {
    maker.node(number("h", i), {"x"}, number("h", i), 100, 10, Phase::Forward);
    all.push_back(number("y", i));
  }
  for (unsigned i = 0; i < points; ++i)
    maker.node(number("y", i), {number("h", i)}, number("y", i), 1, 1,
               Phase::Forward);
  maker.node("sum", all, "s", 1, points, Phase::Forward);
  maker.node("loss", {"s"}, "ds", 1, 1, Phase::Backward);
  for (unsigned i = 0; i < points; ++i)
    maker.node(number("y.b", i), {number("h", i), "ds"}, number("dh", i), 100,
               2, Phase::Backward);
  for (unsigned i = 0; i < points; ++i)
    maker.node(number("h.b", i), {"x", number("dh", i)}, number("gw", i), 1, 10,
               Phase::Backward);
  for (unsigned i = 0; i < points; ++i)
    maker.output(number("gw", i));
  return maker.build();
}

} // namespace reprise
