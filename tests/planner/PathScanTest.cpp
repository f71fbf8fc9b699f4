// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/PathScan.h"

#include "support/RandomGraph.h"

#include "llvm/ADT/STLExtras.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace reprise;

static bool isPath(const Graph &graph, llvm::ArrayRef<NodeId> path) {
  for (size_t i = 1; i < path.size(); ++i)
    if (llvm::none_of(graph.reads(path[i]), [&](TensorId t) {
          return graph.producer(t) == path[i - 1];
        }))
      return false;
  return true;
}

TEST_CASE("a longest path is one, and so is one through any node") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Graph graph = randomGraph(seed, {.forwardNodes = 8});
    std::vector<NodeId> path = longestPath(graph);
    CHECK(isPath(graph, path));
    bool isReached = false;
    for (NodeId n = 0; n < graph.numNodes(); ++n) {
      std::vector<NodeId> through = longestPathThrough(graph, n);
      CHECK(isPath(graph, through));
      CHECK(llvm::is_contained(through, n));
      CHECK(through.size() <= path.size());
      isReached |= through.size() == path.size();
    }
    CHECK(isReached);
  }
}

TEST_CASE("a sample has the largest step of each stretch, and the node that it "
          "is to keep") {
  Graph graph = randomGraph(3, {.forwardNodes = 20});
  std::vector<NodeId> path = longestPath(graph);
  CHECK(sampleNodes(graph, path, path.size()) == path);
  std::vector<NodeId> sample = sampleNodes(graph, path, 3);
  REQUIRE(sample.size() == 3);
  for (size_t i = 0; i < 3; ++i)
    for (size_t k = i * path.size() / 3; k < (i + 1) * path.size() / 3; ++k)
      CHECK(stepBytes(graph, path[k]) <= stepBytes(graph, sample[i]));
  CHECK(sampleNodes(graph, path, 3, path.back()).back() == path.back());
}

TEST_CASE("a scan looks at all nodes if it may, else climbs to the best") {
  std::vector<NodeId> nodes(1000);
  std::iota(nodes.begin(), nodes.end(), 0);
  unsigned looked = 0;
  auto hill = [&](NodeId n, uint64_t &work) {
    ++looked;
    work += 1;
    return n < 700 ? double(n) : double(1400 - int(n));
  };
  double infinity = std::numeric_limits<double>::infinity();
  CHECK(scanNodes(nodes, 10'000, infinity, hill) == 700);
  CHECK(looked == 1000);
  looked = 0;
  CHECK(scanNodes(nodes, 60, infinity, hill) == 700);
  CHECK(looked <= 62);
  looked = 0;
  CHECK(scanNodes(nodes, 10'000, 300, hill) >= 300);
  CHECK(looked < 1000);
}
