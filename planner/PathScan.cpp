// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/PathScan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace reprise {

/// Nodes that are tried at least.
static constexpr size_t kFirstNodes = 8;

namespace {

/// For each node the length of a longest path that ends there, and the node
/// before it on that path.
struct PathsTo {
  explicit PathsTo(const Graph &graph)
      : length(graph.numNodes(), 1), previous(graph.numNodes(), kNone) {
    for (NodeId n : graph.order())
      for (TensorId t : graph.reads(n)) {
        NodeId p = graph.producer(t);
        if (length[p] + 1 <= length[n])
          continue;
        length[n] = length[p] + 1;
        previous[n] = p;
      }
  }

  std::vector<NodeId> pathTo(NodeId end) const {
    std::vector<NodeId> path;
    for (NodeId n = end; n != kNone; n = previous[n])
      path.push_back(n);
    std::reverse(path.begin(), path.end());
    return path;
  }

  std::vector<uint32_t> length;
  std::vector<NodeId> previous;
};

} // namespace

std::vector<NodeId> longestPath(const Graph &graph) {
  PathsTo paths(graph);
  NodeId end = kNone;
  for (NodeId n : graph.order())
    if (end == kNone || paths.length[n] > paths.length[end])
      end = n;
  return paths.pathTo(end);
}

std::vector<NodeId> longestPathThrough(const Graph &graph, NodeId node) {
  std::vector<NodeId> path = PathsTo(graph).pathTo(node);
  std::vector<uint32_t> length(graph.numNodes(), 1);
  std::vector<NodeId> next(graph.numNodes(), kNone);
  for (NodeId n : llvm::reverse(graph.order()))
    for (TensorId t : graph.reads(n)) {
      NodeId p = graph.producer(t);
      if (length[n] + 1 <= length[p])
        continue;
      length[p] = length[n] + 1;
      next[p] = n;
    }
  for (NodeId n = next[node]; n != kNone; n = next[n])
    path.push_back(n);
  return path;
}

int64_t stepBytes(const Graph &graph, NodeId node) {
  int64_t bytes = graph.ownedBytes(node) + graph.workspaceBytes(node);
  llvm::SmallVector<StorageId, 8> read;
  for (TensorId t : graph.reads(node)) {
    StorageId s = graph.storage(t);
    if (graph.isConstantStorage(s) || llvm::is_contained(read, s))
      continue;
    read.push_back(s);
    bytes += graph.storageBytes(s);
  }
  return bytes;
}

std::vector<NodeId> sampleNodes(const Graph &graph, llvm::ArrayRef<NodeId> nodes,
                                size_t count,
                                llvm::ArrayRef<NodeId> kept) {
  if (nodes.size() <= count)
    return nodes.vec();
  std::vector<NodeId> chosen;
  for (size_t i = 0; i < count; ++i) {
    size_t begin = i * nodes.size() / count;
    size_t end = (i + 1) * nodes.size() / count;
    NodeId best = nodes[begin];
    int64_t bytes = -1;
    for (NodeId n : nodes.slice(begin, end - begin)) {
      int64_t mine = llvm::is_contained(kept, n) ? INT64_MAX : stepBytes(graph, n);
      if (mine <= bytes)
        continue;
      bytes = mine;
      best = n;
    }
    chosen.push_back(best);
  }
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
