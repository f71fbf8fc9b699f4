// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes arrive in file order and may name tensors that are defined later, so
// the builder first interns names, and build() then
//
//   1. gives every node a name and checks that what is read is made,
//   2. sorts topologically (Kahn 1962; ties go to the file order),
//   3. renumbers tensors in that order and places them on storages,
//   4. adds up all bytes with overflow checks.
//
// Everything is linear in nodes + edges but the sort of a file that is not in
// topological order, which needs a heap.

#include "reprise/graph/GraphBuilder.h"
#include "reprise/graph/Error.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace reprise {

namespace {
enum TensorKind : uint8_t { Unseen, Input, Initializer, Produced };
} // namespace

uint32_t GraphBuilder::internTensor(llvm::StringRef name) {
  auto [it, isNew] = tensorIds.try_emplace(name, tensors.size());
  if (isNew) {
    tensors.emplace_back();
    keys.push_back(it->getKey());
    baseOf.push_back(kNone);
    useOf.push_back(StorageUse::Own);
  }
  return it->second;
}

static llvm::Error checkBytes(llvm::StringRef where, int64_t bytes) {
  if (bytes >= 0)
    return llvm::Error::success();
  return makeInputError(where +
                        ": memory: expected a non-negative integer, "
                        "got " +
                        llvm::Twine(bytes));
}

llvm::Error GraphBuilder::addInput(llvm::StringRef name, int64_t bytes) {
  if (llvm::Error e = checkBytes(("input " + name).str(), bytes))
    return e;
  uint32_t id = internTensor(name);
  if (tensors[id].kind == Initializer || tensors[id].kind == Input)
    return llvm::Error::success();
  if (tensors[id].kind == Produced)
    return makeInputError("node " + graph.nodeNames[tensors[id].producer] +
                          ": output: " + name + " is a graph input");
  tensors[id].kind = Input;
  tensors[id].bytes = bytes;
  inputIds.push_back(id);
  return llvm::Error::success();
}

llvm::Error GraphBuilder::addInitializer(llvm::StringRef name, int64_t bytes) {
  if (llvm::Error e = checkBytes(("initializer " + name).str(), bytes))
    return e;
  uint32_t id = internTensor(name);
  TensorInfo &info = tensors[id];
  if (info.kind == Initializer)
    return makeInputError("initializer " + name + ": duplicate name");
  if (info.kind == Produced)
    return makeInputError("node " + graph.nodeNames[info.producer] +
                          ": output: " + name + " is an initializer");
  if (info.kind == Input)
    inputIds.erase(std::find(inputIds.begin(), inputIds.end(), id));
  info.kind = Initializer;
  info.bytes = bytes;
  initializerIds.push_back(id);
  return llvm::Error::success();
}

llvm::Error GraphBuilder::addOutput(llvm::StringRef name) {
  if (name.empty())
    return makeInputError("output: a tensor without a name");
  outputIds.push_back(internTensor(name));
  return llvm::Error::success();
}

void GraphBuilder::setTensorBytes(llvm::StringRef name, int64_t bytes) {
  uint32_t id = internTensor(name);
  if (tensors[id].kind == Unseen || tensors[id].kind == Produced)
    tensors[id].bytes = bytes;
}

void GraphBuilder::setTensorUnsized(llvm::StringRef name,
                                    llvm::StringRef reason) {
  unsized.try_emplace(name, reason.str());
}

/// Name of a node for messages, before defaults are chosen.
static std::string label(llvm::StringRef name, size_t index) {
  if (!name.empty())
    return ("node " + name).str();
  return ("node node" + llvm::Twine(index)).str();
}

