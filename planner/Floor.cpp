// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step holds what it reads, what it makes and its workspace, whatever the
// rest of the plan does; the end holds the outputs. Each is below every peak.
//
//   logits [100] ──loss.b──> dlogits [100]      w [8], x [4] are constants
//   loss.b holds 12 + 100 + 100 = 212: no plan of this graph peaks lower
//
// More is certain where some nodes run only once. When a node x first runs,
// what they made before and what is read later is in memory; of the rest so
// much that all can be made again, which is a minimum cut (MomentBound.h).
//
//   mask [8] by a node that runs once, read by x.b at the end:
//   every node between the two holds 8 more than it takes by itself
//
// Linear in the reads and the makings of all nodes, and in as much again for
// each node x that is looked at.

#include "reprise/planner/Floor.h"

#include "reprise/planner/MomentBound.h"
#include "reprise/planner/PathScan.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

/// Effort, in arcs of networks and nodes looked at: some nanoseconds each. The
/// second one for each node, so that a large graph has some moments.
static constexpr uint64_t kScanWork = 60'000'000;
static constexpr uint64_t kScanWorkPerNode = 200;
/// Graphs up to this many nodes have every node looked at.
static constexpr size_t kAllNodes = 400;

namespace {

/// Adds up storages, each once per group.
class StorageSum {
public:
  explicit StorageSum(const Graph &graph)
      : graph(graph), lastGroup(graph.numStorages(), 0) {}

  void begin() {
    ++group;
    total = graph.constantBytes();
  }
  void add(TensorId t) {
    StorageId s = graph.storage(t);
    if (graph.isConstantStorage(s) || lastGroup[s] == group)
      return;
    lastGroup[s] = group;
    total += graph.storageBytes(s);
  }
  int64_t bytes() const { return total; }

private:
  const Graph &graph;
  std::vector<uint64_t> lastGroup; ///< by storage: group that has counted it
  uint64_t group = 0;
  int64_t total = 0;
};

} // namespace

/// What one step, or the end, takes by itself.
static Floor floorOfSteps(const Graph &graph) {
  Floor floor{graph.constantBytes(), kNone};
  StorageSum sum(graph);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    sum.begin();
    for (TensorId t : graph.reads(n))
      sum.add(t);
    int64_t bytes = sum.bytes() + graph.ownedBytes(n) + graph.workspaceBytes(n);
    if (bytes > floor.bytes)
      floor = {bytes, n};
  }
  sum.begin();
  for (TensorId t : graph.graphOutputs())
    sum.add(t);
  if (sum.bytes() > floor.bytes)
    floor = {sum.bytes(), kNone};
  return floor;
}

/// Raises \p floor to what is certain at the first runs of some nodes.
static void raiseByMoments(const Graph &graph, Floor &floor) {
  Problem problem{graph, Objective::Flops,
                  std::vector<double>(graph.numNodes(), 0), 0};
  MomentAnalysis analysis(problem);
  auto bytesAt = [&](NodeId x, uint64_t &work) {
    Moment moment = analysis.at(x);
    MomentBound bound(moment, 0);
    int64_t bytes = bound.fewestBytes() - moment.capacityBytes;
    work += bound.work() + 8 * graph.numNodes();
    if (bytes > floor.bytes)
      floor = {bytes, x};
    return double(bytes);
  };
  std::vector<NodeId> path = longestPath(graph);
  bool areFew = graph.numNodes() <= kAllNodes;
  scanNodes(areFew ? graph.order() : llvm::ArrayRef<NodeId>(path),
            kScanWork + kScanWorkPerNode * graph.numNodes(),
            std::numeric_limits<double>::infinity(), bytesAt);
}

Floor peakFloor(const Graph &graph) {
  Floor floor = floorOfSteps(graph);
  bool runsOnce = llvm::any_of(
      graph.order(), [&](NodeId n) { return !graph.mayRecompute(n); });
  if (runsOnce && MomentBound::isSmallEnough(graph))
    raiseByMoments(graph, floor);
  return floor;
}

} // namespace reprise
