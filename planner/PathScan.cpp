// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/PathScan.h"

#include <algorithm>

namespace reprise {

/// Nodes that are tried at least.
static constexpr size_t kFirstNodes = 8;

std::vector<NodeId> longestPath(const Graph &graph) {
  std::vector<uint32_t> depth(graph.numNodes(), 1);
  std::vector<NodeId> previous(graph.numNodes(), kNone);
  NodeId end = kNone;
  for (NodeId n : graph.order()) {
    for (TensorId t : graph.reads(n)) {
      NodeId p = graph.producer(t);
      if (depth[p] + 1 <= depth[n])
        continue;
      depth[n] = depth[p] + 1;
      previous[n] = p;
    }
    if (end == kNone || depth[n] > depth[end])
      end = n;
  }
  std::vector<NodeId> path;
  for (NodeId n = end; n != kNone; n = previous[n])
    path.push_back(n);
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<NodeId> sampleNodes(llvm::ArrayRef<NodeId> nodes, size_t count) {
  if (nodes.size() <= count)
    return nodes.vec();
  std::vector<NodeId> chosen;
  for (size_t i = 0; i < count; ++i)
    chosen.push_back(nodes[(2 * i + 1) * nodes.size() / (2 * count)]);
  return chosen;
}

namespace {

class NodeScan {
public:
  NodeScan(llvm::ArrayRef<NodeId> nodes, uint64_t maxWork, double target,
           NodeValue valueAt)
      : nodes(nodes), maxWork(maxWork), target(target), valueAt(valueAt),
        isTried(nodes.size(), 0) {}

  double run();

private:
  void tryAt(size_t i);
  bool isAffordable(size_t more) const;

  llvm::ArrayRef<NodeId> nodes;
  uint64_t maxWork;
  double target;
  NodeValue valueAt;
  std::vector<uint8_t> isTried;
  size_t count = 0, bestAt = 0;
  double best = 0;
  uint64_t work = 0;
};

} // namespace

void NodeScan::tryAt(size_t i) {
  if (i >= nodes.size() || isTried[i] || best >= target)
    return;
  isTried[i] = 1;
  ++count;
  double value = valueAt(nodes[i], work);
  if (value <= best)
    return;
  best = value;
  bestAt = i;
}

/// Within half of the work, going by what one has taken so far.
bool NodeScan::isAffordable(size_t more) const {
  return count == 0 || work + more * (work / count) < maxWork / 2;
}

double NodeScan::run() {
  size_t distance = std::max<size_t>(1, nodes.size() / kFirstNodes);
  for (; isAffordable(nodes.size() / distance); distance /= 2) {
    for (size_t i = distance / 2; i < nodes.size(); i += distance)
      tryAt(i);
    if (distance == 1)
      return best;
  }
  while (distance > 0 && work < maxWork && best < target) {
    size_t center = bestAt;
    tryAt(center + distance);
    tryAt(center - std::min(center, distance));
    if (bestAt == center)
      distance /= 2;
  }
  return best;
}

double scanNodes(llvm::ArrayRef<NodeId> nodes, uint64_t maxWork, double target,
                 NodeValue valueAt) {
  return NodeScan(nodes, maxWork, target, valueAt).run();
}

} // namespace reprise
