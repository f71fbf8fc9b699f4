// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/DpTrace.h"

#include <algorithm>
#include <limits>

namespace reprise {

namespace {

/// What to do with a state.
struct Decision {
  enum { Leaf, Save, Checkpoint } kind = Leaf;
  uint32_t at = 0; ///< the save's index, or the cut of the checkpoint
};

/// Work still to do, last in first out: depth costs no stack.
struct Task {
  bool isSegment; ///< else backward positions [from, to)
  uint32_t from, to;
  int64_t bytes; ///< at hand
  bool holds;    ///< the crossing set of `to` stays from before
};

class Tracer {
public:
  Tracer(const Graph &graph, const Cuts &cuts, const DpModel &model,
         const DpTable &table)
      : graph(graph), cuts(cuts), model(model), table(table),
        emitter(graph, cuts) {}

  RunSequence trace(int64_t bytes) {
    // Backward nodes after all segments read nothing of the forward pass.
    pushBackward(model.side(0), cuts.numBackward());
    pushSegment(0, model.last(), bytes, /*holds=*/false);
    while (!tasks.empty()) {
      Task task = tasks.back();
      tasks.pop_back();
      if (task.isSegment)
        process(task);
      else
        emitter.runBackward(task.from, task.to);
    }
    return emitter.finish();
  }

private:
  void pushSegment(uint32_t a, uint32_t b, int64_t bytes, bool holds) {
    tasks.push_back({/*isSegment=*/true, a, b, bytes, holds});
  }
  void pushBackward(uint32_t from, uint32_t to) {
    tasks.push_back({/*isSegment=*/false, from, to, 0, false});
  }

  int64_t regained(const Task &task, uint32_t k) const {
    return task.holds ? model.regainedHolding(task.from, k, task.to)
                      : model.regained(task.from, k, task.to);
  }

  Decision decide(const Task &task) const {
    uint32_t a = task.from, b = task.to;
    int64_t bytes = task.bytes;
    bool holds = task.holds;
    const DpPair &pair = model.pair(a, b);
    bool fresh = model.isFresh(b);
    int64_t gradients = model.gradients(b);
    double best = std::numeric_limits<double>::infinity();
    Decision decision;
    if (bytes >= (holds ? model.leafNeedHolding(a, b) : pair.leafNeed))
      best = fresh ? 0 : pair.leafCost - (holds ? pair.heldGain : 0);
    if (best == 0)
      return decision;
    for (uint32_t i = 0; i < model.saves(a).size(); ++i) {
      const DpSave &save = model.saves(a)[i];
      if (save.to > b)
        break;
      if (bytes < save.forwardNeed + gradients ||
          bytes < save.backwardNeed + model.growth(save.to, b))
        continue;
      double cost = save.set.extraCost + (fresh ? 0 : save.restoreCost);
      if (save.to < b && cost < best)
        cost += table.cost(save.to, b, bytes - save.heldBytes, holds);
      if (cost < best) {
        best = cost;
        decision = {Decision::Save, i};
      }
    }
    for (uint32_t k = a + 1; k < b; ++k) {
      const DpPair &left = model.pair(a, k);
      double cost = fresh ? 0 : left.passCost;
      if (bytes < left.forwardNeed + gradients || cost >= best)
        continue;
      cost += table.cost(k, b, bytes - left.newBytes, holds);
      bool stays;
      if (cost < best)
        cost += table.costAfter(model, a, k, bytes + regained(task, k), stays);
      if (cost < best) {
        best = cost;
        decision = {Decision::Checkpoint, k};
      }
    }
    return decision;
  }

  void process(const Task &task) {
    uint32_t a = task.from, b = task.to;
    Decision decision = decide(task);
    uint32_t from = model.cut(a);
    if (decision.kind == Decision::Leaf) {
      if (model.isFresh(b))
        emitter.runForward(from, model.cut(b));
      emitter.runBackward(model.side(b), model.side(a));
      return;
    }
    if (!model.isFresh(b) && !task.holds)
      emitter.forgetInterior(from, model.cut(b), {});
    if (decision.kind == Decision::Save) {
      const DpSave &save = model.saves(a)[decision.at];
      keep(a, save.to, task, save.set.storages);
      pushBackward(model.side(save.to), model.side(a));
      if (save.to < b)
        pushSegment(save.to, b, task.bytes - save.heldBytes, task.holds);
      return;
    }
    uint32_t k = decision.at;
    keep(a, k, task, {});
    const DpPair &left = model.pair(a, k);
    int64_t bytes = task.bytes + regained(task, k);
    bool stays;
    table.costAfter(model, a, k, bytes, stays);
    pushSegment(a, k, stays ? bytes - left.heldBytes : bytes, stays);
    pushSegment(k, b, task.bytes - left.newBytes, task.holds);
  }

  /// Runs from candidate \p a to \p k, leaving the crossing set of k and
  /// \p saved.
  void keep(uint32_t a, uint32_t k, const Task &task,
            llvm::ArrayRef<StorageId> saved) {
    uint32_t from = model.cut(a), to = model.cut(k);
    bool fresh = model.isFresh(task.to);
    if (fresh)
      emitter.runForward(from, to);
    std::vector<StorageId> wanted, unwanted;
    for (uint32_t i = from; i < to; ++i)
      for (TensorId t : graph.outputs(cuts.forward[i])) {
        if (t == kNone || graph.storageUse(t) != StorageUse::Own)
          continue;
        StorageId s = graph.storage(t);
        bool stays = std::binary_search(saved.begin(), saved.end(), s) ||
                     cuts.crosses(s, to);
        if (stays)
          wanted.push_back(s);
        else if (!task.holds || !cuts.crosses(s, model.cut(task.to)))
          unwanted.push_back(s);
      }
    if (!fresh)
      emitter.restore(wanted);
    for (StorageId s : unwanted)
      emitter.forget(s);
  }

  const Graph &graph;
  const Cuts &cuts;
  const DpModel &model;
  const DpTable &table;
  Emitter emitter;
  std::vector<Task> tasks;
};

} // namespace

RunSequence traceRuns(const Graph &graph, const Cuts &cuts,
                      const DpModel &model, const DpTable &table,
                      int64_t bytes) {
  return Tracer(graph, cuts, model, table).trace(bytes);
}

} // namespace reprise
