// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Moment.h"

#include "reprise/graph/GraphBuilder.h"
#include "reprise/planner/MomentBound.h"
#include "reprise/planner/Random.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace reprise;

namespace {

/// A node of a graph that is written down in a test.
struct NodeText {
  const char *name;
  std::vector<llvm::StringRef> inputs;
  const char *output;
  int64_t bytes;
  double flops;
  RecomputeRule recompute = RecomputeRule::Allow;
  const char *viewOf = nullptr;
};

} // namespace

static Graph graphOf(const std::vector<NodeText> &nodes) {
  GraphBuilder builder;
  for (const NodeText &text : nodes) {
    llvm::StringRef output = text.output;
    int64_t bytes = text.bytes;
    std::vector<std::pair<llvm::StringRef, llvm::StringRef>> alias;
    if (text.viewOf)
      alias.push_back({output, text.viewOf});
    NodeDescription node;
    node.name = text.name;
    node.opType = "Op";
    node.inputs = text.inputs;
    node.outputs = output;
    node.bytes = bytes;
    node.flops = text.flops;
    node.recompute = text.recompute;
    node.alias = alias;
    llvm::cantFail(builder.addNode(node));
  }
  return llvm::cantFail(builder.build());
}

// a > g > x > y; y reads g as well. Making g again needs a, which nobody else
// reads later.
static std::vector<NodeText> chainOfTwo() {
  return {{"makeA", {}, "a", 4, 9},
          {"makeG", {"a"}, "g", 4, 1},
          {"x", {"g"}, "l", 1, 1},
          {"between", {"l"}, "m", 1, 1},
          {"y", {"m", "g"}, "d", 1, 1}};
}

TEST_CASE("a moment holds what later nodes read and what that is made from") {
  Graph graph = graphOf(chainOfTwo());
  Problem problem = Problem::of(graph, 10);
  Moment moment = MomentAnalysis(problem).at(3);
  // At `between`: l is read, m is made, and g is needed by y.
  CHECK(moment.capacityBytes == 10 - 1 - 1);
  REQUIRE(moment.units.size() == 2);
  CHECK(moment.units[0].isNeeded);
  CHECK_FALSE(moment.units[1].isNeeded);
  CHECK(moment.makerCosts == std::vector<double>{1, 9});
  CHECK(moment.makerReads[0] == llvm::ArrayRef<uint32_t>(1));
  CHECK(moment.makerReads[1].empty());
}

TEST_CASE("what is made again needs its inputs") {
  Graph graph = graphOf(chainOfTwo());
  auto extra = [&](int64_t budget) {
    Problem problem = Problem::of(graph, budget);
    Moment moment = MomentAnalysis(problem).at(3);
    MomentBound bound(moment, 1);
    return bound.relax(0, 0);
  };
  CHECK(extra(6) == 0);
  // Not even one byte of g or a is left: both are made again.
  CHECK(extra(2) == 10);
  // Half of either may stay; a whole cost is at least 5.
  CHECK(extra(4) == 5);
}

TEST_CASE("of what cannot be made again all is resident") {
  std::vector<NodeText> nodes = chainOfTwo();
  nodes[1].recompute = RecomputeRule::Never;
  Graph graph = graphOf(nodes);
  Problem problem = Problem::of(graph, 10);
  Moment moment = MomentAnalysis(problem).at(3);
  CHECK(moment.capacityBytes == 10 - 1 - 1 - 4);
  CHECK(moment.units.empty());
}

TEST_CASE("a view that may be made later keeps what it views") {
  std::vector<NodeText> nodes = chainOfTwo();
  // y reads g through a view, which nothing orders before `between`.
  nodes[4].inputs[1] = "v";
  nodes.push_back(
      {"view", {"g"}, "v", 0, 0, RecomputeRule::Allow, "g"});
  Graph graph = graphOf(nodes);
  Problem problem = Problem::of(graph, 10);
  Moment moment = MomentAnalysis(problem).at(3);
  REQUIRE(moment.units.size() == 2);
  CHECK(moment.units[0].isNeeded);
  CHECK(moment.units[0].bytes == 4);
}

static Moment randomMoment(Random &random) {
  Moment moment;
  unsigned units = 1 + random.below(7);
  for (unsigned u = 0; u < units; ++u) {
    MomentUnit &unit = moment.units.emplace_back();
    unit.bytes = random.below(6);
    unit.isNeeded = random.below(2) == 0;
    if (!unit.isNeeded && random.below(4) == 0)
      continue;
    unit.maker = moment.makerCosts.size();
    moment.makerCosts.push_back(double(random.below(9)));
    // A maker reads units that come later: the order of the graph, reversed.
    std::vector<uint32_t> reads;
    for (unsigned r = u + 1; r < units; ++r)
      if (random.below(3) == 0)
        reads.push_back(r);
    moment.makerReads.push(reads);
  }
  moment.capacityBytes = random.below(12);
  return moment;
}

/// By trying every set of resident units; infinite: none fits.
static double leastExtra(const Moment &moment) {
  double least = std::numeric_limits<double>::infinity();
  for (uint32_t set = 0; set < (1u << moment.units.size()); ++set) {
    int64_t bytes = 0;
    double cost = 0;
    bool isWhole = true;
    std::vector<bool> isWanted(moment.units.size());
    for (size_t u = 0; u < moment.units.size(); ++u) {
      const MomentUnit &unit = moment.units[u];
      if (set >> u & 1) {
        bytes += unit.bytes;
        continue;
      }
      if (!unit.isNeeded && !isWanted[u])
        continue;
      isWhole &= unit.maker != kNone;
      if (!isWhole)
        break;
      cost += moment.makerCosts[unit.maker];
      for (uint32_t r : moment.makerReads[unit.maker])
        isWanted[r] = true;
    }
    if (isWhole && bytes <= moment.capacityBytes)
      least = std::min(least, cost);
  }
  return least;
}

TEST_CASE("branching ends at the least cost of random moments") {
  Random random(5);
  unsigned infeasible = 0, split = 0;
  for (unsigned round = 0; round < 1000; ++round) {
    CAPTURE(round);
    Moment moment = randomMoment(random);
    double least = leastExtra(moment);
    MomentBound bound(moment, /*costUnit=*/0);
    double relaxed = bound.relax(0, random.below(2) ? 0.7 : 0);
    CHECK(relaxed <= least);
    bound.branch(1000, std::numeric_limits<double>::infinity());
    infeasible += std::isinf(least);
    split += relaxed < least * (1 - 1e-6);
    if (std::isinf(least)) {
      CHECK(std::isinf(bound.bound()));
      continue;
    }
    CHECK(bound.bound() <= least);
    CHECK(bound.bound() == doctest::Approx(least).epsilon(1e-6));
    MomentBound whole(moment, /*costUnit=*/1);
    whole.relax(0, 0);
    whole.branch(1000, std::numeric_limits<double>::infinity());
    CHECK(whole.bound() == least);
  }
  CHECK(infeasible > 10);
  CHECK(split > 100);
}

TEST_CASE("the unit of costs is their greatest common divisor") {
  CHECK(commonCostUnit({12, 0, 30}) == 6);
  CHECK(commonCostUnit({12, 0.5}) == 0);
  CHECK(commonCostUnit({9e15, 9e15}) == 0);
}
