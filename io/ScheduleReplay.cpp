// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state is one buffer per residency of a storage. A run of a node makes a
// new buffer for each output that owns its storage, a view joins the buffer of
// its base, an in-place output takes its base's place in the buffer:
//
//   run f      a -> buffer 0            held by a
//   run view   v on buffer 0            held by a, v
//   free a     buffer 0 lives on        held by v
//   run f      a -> buffer 1            v stays on buffer 0
//
// A buffer's bytes count until its last holder is freed. What lives in the
// caller's memory (graph inputs, initializers and views of them) is resident
// in no buffer.

#include "reprise/io/ScheduleReplay.h"

#include "llvm/ADT/StringMap.h"

#include <cmath>

namespace reprise {

std::vector<std::string> Findings::take() {
  if (suppressed > 0)
    messages.push_back("... and " + std::to_string(suppressed) + " more");
  return std::move(messages);
}

void CompensatedSum::add(double value) {
  double next = sum + value;
  if (std::fabs(sum) >= std::fabs(value))
    lost += (sum - next) + value;
  else
    lost += (value - next) + sum;
  sum = next;
}

namespace {

/// Values of Replay::bufferOf besides the numbers of buffers.
constexpr uint32_t kAbsent = UINT32_MAX;
constexpr uint32_t kCallers = UINT32_MAX - 1; ///< in the caller's memory

class Replay {
public:
  Replay(const Graph &graph, const ScheduleFile &file,
         llvm::ArrayRef<double> costs, Findings &findings);
  ReplayFigures run();

private:
  void freeTensor(size_t k, llvm::StringRef name);
  void runNode(size_t k, llvm::StringRef name);
  void checkRun(size_t k, NodeId n);
  void checkReads(size_t k, NodeId n);
  void placeOutput(size_t k, TensorId t);
  void overwrite(size_t k, TensorId t);
  void checkEnd();
  void fault(size_t k, const llvm::Twine &what) {
    findings.add("step " + llvm::Twine(k) + ": " + what);
  }

  const Graph &graph;
  const ScheduleFile &file;
  llvm::ArrayRef<double> costs;
  Findings &findings;

