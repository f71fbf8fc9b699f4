// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/PlanArena.h"

#include "reprise/graph/Error.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

namespace reprise {

namespace {

/// Replays a plan and notes from when to when each storage is in memory.
class StayRecorder {
public:
  StayRecorder(const Graph &graph, PlanArena &arena)
      : graph(graph), arena(arena), bufferOf(graph.numTensors(), kNone) {}

  void run(const Plan &plan);

private:
  void runNode(uint64_t step, NodeId n);
  void makeOutput(uint64_t step, TensorId t);
  void release(uint64_t step, TensorId t);
  uint32_t begin(uint64_t step, TensorId t) {
    arena.buffers.push_back(
        {t, step, step, 0, graph.storageBytes(graph.storage(t))});
    holders.push_back(1);
    return holders.size() - 1;
  }

  const Graph &graph;
  PlanArena &arena;
  std::vector<uint32_t> bufferOf; ///< by tensor; kNone: not in the arena
  std::vector<uint32_t> holders;  ///< by buffer: tensors in it
};

} // namespace

void StayRecorder::makeOutput(uint64_t step, TensorId t) {
  TensorId base = graph.base(t);
  if (graph.isConstantStorage(graph.storage(t)))
    return;
  if (graph.storageUse(t) == StorageUse::InPlace) {
    bufferOf[t] = bufferOf[base];
    bufferOf[base] = kNone;
  } else if (bufferOf[t] != kNone) {
    // The second copy of what is resident is dropped when the step ends.
    if (graph.storageUse(t) == StorageUse::Own)
      holders[begin(step, t)] = 0;
  } else if (graph.storageUse(t) == StorageUse::Alias) {
    bufferOf[t] = bufferOf[base];
    ++holders[bufferOf[t]];
  } else {
    bufferOf[t] = begin(step, t);
  }
}

void StayRecorder::runNode(uint64_t step, NodeId n) {
  for (TensorId t : graph.outputs(n))
    if (t != kNone)
      makeOutput(step, t);
  if (graph.workspaceBytes(n) > 0)
    arena.workspaces.push_back({n, step, 0, graph.workspaceBytes(n)});
}

void StayRecorder::release(uint64_t step, TensorId t) {
  uint32_t buffer = bufferOf[t];
  bufferOf[t] = kNone;
  // The step of the free itself does not need the bytes any more.
  if (buffer != kNone && --holders[buffer] == 0)
    arena.buffers[buffer].lastStep = step - 1;
}

void StayRecorder::run(const Plan &plan) {
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const Step &step = plan.steps[k];
    if (step.kind == Step::Free)
      release(k, step.id);
    else
      runNode(k, step.id);
  }
  for (size_t b = 0; b < holders.size(); ++b)
    if (holders[b] > 0)
      arena.buffers[b].lastStep = plan.steps.size() - 1;
}

llvm::Expected<PlanArena> layOutPlan(const Graph &graph, const Plan &plan,
                                     int64_t alignment,
                                     const ArenaOptions &options) {
  PlanArena arena;
  arena.alignment = alignment;
  StayRecorder(graph, arena).run(plan);

  // Sizes that are multiples of the alignment lead to offsets that are.
  constexpr int64_t kTooMany = std::numeric_limits<int64_t>::max();
  int64_t totalBytes = 0;
  std::vector<ArenaBuffer> buffers;
  auto add = [&](uint64_t first, uint64_t last, int64_t bytes) {
    ArenaBuffer buffer;
    buffer.lower = static_cast<int64_t>(first);
    buffer.upper = static_cast<int64_t>(last) + 1;
    buffer.bytes = static_cast<int64_t>(
        llvm::alignTo(static_cast<uint64_t>(bytes), alignment));
    if (buffer.bytes < 0 ||
        __builtin_add_overflow(totalBytes, buffer.bytes, &totalBytes))
      totalBytes = kTooMany;
    buffer.persists = last + 1 == plan.steps.size();
    buffers.push_back(buffer);
  };
  for (const PlanArena::Buffer &buffer : arena.buffers)
    add(buffer.firstStep, buffer.lastStep, buffer.bytes);
  for (const PlanArena::Workspace &workspace : arena.workspaces)
    add(workspace.step, workspace.step, workspace.bytes);

  if (totalBytes == kTooMany)
    return makeInputError("arena: the bytes of all buffers overflow 63 bits");

  ArenaLayout layout = layOutArena(buffers, options);
  arena.liveBytes = layout.liveBytes;
  const int64_t *offset = layout.offsets.data();
  for (PlanArena::Buffer &buffer : arena.buffers) {
    buffer.offset = *offset++;
    arena.bytes = std::max(arena.bytes, buffer.offset + buffer.bytes);
  }
  arena.neededBytes = arena.bytes;
  for (PlanArena::Workspace &workspace : arena.workspaces) {
    workspace.offset = *offset++;
    arena.neededBytes =
        std::max(arena.neededBytes, workspace.offset + workspace.bytes);
  }
  return arena;
}

} // namespace reprise
