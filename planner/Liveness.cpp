// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Liveness.h"

#include <algorithm>

namespace reprise {

static bool overwrites(const Graph &graph, NodeId n, TensorId t) {
  return graph.overwriter(t) == n;
}

/// Is \p view a view of \p t, or of a view of it?
static bool isViewOf(const Graph &graph, TensorId view, TensorId t) {
  while (view != t && graph.storageUse(view) == StorageUse::Alias)
    view = graph.base(view);
  return view == t;
}

/// Does a view that is \p needed hold the buffer of \p t anyway? Then \p t is
/// free to keep when its node runs again for another output, while a new copy
/// would take a second buffer.
static bool isHeldByView(const Graph &graph, llvm::ArrayRef<uint8_t> needed,
                         TensorId t) {
  for (TensorId v : graph.tensorsOn(graph.storage(t)))
    if (v != t && needed[v] && isViewOf(graph, v, t))
      return true;
  return false;
}

Rows freesAfterRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs) {
  // Backwards: `needed` says whether a later run reads the present residency.
  std::vector<uint8_t> needed(graph.numTensors(), 0);
  for (TensorId t : graph.graphOutputs())
    needed[t] = 1;
  std::vector<TensorId> reversed;
  std::vector<uint32_t> counts(runs.size());
  for (size_t k = runs.size(); k-- > 0;) {
    NodeId n = runs[k];
    size_t before = reversed.size();
    llvm::ArrayRef<TensorId> outputs = graph.outputs(n);
    for (TensorId t : outputs) {
      if (t == kNone)
        continue;
      if (!needed[t])
        reversed.push_back(t);
      needed[t] = outputs.size() > 1 && isHeldByView(graph, needed, t);
    }
    for (TensorId t : graph.reads(n)) {
      if (!needed[t] && !overwrites(graph, n, t))
        reversed.push_back(t);
      needed[t] = 1;
    }
    counts[k] = reversed.size() - before;
  }
  Rows frees;
  size_t end = reversed.size();
  for (uint32_t count : counts) {
    for (size_t i = end - count; i < end; ++i)
      frees.append(reversed[i]);
    end -= count;
    frees.endRow();
  }
  return frees;
}

Plan planFromRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs) {
  Rows frees = freesAfterRuns(graph, runs);
  std::vector<uint8_t> ran(graph.numNodes(), 0);
  Plan plan;
  plan.steps.reserve(runs.size() * 2);
  for (size_t k = 0; k < runs.size(); ++k) {
    NodeId n = runs[k];
    plan.steps.push_back({ran[n] ? Step::Recompute : Step::Compute, n});
    ran[n] = 1;
    for (TensorId t : frees[k])
      plan.steps.push_back({Step::Free, t});
  }
  return plan;
}

RunSequence runsOf(const Plan &plan) {
  RunSequence runs;
  for (const Step &step : plan.steps)
    if (step.kind != Step::Free)
      runs.push_back(step.id);
  return runs;
}

RunSequence withoutIdleRuns(const Graph &graph, llvm::ArrayRef<NodeId> runs) {
  // Going backwards sees all readers of a run before the run itself, so that
  // one pass also drops what only dropped runs read.
  std::vector<uint32_t> left(graph.numNodes(), 0);
  for (NodeId n : runs)
    ++left[n];
  std::vector<uint8_t> hasRun(graph.numNodes(), 0);
  std::vector<uint8_t> needed(graph.numTensors(), 0);
  for (TensorId t : graph.graphOutputs())
    needed[t] = 1;
  RunSequence kept;
  for (size_t k = runs.size(); k-- > 0;) {
    NodeId n = runs[k];
    bool isLastChance = --left[n] == 0 && !hasRun[n];
    bool useful = isLastChance;
    for (TensorId t : graph.outputs(n))
      useful |= t != kNone && needed[t];
    if (!useful)
      continue;
    hasRun[n] = 1;
    kept.push_back(n);
    for (TensorId t : graph.outputs(n))
      if (t != kNone)
        needed[t] = 0;
    for (TensorId t : graph.reads(n))
      needed[t] = 1;
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

} // namespace reprise