static llvm::Error checkFigures(llvm::StringRef where,
                                const NodeDescription &node) {
  if (node.opType.empty())
    return makeInputError(where + ": opType: missing");
  auto bad = [](const std::optional<double> &v) {
    return v && !(std::isfinite(*v) && *v >= 0);
  };
  if (bad(node.flops))
    return makeInputError(where + ": flops: expected a non-negative number");
  if (bad(node.seconds))
    return makeInputError(where + ": time: expected a non-negative number");
  if (node.workspaceBytes < 0)
    return makeInputError(where +
                          ": workspace: expected a non-negative "
                          "integer, got " +
                          llvm::Twine(node.workspaceBytes));
  if (!node.bytes.empty() && node.bytes.size() != node.outputs.size())
    return makeInputError(
        where + ": memory: " + llvm::Twine(node.bytes.size()) +
        " entries for " + llvm::Twine(node.outputs.size()) + " outputs");
  for (int64_t bytes : node.bytes)
    if (llvm::Error e = checkBytes(where, bytes))
      return e;
  return llvm::Error::success();
}

llvm::Error GraphBuilder::declareOutputs(NodeId n,
                                         const NodeDescription &node) {
  std::string where = label(node.name, n);
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    llvm::StringRef name = node.outputs[i];
    slotBytes.push_back(node.bytes.empty() ? -1 : node.bytes[i]);
    if (name.empty()) {
      rawOutputs.append(kNone);
      continue;
    }
    uint32_t id = internTensor(name);
    TensorInfo &info = tensors[id];
    if (info.kind == Input || info.kind == Initializer)
      return makeInputError(where + ": output: " + name +
                            " is a graph input or initializer");
    if (info.kind == Produced)
      return makeInputError(
          where + ": output: " + name + " is already produced by " +
          label(graph.nodeNames[info.producer], info.producer));
    info.kind = Produced;
    info.producer = n;
    rawOutputs.append(id);
  }
  rawOutputs.endRow();
  return llvm::Error::success();
}

llvm::Error GraphBuilder::addNode(const NodeDescription &node) {
  NodeId n = graph.nodeNames.size();
  std::string where = label(node.name, n);
  if (n == kNone - 1)
    return makeInputError(where + ": too many nodes");
  if (llvm::Error e = checkFigures(where, node))
    return e;
  if (!node.name.empty()) {
    auto [it, isNew] = nodeIds.try_emplace(node.name, n);
    if (!isNew)
      return makeInputError(
          where + ": name: duplicate: nodes " + llvm::Twine(it->second) + " (" +
          graph.opTypeNames[graph.opTypes[it->second]] + ") and " +
          llvm::Twine(n) + " (" + node.opType + ") of the file");
  } else {
    anyUnnamed = true;
  }
  graph.nodeNames.push(node.name);
  auto [op, newOp] = opTypeIds.try_emplace(node.opType, opTypeIds.size());
  if (newOp)
    graph.opTypeNames.push(node.opType);
  graph.opTypes.push_back(op->second);
  for (llvm::StringRef name : node.inputs)
    rawInputs.append(name.empty() ? kNone : internTensor(name));
  rawInputs.endRow();
  if (llvm::Error e = declareOutputs(n, node))
    return e;

  auto place = [&](const std::pair<llvm::StringRef, llvm::StringRef> &pair,
                   llvm::StringRef field, StorageUse use) -> llvm::Error {
    auto [output, input] = pair;
    if (output.empty() || !llvm::is_contained(node.outputs, output))
      return makeInputError(where + ": " + field + ": '" + output +
                            "' is not an output of the node");
    if (input.empty() || !llvm::is_contained(node.inputs, input))
      return makeInputError(where + ": " + field + ": '" + input +
                            "' is not an input of the node");
    uint32_t id = internTensor(output);
    if (useOf[id] != StorageUse::Own)
      return makeInputError(where + ": " + field + ": '" + output +
                            "' has its storage already");
    useOf[id] = use;
    baseOf[id] = internTensor(input);
    return llvm::Error::success();
  };
  for (const auto &pair : node.alias)
    if (llvm::Error e = place(pair, "alias", StorageUse::Alias))
      return e;
  for (const auto &pair : node.inplace)
    if (llvm::Error e = place(pair, "inplace", StorageUse::InPlace))
      return e;

  graph.flopsOf.push_back(node.flops.value_or(0));
  graph.secondsOf.push_back(node.seconds.value_or(-1));
  allTimed &= node.seconds.has_value();
  graph.workspaces.push_back(node.workspaceBytes);
  graph.phases.push_back(node.phase);
  graph.training |= node.phase == Phase::Backward;
  bool never = node.recompute == RecomputeRule::Never;
  graph.nevers.push_back(never);
  bool once = never || node.recompute == RecomputeRule::Once;
  graph.mayRecomputes.push_back(!once && node.inplace.empty());
  graph.turnDrops.push_back(node.recompute == RecomputeRule::DropAtTurn);
  return llvm::Error::success();
}

