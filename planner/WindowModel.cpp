// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/WindowModel.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace reprise {

WindowModel::WindowModel(const Problem &problem, llvm::ArrayRef<NodeId> runs,
                         size_t from, size_t to)
    : problem(problem), graph(problem.graph), runs(runs),
      window(runs.slice(from, to - from)), from(from), to(to) {
  for (NodeId n : window)
    for (TensorId t : graph.outputs(n))
      if (t != kNone && graph.storageUse(t) == StorageUse::InPlace)
        return;
  findResidents();
  usable = addTouched() && addProducers();
  if (usable) {
    addGroups();
    closeModel();
  }
}

/// What is there before and what has to be there behind the window: of each
/// tensor, whether its next event from there on is a read.
void WindowModel::findResidents() {
  ranBefore.assign(graph.numNodes(), 0);
  for (NodeId n : runs.take_front(from))
    ranBefore[n] = 1;
  std::vector<uint8_t> next(graph.numTensors(), Neither);
  for (TensorId t : graph.graphOutputs())
    next[t] = ReadNext;
  auto walkBack = [&](llvm::ArrayRef<NodeId> part) {
    for (NodeId n : llvm::reverse(part)) {
      for (TensorId t : graph.outputs(n))
        if (t != kNone)
          next[t] = MadeNext;
      for (TensorId t : graph.reads(n))
        next[t] = ReadNext;
    }
  };
  auto readNext = [&] {
    std::vector<uint8_t> result(graph.numTensors(), 0);
    for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t)
      result[t] = next[t] == ReadNext;
    return result;
  };
  walkBack(runs.drop_front(to));
  wanted = readNext();
  walkBack(window);
  resident = readNext();
}

/// The tensor whose buffer \p t lives in, a view of it or itself.
TensorId WindowModel::rootOf(TensorId t) const {
  while (graph.storageUse(t) == StorageUse::Alias)
    t = graph.base(t);
  return t;
}

/// Adds \p t and what it is a view of. False when there are too many.
bool WindowModel::addTensor(TensorId t) {
  while (true) {
    if (isMade(t) && tensorIndex.try_emplace(t, tensorIds.size()).second)
      tensorIds.push_back(t);
    if (!isMade(t) || graph.storageUse(t) != StorageUse::Alias)
      break;
    t = graph.base(t);
  }
  return tensorIds.size() <= kOptimalMaxSize;
}

/// All that the window reads or makes, and what the remaking of that reads and
/// is there.
bool WindowModel::addTouched() {
  for (NodeId n : window) {
    for (TensorId t : graph.reads(n))
      if (!addTensor(t))
        return false;
    for (TensorId t : graph.outputs(n))
      if (t != kNone && !addTensor(t))
        return false;
  }
  for (size_t i = 0, touched = tensorIds.size(); i < touched; ++i) {
    NodeId producer = graph.producer(tensorIds[i]);
    if (!graph.mayRecompute(producer) ||
        !llvm::all_of(graph.reads(producer), [&](TensorId t) {
          return !isMade(t) || isResident(t) || tensorIndex.count(t);
        }))
      continue;
    for (TensorId t : graph.reads(producer))
      if (!addTensor(t))
        return false;
  }
  return true;
}

/// The nodes of the window, and the makers of what else is touched: those can
/// run as well where their inputs are in the model.
bool WindowModel::addProducers() {
  for (NodeId n : window)
    if (!nodeIndex.count(n) && !addNode(n, /*isRunnable=*/true))
      return false;
  for (size_t i = 0; i < tensorIds.size(); ++i) {
    NodeId n = graph.producer(tensorIds[i]);
    if (nodeIndex.count(n))
      continue;
    bool isRunnable =
        graph.mayRecompute(n) && llvm::all_of(graph.reads(n), [&](TensorId t) {
          return !isMade(t) || tensorIndex.count(t);
        });
    if (!addNode(n, isRunnable))
      return false;
  }
  return true;
}

bool WindowModel::addNode(NodeId n, bool isRunnable) {
  if (nodeIds.size() == kOptimalMaxSize)
    return false;
  unsigned index = nodeIds.size();
  nodeIndex[n] = index;
  nodeIds.push_back(n);
  ExactNode &node = model.nodes.emplace_back();
  node.cost = problem.costs[n];
  node.outputBytes = graph.ownedBytes(n);
  node.bytes = node.outputBytes + graph.workspaceBytes(n);
  node.mayRecompute = isRunnable && graph.mayRecompute(n);
  model.allNodes |= bitOf(index);
  for (TensorId t : graph.outputs(n))
    if (t != kNone && tensorIndex.count(t))
      node.outputs |= bitOf(tensorIndex[t]);
  if (isRunnable)
    for (TensorId t : graph.reads(n))
      if (isMade(t))
        node.reads |= bitOf(tensorIndex[t]);
  // What overwrites a constant that it reads has run, or does so later on.
  for (TensorId t : graph.inputs(n))
    if (t != kNone && graph.isConstant(t) && graph.overwriter(t) != kNone &&
        graph.overwriter(t) != n && ranBefore[graph.overwriter(t)])
      node.mayRecompute = false;
  if (ranBefore[n])
    start.executed |= bitOf(index);
  return true;
}

void WindowModel::addGroups() {
  llvm::DenseMap<TensorId, unsigned> groups;
  for (unsigned i = 0; i < tensorIds.size(); ++i) {
    TensorId t = tensorIds[i], root = rootOf(t);
    model.producers.push_back(nodeIndex[graph.producer(t)]);
    auto [it, isNew] = groups.try_emplace(root, model.groups.size());
    model.groupOf.push_back(it->second);
    if (isNew) {
      ExactGroup &group = model.groups.emplace_back();
      StorageId s = graph.storage(t);
      group.bytes = graph.isConstantStorage(s) ? 0 : graph.storageBytes(s);
      group.root = isMade(root) ? tensorIndex[root] : i;
      if (group.bytes)
        model.addRoot(group.root);
    }
    model.groups[it->second].tensors |= bitOf(i);
    if (model.nodes[model.producers[i]].mayRecompute)
      model.recomputable |= bitOf(i);
    if (isResident(t))
      start.resident |= bitOf(i);
    if (wanted[t])
      model.outputs |= bitOf(i);
  }
  start.resident = model.withRoots(start.resident);
}

/// What is left of the budget, the order of `never` nodes, and what the window
/// costs as it is.
void WindowModel::closeModel() {
  model.freeBytes = problem.budgetBytes - graph.constantBytes();
  llvm::DenseSet<StorageId> counted;
  for (TensorId t : tensorIds)
    counted.insert(graph.storage(t));
  for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t) {
    StorageId s = graph.storage(t);
    if (isResident(t) && !graph.isConstantStorage(s) &&
        counted.insert(s).second)
      model.freeBytes -= graph.storageBytes(s);
  }
  BitSet128 nevers = 0, ran = start.executed;
  for (NodeId n : window) {
    BitSet128 bit = bitOf(nodeIndex[n]);
    if (ran & bit) {
      upper.cost += problem.costs[n];
      ++upper.runs;
    }
    ran |= bit;
    if (!graph.isNever(n))
      continue;
    model.nodes[nodeIndex[n]].after = nevers;
    nevers |= bit;
  }
}

std::optional<RunSequence> WindowModel::solve(const OptimalLimits &limits,
                                              uint64_t &work) const {
  ExactSearch search(model, start, limits, upper);
  search.run();
  work += search.workDone();
  if (!search.found)
    return std::nullopt;
  RunSequence result;
  for (NodeId n : *search.found)
    result.push_back(nodeIds[n]);
  return result;
}

} // namespace reprise
