// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two real training steps whose figures were computed by an independent
// implementation of the memory model.

#include "reprise/io/GraphReader.h"
#include "reprise/planner/Planner.h"

#include <doctest/doctest.h>

using namespace reprise;

namespace {

/// What is known of a graph.
struct Reference {
  const char *file;
  size_t nodes;
  int64_t constantBytes;
  int64_t peakBytes; ///< keep-all
  double cost;       ///< every node once, FLOPs
};

} // namespace

// Batch 32, 224x224, float32.
static constexpr Reference kVgg16 = {"vgg16.json", 111, 572698016, 3433387332,
                                     2966871954945.0};
static constexpr Reference kResNet50 = {"resnet50.json", 364, 121708448,
                                        2885381444, 785745204737.0};

static Graph load(const Reference &reference) {
  llvm::Expected<LoadedGraph> loaded =
      readGraph(std::string(REPRISE_EXAMPLES "/") + reference.file, {});
  REQUIRE_MESSAGE(loaded, llvm::toString(loaded.takeError()));
  return std::move(loaded->graph);
}

static PlanResult planned(const Graph &graph, int64_t budgetBytes) {
  PlanOptions options;
  options.effort = 2'000'000; // enough for a plan, far from the best one
  llvm::Expected<PlanResult> result =
      plan(Problem::of(graph, budgetBytes), options);
  REQUIRE_MESSAGE(result, llvm::toString(result.takeError()));
  return std::move(*result);
}

static void checkBaseline(const Reference &reference) {
  Graph graph = load(reference);
  CHECK(graph.numNodes() == reference.nodes);
  CHECK(graph.constantBytes() == reference.constantBytes);
  for (int64_t budgetBytes : {kNoBudget, reference.peakBytes}) {
    PlanResult result = planned(graph, budgetBytes);
    CHECK(result.baselinePeakBytes == reference.peakBytes);
    CHECK(result.baselineCost == reference.cost);
    CHECK(result.simulation.peakBytes == reference.peakBytes);
    CHECK(result.simulation.cost == reference.cost);
    CHECK(result.simulation.recomputedRuns == 0);
    CHECK(result.lowerBound == reference.cost);
  }
  CHECK(planned(graph, reference.peakBytes - 1).simulation.peakBytes <
        reference.peakBytes);
}

static void checkBudget(const Reference &reference, int64_t percent,
                        double mostExtra) {
  Graph graph = load(reference);
  int64_t budgetBytes = reference.peakBytes / 100 * percent;
  PlanResult result = planned(graph, budgetBytes);
  CHECK(result.simulation.peakBytes <= budgetBytes);
  CHECK(result.simulation.cost >= result.lowerBound);
  CHECK(result.lowerBound >= reference.cost);
  CHECK(result.simulation.cost <= reference.cost * (1 + mostExtra));
}

TEST_CASE("VGG-16: with enough memory the plan is the baseline") {
  checkBaseline(kVgg16);
}

TEST_CASE("ResNet-50: with enough memory the plan is the baseline") {
  checkBaseline(kResNet50);
}

// A whole second forward pass costs a third: backward is about two forwards.
TEST_CASE("VGG-16: 60% of the memory for less than a second forward pass") {
  checkBudget(kVgg16, 60, 1.0 / 3);
}

TEST_CASE("ResNet-50: 50% of the memory for less than a second forward pass") {
  checkBudget(kResNet50, 50, 1.0 / 3);
}
