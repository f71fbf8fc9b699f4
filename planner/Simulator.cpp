// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Simulator.h"
#include "reprise/graph/Error.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/Turn.h"

#include <algorithm>

namespace reprise {

namespace {

/// Which buffer each tensor lives in, and how many bytes all of them take.
class Residency {
public:
  explicit Residency(const Graph &graph)
      : graph(graph), bufferOf(graph.numTensors(), kNone),
        overwritten(graph.numConstants(), 0), live(graph.constantBytes()) {}

  bool isResident(TensorId t) const {
    return graph.isConstant(t) ? !overwritten[t] : bufferOf[t] != kNone;
  }
  int64_t liveBytes() const { return live; }

  /// Makes \p t resident after a run of its node.
  void make(TensorId t) {
    if (graph.storageUse(t) == StorageUse::InPlace) {
      takeOver(t, graph.base(t));
      return;
    }
    if (bufferOf[t] != kNone)
      return; // the new copy is dropped at the end of the step
    uint32_t buffer;
    if (graph.isConstantStorage(graph.storage(t))) {
      buffer = kCaller;
    } else if (graph.storageUse(t) == StorageUse::Alias) {
      buffer = bufferOf[graph.base(t)];
      ++holders[buffer];
    } else {
      buffer = holders.size();
      holders.push_back(1);
      bytes.push_back(graph.storageBytes(graph.storage(t)));
      live += bytes.back();
    }
    bufferOf[t] = buffer;
  }

  void release(TensorId t) {
    uint32_t buffer = bufferOf[t];
    bufferOf[t] = kNone;
    if (buffer != kCaller && --holders[buffer] == 0)
      live -= bytes[buffer];
  }

  /// How many tensors share the buffer of \p t; 1 for the caller's memory.
  uint32_t sharers(TensorId t) const {
    uint32_t buffer = graph.isConstant(t) ? kCaller : bufferOf[t];
    return buffer == kCaller ? 1 : holders[buffer];
  }

private:
  static constexpr uint32_t kCaller = kNone - 1;

  void takeOver(TensorId t, TensorId old) {
    if (graph.isConstant(old)) {
      overwritten[old] = 1;
      bufferOf[t] = kCaller;
      return;
    }
    bufferOf[t] = bufferOf[old];
    bufferOf[old] = kNone;
  }

  const Graph &graph;
  std::vector<uint32_t> bufferOf; ///< by tensor; kNone: not resident
  std::vector<uint8_t> overwritten;
  std::vector<uint32_t> holders; ///< by buffer: resident tensors in it
  std::vector<int64_t> bytes;    ///< by buffer
  int64_t live;
};

/// The legality of a step list, checked while it is replayed.
class Replay {
public:
  Replay(const Graph &graph, llvm::ArrayRef<double> costs)
      : graph(graph), costs(costs), residency(graph), ran(graph.numNodes(), 0) {
  }

  llvm::Error free(size_t k, TensorId t) {
    if (graph.isConstant(t) || !residency.isResident(t))
      return fail(k,
                  "free of " + graph.tensorName(t) + ", which is not resident");
    residency.release(t);
    result.usageBytes.push_back(residency.liveBytes());
    return llvm::Error::success();
  }

  llvm::Error run(size_t k, NodeId n, bool again) {
    if (llvm::Error e = checkRun(k, n, again))
      return e;
    if (ran[n])
      ++result.recomputedRuns;
    ran[n] = 1;
    addCost(costs[n]);
    int64_t usage =
        residency.liveBytes() + graph.ownedBytes(n) + graph.workspaceBytes(n);
    if (result.usageBytes.empty() || usage > result.peakBytes) {
      result.peakBytes = usage;
      result.peakStep = k;
    }
    result.usageBytes.push_back(usage);
    for (TensorId t : graph.outputs(n))
      if (t != kNone)
        residency.make(t);
    return llvm::Error::success();
  }