  llvm::StringMap<NodeId> nodeIds;
  llvm::StringMap<TensorId> tensorIds;
  std::vector<uint32_t> bufferOf;   ///< by tensor
  std::vector<uint32_t> runs;       ///< by node
  std::vector<uint8_t> overwritten; ///< by tensor: the caller's, now dead
  std::vector<uint32_t> holders;    ///< by buffer: tensors in it
  /// Wider than any schedule can fill: old residencies that views hold may
  /// come to more than the graph's bytes.
  __int128 liveBytes;
  bool anyRun = false;
  uint32_t neverPosition = 0; ///< 1 + order position of the last never-node
  CompensatedSum cost;
  ReplayFigures figures;
};

} // namespace

Replay::Replay(const Graph &graph, const ScheduleFile &file,
               llvm::ArrayRef<double> costs, Findings &findings)
    : graph(graph), file(file), costs(costs), findings(findings),
      bufferOf(graph.numTensors(), kAbsent), runs(graph.numNodes(), 0),
      overwritten(graph.numTensors(), 0), liveBytes(graph.constantBytes()) {
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    nodeIds.try_emplace(graph.nodeName(n), n);
  for (TensorId t = 0; t < graph.numTensors(); ++t) {
    tensorIds.try_emplace(graph.tensorName(t), t);
    if (graph.isConstant(t))
      bufferOf[t] = kCallers;
  }
  figures.peakBytes = graph.constantBytes();
}

void Replay::freeTensor(size_t k, llvm::StringRef name) {
  auto found = tensorIds.find(name);
  if (found == tensorIds.end())
    return fault(k, "free of '" + name + "', which the graph does not have");
  TensorId t = found->second;
  if (graph.isConstant(t))
    return fault(k,
                 "free of " + name + ", which is a graph input or initializer");
  uint32_t buffer = bufferOf[t];
  if (buffer == kAbsent)
    return fault(k, "free of " + name + ", which is not resident");
  bufferOf[t] = kAbsent;
  if (buffer == kCallers || --holders[buffer] > 0)
    return;
  Residency &residency = figures.residencies[buffer];
  residency.lastStep = k;
  liveBytes -= graph.storageBytes(graph.storage(residency.owner));
}

/// May the node run now, and is the step marked rightly?
void Replay::checkRun(size_t k, NodeId n) {
  llvm::StringRef name = graph.nodeName(n);
  bool isMarked = file.steps[k].isRecompute;
  if (isMarked && runs[n] == 0)
    fault(k, name + " is marked as a recomputation, but has not run before");
  if (!isMarked && runs[n] > 0)
    fault(k, name + " runs again without \"recompute\": true");
  if (runs[n] > 0) {
    ++figures.recomputedRuns;
    if (graph.isNever(n))
      fault(k, name + " must never be recomputed");
    else if (!graph.mayRecompute(n))
      fault(k, name + " writes in place and must not run again");
  } else if (graph.isNever(n)) {
    uint32_t position = graph.position(n) + 1;
    if (position < neverPosition)
      fault(k, name + " is out of the order of the nodes that must never be "
                      "recomputed");
    neverPosition = std::max(neverPosition, position);
  }
}

void Replay::checkReads(size_t k, NodeId n) {
  for (TensorId t : graph.inputs(n))
    if (t != kNone && bufferOf[t] == kAbsent)
      fault(k, graph.nodeName(n) + " reads " + graph.tensorName(t) +
                   ", which is " +
                   (overwritten[t] ? "overwritten" : "not resident"));
}

/// Moves the in-place output \p t to where its base lives.
void Replay::overwrite(size_t k, TensorId t) {
  TensorId base = graph.base(t);
  uint32_t buffer = bufferOf[base];
  if (buffer == kAbsent)
    return; // a missing input, told already
  if (graph.isConstant(base))
    overwritten[base] = 1;
  else if (buffer != kCallers && holders[buffer] > 1)
    fault(k, graph.nodeName(graph.producer(t)) + " overwrites " +
                 graph.tensorName(base) + " while a view of it is resident");
  bufferOf[base] = kAbsent;
  // A second run is a fault, but must not lose count of the first's buffer.
  if (bufferOf[t] != kAbsent && bufferOf[t] != kCallers)
    --holders[bufferOf[t]];
  bufferOf[t] = buffer;
}

void Replay::placeOutput(size_t k, TensorId t) {
  if (graph.storageUse(t) == StorageUse::InPlace)
    return overwrite(k, t);
  // Resident already: the new copy counted in the step and is dropped.
  if (bufferOf[t] != kAbsent)
    return;
  if (graph.storageUse(t) == StorageUse::Alias) {
    uint32_t buffer = bufferOf[graph.base(t)];
    // Of a missing input, told already, it is as good as the caller's.
    bufferOf[t] = buffer == kAbsent ? kCallers : buffer;
    if (bufferOf[t] != kCallers)
      ++holders[buffer];
    return;
  }
  bufferOf[t] = holders.size();
  holders.push_back(1);
  // Until a free says otherwise, it stays to the end.
  figures.residencies.push_back({t, k, file.steps.size() - 1});
  liveBytes += graph.storageBytes(graph.storage(t));
}

void Replay::runNode(size_t k, llvm::StringRef name) {
  auto found = nodeIds.find(name);
  if (found == nodeIds.end())
    return fault(k, "compute of '" + name + "', which the graph does not have");
  NodeId n = found->second;
  checkRun(k, n);
  checkReads(k, n);
  ++runs[n];
  cost.add(costs[n]);
  __int128 wanted = liveBytes + graph.ownedBytes(n) + graph.workspaceBytes(n);
  if (wanted > INT64_MAX)
    fault(k, "the memory in use overflows 64 bits");
  auto usage = static_cast<int64_t>(std::min<__int128>(wanted, INT64_MAX));
  if (usage > figures.peakBytes || !anyRun) {
    figures.peakBytes = std::max(usage, figures.peakBytes);
    figures.peakStep = k;
  }
  anyRun = true;
  for (TensorId t : graph.outputs(n))
    if (t != kNone)
      placeOutput(k, t);
}

void Replay::checkEnd() {
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (runs[n] == 0)
      findings.add("node " + graph.nodeName(n) + " never runs");
  for (TensorId t : graph.graphOutputs())
    if (bufferOf[t] == kAbsent && !graph.isConstant(t))
      findings.add("output " + graph.tensorName(t) +
                   " is not resident at the end");
}

ReplayFigures Replay::run() {
  for (size_t k = 0; k < file.steps.size(); ++k) {
    if (file.steps[k].kind == ScheduleStep::Free)
      freeTensor(k, file.stepNames[k]);
    else
      runNode(k, file.stepNames[k]);
  }
  checkEnd();
  figures.cost = cost.total();
  return std::move(figures);
}

ReplayFigures replaySchedule(const Graph &graph, const ScheduleFile &file,
                             llvm::ArrayRef<double> costs, Findings &findings) {
  return Replay(graph, file, costs, findings).run();
}

int64_t baselinePeakBytes(const Graph &graph) {
  // The storages that end with each node, counted by their last tensor: with
  // one run each, a storage lives from its owner to the last use of any of
  // its tensors.
  size_t count = graph.numStorages();
  std::vector<uint32_t> lastUse(count, 0);
  std::vector<uint8_t> staysToEnd(count, 0);
  auto touch = [&](TensorId t, uint32_t position) {
    if (t != kNone)
      lastUse[graph.storage(t)] = std::max(lastUse[graph.storage(t)], position);
  };
  for (uint32_t p = 0; p < graph.numNodes(); ++p) {
    for (TensorId t : graph.inputs(graph.order()[p]))
      touch(t, p);
    for (TensorId t : graph.outputs(graph.order()[p]))
      touch(t, p);
  }
  for (TensorId t : graph.graphOutputs())
    staysToEnd[graph.storage(t)] = 1;
  std::vector<int64_t> endingBytes(graph.numNodes(), 0);
  for (StorageId s = 0; s < count; ++s)
    if (!graph.isConstantStorage(s) && !staysToEnd[s])
      endingBytes[lastUse[s]] += graph.storageBytes(s);
  int64_t live = graph.constantBytes(), peak = live;
  for (uint32_t p = 0; p < graph.numNodes(); ++p) {
    NodeId n = graph.order()[p];
    live += graph.ownedBytes(n);
    peak = std::max(peak, live + graph.workspaceBytes(n));
    live -= endingBytes[p];
  }
  return peak;
}

} // namespace reprise
