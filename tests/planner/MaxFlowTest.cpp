// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/MaxFlow.h"

#include "reprise/planner/Random.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace reprise;

namespace {

struct Arc {
  uint32_t from, to;
  int64_t capacity;
};

} // namespace

/// Over all sets with the source and without the sink.
static int64_t leastCut(uint32_t nodes, const std::vector<Arc> &arcs) {
  int64_t least = MaxFlow::kInfinite;
  for (uint32_t set = 1; set < (1u << nodes); set += 2) {
    if (set & (1u << MaxFlow::kSink))
      continue;
    int64_t cut = 0;
    for (const Arc &arc : arcs)
      if ((set >> arc.from & 1) && !(set >> arc.to & 1))
        cut += arc.capacity;
    least = std::min(least, cut);
  }
  return least;
}

TEST_CASE("a flow is the least cut, and the cut can be read off") {
  Random random(3);
  for (unsigned round = 0; round < 300; ++round) {
    uint32_t nodes = 3 + random.below(6);
    MaxFlow network;
    while (network.addNode() + 1 < nodes) {
    }
    std::vector<Arc> arcs;
    for (unsigned i = 0; i < 3 * nodes; ++i) {
      Arc arc{uint32_t(random.below(nodes)), uint32_t(random.below(nodes)), 0};
      if (arc.from == arc.to)
        continue;
      network.addArc(arc.from, arc.to);
      arcs.push_back(arc);
    }
    // The same network with other capacities: nothing is left of the first.
    for (unsigned again = 0; again < 2; ++again) {
      for (size_t a = 0; a < arcs.size(); ++a) {
        arcs[a].capacity = random.below(9);
        network.setCapacity(a, arcs[a].capacity);
      }
      int64_t flow = network.solve();
      CHECK(flow == leastCut(nodes, arcs));
      int64_t cut = 0;
      for (const Arc &arc : arcs)
        if (network.isOnSourceSide(arc.from) &&
            !network.isOnSourceSide(arc.to))
          cut += arc.capacity;
      CHECK(cut == flow);
      CHECK(network.isOnSourceSide(MaxFlow::kSource));
      CHECK_FALSE(network.isOnSourceSide(MaxFlow::kSink));
    }
  }
}

TEST_CASE("a path of a hundred thousand arcs is no trouble") {
  MaxFlow network;
  uint32_t last = MaxFlow::kSource;
  for (unsigned i = 0; i < 100'000; ++i) {
    uint32_t next = network.addNode();
    network.setCapacity(network.addArc(last, next), 10 + i);
    last = next;
  }
  network.setCapacity(network.addArc(last, MaxFlow::kSink), 7);
  CHECK(network.solve() == 7);
}