llvm::Error GraphBuilder::nameNodes() {
  if (!anyUnnamed)
    return llvm::Error::success();
  Names named;
  for (NodeId n = 0; n < graph.nodeNames.size(); ++n) {
    std::string name = graph.nodeNames[n].str();
    if (name.empty()) {
      name = ("node" + llvm::Twine(n)).str();
      while (nodeIds.count(name))
        name += '_';
    }
    named.push(name);
  }
  graph.nodeNames = std::move(named);
  return llvm::Error::success();
}

/// Everything that is read is made, and everything made has a size.
llvm::Error GraphBuilder::linkNodes() {
  size_t slot = 0;
  for (NodeId n = 0; n < numNodes(); ++n) {
    for (uint32_t t : rawInputs[n])
      if (t != kNone && tensors[t].kind == Unseen)
        return makeInputError("node " + graph.nodeNames[n] +
                              ": input: " + keys[t] + " is never produced");
    for (uint32_t t : rawOutputs[n]) {
      int64_t bytes = slotBytes[slot++];
      if (t == kNone)
        continue;
      if (useOf[t] != StorageUse::Own) {
        tensors[t].bytes = 0;
        continue;
      }
      if (bytes >= 0)
        tensors[t].bytes = bytes;
      if (tensors[t].bytes >= 0)
        continue;
      auto reason = unsized.find(keys[t]);
      return makeInputError(
          "node " + graph.nodeNames[n] + ": memory: tensor " + keys[t] + ": " +
          (reason == unsized.end()
               ? "neither memory nor a shape with an element type"
               : reason->second));
    }
  }
  for (uint32_t t : outputIds)
    if (tensors[t].kind == Unseen)
      return makeInputError("output " + keys[t] + ": never produced");
  return llvm::Error::success();
}

/// Groups the tensors that share a storage until it is overwritten: the root
/// of each is what its chain of views starts at.
static std::vector<uint32_t> viewRoots(llvm::ArrayRef<uint32_t> baseOf,
                                       llvm::ArrayRef<StorageUse> useOf) {
  std::vector<uint32_t> root(baseOf.size(), kNone);
  std::vector<uint32_t> chain;
  for (uint32_t t = 0; t < baseOf.size(); ++t) {
    uint32_t at = t;
    chain.clear();
    // A cycle of views is a cycle of nodes: the sort reports it.
    while (root[at] == kNone && useOf[at] == StorageUse::Alias &&
           chain.size() <= baseOf.size()) {
      chain.push_back(at);
      at = baseOf[at];
    }
    uint32_t top = root[at] == kNone ? at : root[at];
    root[at] = top;
    for (uint32_t c : chain)
      root[c] = top;
  }
  return root;
}

/// A node on a cycle, found by walking back over unfinished predecessors.
static NodeId findCycle(const std::vector<std::vector<NodeId>> &before,
                        llvm::ArrayRef<uint32_t> left) {
  NodeId at = 0;
  while (!left[at])
    ++at;
  std::vector<uint8_t> seen(left.size());
  while (!seen[at]) {
    seen[at] = 1;
    for (NodeId p : before[at])
      if (left[p]) {
        at = p;
        break;
      }
  }
  return at;
}

