// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/ExactModel.h"

namespace reprise {

ExactModel::ExactModel(const Problem &problem) {
  const Graph &graph = problem.graph;
  freeBytes = problem.budgetBytes - graph.constantBytes();
  addTensors(graph);
  addNodes(problem);
  orderNodes(graph);
}

void ExactModel::addTensors(const Graph &graph) {
  unsigned first = graph.numConstants();
  for (TensorId t = first; t < graph.numTensors(); ++t) {
    unsigned index = t - first;
    producers.push_back(graph.producer(t));
    TensorId base = graph.base(t);
    bool isView = graph.storageUse(t) == StorageUse::Alias;
    if (isView && base >= first) {
      groupOf.push_back(groupOf[base - first]);
    } else {
      groupOf.push_back(groups.size());
      ExactGroup &group = groups.emplace_back();
      group.root = index;
      StorageId s = graph.storage(t);
      group.bytes = graph.isConstantStorage(s) ? 0 : graph.storageBytes(s);
      if (group.bytes)
        addRoot(index);
    }
    groups[groupOf[index]].tensors |= bitOf(index);
    if (graph.mayRecompute(graph.producer(t)))
      recomputable |= bitOf(index);
    if (graph.isOutput(t))
      outputs |= bitOf(index);
  }
}

void ExactModel::addNodes(const Problem &problem) {
  const Graph &graph = problem.graph;
  unsigned first = graph.numConstants();
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    ExactNode &node = nodes.emplace_back();
    allNodes |= bitOf(n);
    for (TensorId t : graph.reads(n))
      node.reads |= bitOf(t - first);
    for (TensorId t : graph.inputs(n))
      if (t != kNone && graph.isConstant(t) && graph.overwriter(t) != kNone &&
          graph.overwriter(t) != n)
        node.blockers |= bitOf(graph.overwriter(t));
    for (TensorId t : graph.outputs(n))
      if (t != kNone)
        node.outputs |= bitOf(t - first);
    node.outputBytes = graph.ownedBytes(n);
    node.bytes = node.outputBytes + graph.workspaceBytes(n);
    node.cost = problem.costs[n];
    node.mayRecompute = graph.mayRecompute(n);
  }
}

void ExactModel::orderNodes(const Graph &graph) {
  unsigned first = graph.numConstants();
  BitSet128 neverBefore = 0;
  for (NodeId n : graph.order()) {
    ExactNode &node = nodes[n];
    if (graph.isNever(n)) {
      node.after |= neverBefore;
      neverBefore |= bitOf(n);
    }
    for (TensorId t : graph.outputs(n)) {
      if (t == kNone || graph.storageUse(t) != StorageUse::InPlace)
        continue;
      TensorId old = graph.base(t);
      BitSet128 dead = 0;
      if (old >= first)
        dead = groups[groupOf[old - first]].tensors;
      node.clears |= dead;
      for (NodeId u : graph.users(old))
        node.after |= bitOf(u);
      forEachBit(dead, [&](unsigned d) {
        for (NodeId u : graph.users(first + d))
          node.after |= bitOf(u);
      });
    }
    node.after &= ~bitOf(n);
  }
}

int64_t ExactModel::liveBytes(BitSet128 resident) const {
  int64_t bytes = 0;
  forEachBit(resident & roots,
             [&](unsigned t) { bytes += groups[groupOf[t]].bytes; });
  return bytes;
}

BitSet128 ExactModel::needed(BitSet128 executed) const {
  BitSet128 set = outputs;
  forEachBit(allNodes & ~executed, [&](unsigned n) { set |= nodes[n].reads; });
  return set;
}

BitSet128 ExactModel::useful(BitSet128 executed) const {
  BitSet128 set = needed(executed), pending = set;
  while (pending) {
    unsigned t = lowestBit(pending);
    pending &= pending - 1;
    if (!(recomputable & bitOf(t)))
      continue;
    BitSet128 more = nodes[producers[t]].reads & ~set;
    set |= more;
    pending |= more;
  }
  return set;
}

BitSet128 ExactModel::withRoots(BitSet128 tensors) const {
  BitSet128 set = tensors;
  forEachBit(tensors,
             [&](unsigned t) { set |= bitOf(groups[groupOf[t]].root); });
  return set;
}

} // namespace reprise