  llvm::Expected<Simulation> finish() {
    for (NodeId n = 0; n < ran.size(); ++n)
      if (!ran[n])
        return makeInputError("node " + graph.nodeName(n) + ": never runs");
    for (TensorId t : graph.graphOutputs())
      if (!residency.isResident(t) && !graph.isConstant(t))
        return makeInputError("output " + graph.tensorName(t) +
                              ": not resident at the end");
    result.peakBytes = std::max(result.peakBytes, graph.constantBytes());
    result.cost = sum + compensation;
    return std::move(result);
  }

private:
  llvm::Error fail(size_t k, const llvm::Twine &text) {
    return makeInputError("step " + llvm::Twine(k) + ": " + text);
  }

  llvm::Error checkRun(size_t k, NodeId n, bool again) {
    llvm::StringRef name = graph.nodeName(n);
    if (again != (ran[n] != 0))
      return fail(k, name + (again ? ": recomputed before its first run"
                                   : ": runs again, not as a recomputation"));
    if (again && !graph.mayRecompute(n))
      return fail(k, name + ": must not be recomputed");
    if (graph.isNever(n)) {
      if (anyNever && graph.position(n) < lastNever)
        return fail(k, name + ": out of the order of the nodes that must not "
                              "be recomputed");
      lastNever = graph.position(n);
      anyNever = true;
    }
    for (TensorId t : graph.inputs(n))
      if (t != kNone && !residency.isResident(t))
        return fail(k, name + " reads " + graph.tensorName(t) +
                           ", which is not resident");
    for (TensorId t : graph.outputs(n))
      if (t != kNone && graph.storageUse(t) == StorageUse::InPlace &&
          residency.sharers(graph.base(t)) > 1)
        return fail(k, name + " overwrites " + graph.tensorName(graph.base(t)) +
                           " while a view of it is resident");
    return llvm::Error::success();
  }

  /// Neumaier's summation: costs of very different sizes add up exactly
  /// enough for any order.
  void addCost(double cost) {
    double next = sum + cost;
    compensation += sum >= cost ? (sum - next) + cost : (cost - next) + sum;
    sum = next;
  }

  const Graph &graph;
  llvm::ArrayRef<double> costs;
  Residency residency;
  std::vector<uint8_t> ran;
  Simulation result;
  uint32_t lastNever = 0;
  bool anyNever = false;
  double sum = 0, compensation = 0;
};

} // namespace

llvm::Expected<Simulation>
simulate(const Graph &graph, llvm::ArrayRef<double> costs, const Plan &plan) {
  Replay replay(graph, costs);
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const Step &step = plan.steps[k];
    llvm::Error e = step.kind == Step::Free
                        ? replay.free(k, step.id)
                        : replay.run(k, step.id, step.kind == Step::Recompute);
    if (e)
      return e;
  }
  if (TensorId t = heldAcrossTurn(graph, runsOf(plan)); t != kNone)
    return makeInputError("tensor " + graph.tensorName(t) +
                          ": must not be kept for the backward pass");
  return replay.finish();
}

int64_t peakOfRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs) {
  Rows frees = freesAfterRuns(graph, runs);
  Residency residency(graph);
  int64_t peak = graph.constantBytes();
  for (size_t k = 0; k < runs.size(); ++k) {
    NodeId n = runs[k];
    peak = std::max(peak, residency.liveBytes() + graph.ownedBytes(n) +
                              graph.workspaceBytes(n));
    for (TensorId t : graph.outputs(n))
      if (t != kNone)
        residency.make(t);
    for (TensorId t : frees[k])
      residency.release(t);
  }
  return peak;
}

double costOfRuns(llvm::ArrayRef<double> costs, llvm::ArrayRef<NodeId> runs) {
  double sum = 0, compensation = 0;
  for (NodeId n : runs) {
    double next = sum + costs[n];
    compensation +=
        sum >= costs[n] ? (sum - next) + costs[n] : (costs[n] - next) + sum;
    sum = next;
  }
  return sum + compensation;
}

} // namespace reprise
