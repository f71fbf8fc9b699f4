// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step holds what it reads, what it makes and its workspace, whatever the
// rest of the plan does; the end holds the outputs. Each is below every peak.
//
//   logits [100] ──loss.b──> dlogits [100]      w [8], x [4] are constants
//   loss.b holds 12 + 100 + 100 = 212: no plan of this graph peaks lower
//
// Linear in the reads and the makings of all nodes.

#include "reprise/planner/Floor.h"

namespace reprise {

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

Floor peakFloor(const Graph &graph) {
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

} // namespace reprise