llvm::Error GraphBuilder::sortNodes() {
  size_t count = numNodes();
  std::vector<std::pair<NodeId, NodeId>> extra; // overwriter after reader
  std::vector<uint32_t> overwriterOfRoot;
  if (llvm::is_contained(useOf, StorageUse::InPlace)) {
    std::vector<uint32_t> root = viewRoots(baseOf, useOf);
    overwriterOfRoot.assign(tensors.size(), kNone);
    for (uint32_t t = 0; t < tensors.size(); ++t) {
      if (useOf[t] != StorageUse::InPlace)
        continue;
      uint32_t &slot = overwriterOfRoot[root[baseOf[t]]];
      if (slot != kNone)
        return makeInputError("node " + graph.nodeNames[tensors[t].producer] +
                              ": inplace: " + keys[baseOf[t]] +
                              " is overwritten by node " +
                              graph.nodeNames[slot] + " as well");
      slot = tensors[t].producer;
    }
    for (NodeId n = 0; n < count; ++n)
      for (uint32_t t : rawInputs[n])
        if (t != kNone && overwriterOfRoot[root[t]] != kNone &&
            overwriterOfRoot[root[t]] != n)
          extra.push_back({overwriterOfRoot[root[t]], n});
    for (uint32_t t : outputIds)
      if (overwriterOfRoot[root[t]] != kNone && tensors[t].kind == Produced)
        return makeInputError("output " + keys[t] + ": overwritten by node " +
                              graph.nodeNames[overwriterOfRoot[root[t]]]);
  }

  bool sorted = true;
  for (NodeId n = 0; n < count && sorted; ++n)
    for (uint32_t t : rawInputs[n])
      sorted &=
          t == kNone || tensors[t].kind != Produced || tensors[t].producer < n;
  for (auto [after, before] : extra)
    sorted &= before < after;
  graph.topological.resize(count);
  if (sorted) {
    for (NodeId n = 0; n < count; ++n)
      graph.topological[n] = n;
    return llvm::Error::success();
  }

  std::vector<std::vector<NodeId>> before(count), after(count);
  for (NodeId n = 0; n < count; ++n)
    for (uint32_t t : rawInputs[n])
      if (t != kNone && tensors[t].kind == Produced)
        before[n].push_back(tensors[t].producer);
  for (auto [late, early] : extra)
    before[late].push_back(early);
  std::vector<uint32_t> left(count);
  for (NodeId n = 0; n < count; ++n) {
    llvm::sort(before[n]);
    before[n].erase(std::unique(before[n].begin(), before[n].end()),
                    before[n].end());
    left[n] = before[n].size();
    for (NodeId p : before[n])
      after[p].push_back(n);
  }
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<NodeId>> ready;
  for (NodeId n = 0; n < count; ++n)
    if (!left[n])
      ready.push(n);
  size_t done = 0;
  while (!ready.empty()) {
    NodeId n = ready.top();
    ready.pop();
    graph.topological[done++] = n;
    for (NodeId u : after[n])
      if (--left[u] == 0)
        ready.push(u);
  }
  if (done == count)
    return llvm::Error::success();
  return makeInputError("node " + graph.nodeNames[findCycle(before, left)] +
                        ": input: the node is on a cycle");
}

/// TensorIds: initializers, inputs, then what nodes make, in order.
llvm::Error GraphBuilder::numberTensors() {
  remap.assign(tensors.size(), kNone);
  auto add = [&](uint32_t id) {
    remap[id] = graph.tensorNames.size();
    graph.tensorNames.push(keys[id]);
    graph.producers.push_back(tensors[id].producer);
  };
  for (uint32_t id : initializerIds)
    add(id);
  graph.initializerCount = graph.tensorNames.size();
  for (uint32_t id : inputIds)
    add(id);
  graph.constantCount = graph.tensorNames.size();
  for (NodeId n : graph.topological)
    for (uint32_t id : rawOutputs[n])
      if (id != kNone)
        add(id);

  size_t count = graph.tensorNames.size();
  graph.outputFlags.assign(count, 0);
  for (uint32_t id : outputIds) {
    TensorId t = remap[id];
    if (!graph.outputFlags[t])
      graph.outputList.push_back(t);
    graph.outputFlags[t] = 1;
  }
  graph.uses.resize(count);
  graph.bases.assign(count, kNone);
  graph.overwriters.assign(count, kNone);
  for (uint32_t id = 0; id < tensors.size(); ++id) {
    TensorId t = remap[id];
    if (t == kNone)
      continue;
    graph.uses[t] = useOf[id];
    if (useOf[id] != StorageUse::Own)
      graph.bases[t] = remap[baseOf[id]];
    if (useOf[id] == StorageUse::InPlace)
      graph.overwriters[remap[baseOf[id]]] = tensors[id].producer;
  }
  return llvm::Error::success();
}

llvm::Error GraphBuilder::placeStorages() {
  size_t count = graph.tensorNames.size();
  graph.storages.resize(count);
  std::vector<int64_t> bytesOf(count);
  for (uint32_t id = 0; id < tensors.size(); ++id)
    if (remap[id] != kNone)
      bytesOf[remap[id]] = tensors[id].bytes;
  // TensorIds are topological, so that a base comes before its views.
  for (TensorId t = 0; t < count; ++t) {
    if (graph.uses[t] == StorageUse::Own) {
      graph.storages[t] = graph.storageBytesOf.size();
      graph.storageBytesOf.push_back(bytesOf[t]);
    } else {
      graph.storages[t] = graph.storages[graph.bases[t]];
    }
  }
  std::vector<uint32_t> fill(graph.storageBytesOf.size() + 1, 0);
  for (TensorId t = 0; t < count; ++t)
    ++fill[graph.storages[t] + 1];
  for (size_t s = 1; s < fill.size(); ++s)
    fill[s] += fill[s - 1];
  std::vector<TensorId> sorted(count);
  std::vector<uint32_t> next(fill.begin(), fill.end());
  for (TensorId t = 0; t < count; ++t)
    sorted[next[graph.storages[t]]++] = t;
  for (size_t s = 0; s + 1 < fill.size(); ++s)
    graph.storageTensors.push(
        llvm::makeArrayRef(sorted).slice(fill[s], fill[s + 1] - fill[s]));

  size_t nodes = numNodes();
  graph.positions.resize(nodes);
  for (uint32_t p = 0; p < nodes; ++p)
    graph.positions[graph.topological[p]] = p;
  std::vector<uint32_t> stamp(count, kNone), producerStamp(nodes, kNone);
  for (NodeId n = 0; n < nodes; ++n) {
    for (uint32_t id : rawInputs[n]) {
      TensorId t = id == kNone ? kNone : remap[id];
      graph.nodeInputs.append(t);
      if (t == kNone || stamp[t] == n || graph.isConstant(t))
        continue;
      stamp[t] = n;
      graph.nodeReads.append(t);
      NodeId p = graph.producers[t];
      if (producerStamp[p] != n)
        ++graph.edges;
      producerStamp[p] = n;
    }
    graph.nodeInputs.endRow();
    graph.nodeReads.endRow();
    for (uint32_t id : rawOutputs[n])
      graph.nodeOutputs.append(id == kNone ? kNone : remap[id]);
    graph.nodeOutputs.endRow();
  }
  std::fill(stamp.begin(), stamp.end(), kNone);
  std::vector<uint64_t> starts(count + 1, 0);
  for (NodeId n : graph.topological)
    for (TensorId t : graph.nodeInputs[n])
      if (t != kNone && stamp[t] != n) {
        stamp[t] = n;
        ++starts[t + 1];
      }
  for (size_t t = 1; t <= count; ++t)
    starts[t] += starts[t - 1];
  std::vector<NodeId> readers(starts[count]);
  std::vector<uint64_t> at(starts.begin(), starts.end());
  std::fill(stamp.begin(), stamp.end(), kNone);
  for (NodeId n : graph.topological)
    for (TensorId t : graph.nodeInputs[n])
      if (t != kNone && stamp[t] != n) {
        stamp[t] = n;
        readers[at[t]++] = n;
      }
  for (size_t t = 0; t < count; ++t)
    graph.tensorUsers.push(llvm::makeArrayRef(readers).slice(
        starts[t], starts[t + 1] - starts[t]));
  return llvm::Error::success();
}

llvm::Error GraphBuilder::sumBytes() {
  int64_t total = 0;
  auto add = [&](int64_t bytes) {
    return llvm::AddOverflow(total, bytes, total);
  };
  bool overflow = false;
  for (StorageId s = 0; s < graph.storageBytesOf.size(); ++s) {
    overflow |= add(graph.storageBytesOf[s]) != 0;
    if (s + 1 == graph.constantCount)
      graph.constantTotal = total;
  }
  for (int64_t bytes : graph.workspaces)
    overflow |= add(bytes) != 0;
  if (overflow)
    return makeInputError("graph: memory: the sum of all bytes overflows 64 "
                          "bits");
  graph.ownedBytesOf.assign(numNodes(), 0);
  for (TensorId t = graph.constantCount; t < graph.numTensors(); ++t)
    if (graph.uses[t] == StorageUse::Own)
      graph.ownedBytesOf[graph.producers[t]] +=
          graph.storageBytesOf[graph.storages[t]];
  double flops = 0, seconds = 0;
  for (NodeId n = 0; n < numNodes(); ++n) {
    flops += graph.flopsOf[n];
    seconds += std::max(0.0, graph.secondsOf[n]);
  }
  if (!std::isfinite(flops) || !std::isfinite(seconds))
    return makeInputError("graph: flops: the sum of all costs is not finite");
  return llvm::Error::success();
}

llvm::Error GraphBuilder::findTurn() {
  auto isForward = [&](TensorId t) {
    return graph.phase(graph.producer(t)) == Phase::Forward;
  };
  auto isTurn = [&](NodeId n) {
    return graph.phase(n) == Phase::Backward &&
           llvm::any_of(graph.reads(n), isForward);
  };
  const NodeId *turn = llvm::find_if(graph.order(), isTurn);
  if (turn == graph.order().end())
    return llvm::Error::success();
  graph.turnNode = *turn;
  for (StorageId s = graph.constantCount; s < graph.numStorages(); ++s) {
    TensorId owner = graph.tensorsOn(s).front();
    if (!graph.dropsAtTurn(graph.producer(owner)) || !isForward(owner))
      continue;
    if (llvm::all_of(graph.tensorsOn(s), [&](TensorId t) {
          return graph.mayRecompute(graph.producer(t)) && !graph.isOutput(t);
        }))
      graph.turnStorages.push_back(s);
  }
  return llvm::Error::success();
}

llvm::Expected<Graph> GraphBuilder::build() {
  for (auto step : {&GraphBuilder::nameNodes, &GraphBuilder::linkNodes,
                    &GraphBuilder::sortNodes, &GraphBuilder::numberTensors,
                    &GraphBuilder::placeStorages, &GraphBuilder::sumBytes,
                    &GraphBuilder::findTurn})
    if (llvm::Error e = (this->*step)())
      return e;
  graph.timed = allTimed && numNodes() > 0;
  Graph built = std::move(graph);
  *this = GraphBuilder();
  return built;
}

} // namespace reprise
