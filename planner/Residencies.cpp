// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Residencies.h"

#include <algorithm>

namespace reprise {

namespace {

class StayBuilder {
public:
  StayBuilder(const Graph &graph, size_t numSteps)
      : graph(graph), numSteps(numSteps), stayOf(graph.numTensors(), kNone) {}

  void make(TensorId t, size_t step);
  void release(TensorId t, size_t step);
  std::vector<Stay> take() { return std::move(stays); }

private:
  const Graph &graph;
  size_t numSteps;
  std::vector<Stay> stays;
  std::vector<uint32_t> holders; ///< by stay: resident tensors on it
  std::vector<uint32_t> stayOf;  ///< by tensor; kNone: not resident, or the
                                 ///< caller's
};

} // namespace

void StayBuilder::make(TensorId t, size_t step) {
  if (graph.isConstantStorage(graph.storage(t)))
    return;
  TensorId base = graph.base(t);
  switch (graph.storageUse(t)) {
  case StorageUse::InPlace:
    stayOf[t] = stayOf[base];
    stayOf[base] = kNone;
    return;
  case StorageUse::Alias:
    // A second copy of what is resident is dropped when the step ends.
    if (stayOf[t] != kNone)
      return;
    stayOf[t] = stayOf[base];
    ++holders[stayOf[t]];
    return;
  case StorageUse::Own:
    if (stayOf[t] != kNone)
      return;
    stayOf[t] = stays.size();
    stays.push_back({t, step, numSteps});
    holders.push_back(1);
    return;
  }
}

void StayBuilder::release(TensorId t, size_t step) {
  uint32_t stay = stayOf[t];
  stayOf[t] = kNone;
  if (stay != kNone && --holders[stay] == 0)
    stays[stay].end = step;
}

std::vector<Stay> staysOf(const Graph &graph, const Plan &plan) {
  StayBuilder builder(graph, plan.steps.size());
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const Step &step = plan.steps[k];
    if (step.kind == Step::Free) {
      builder.release(step.id, k);
      continue;
    }
    for (TensorId t : graph.outputs(step.id))
      if (t != kNone)
        builder.make(t, k);
  }
  return builder.take();
}

TurnSteps turnOf(const Graph &graph, const Plan &plan) {
  auto isTurn = [&](const Step &step) {
    return step.kind == Step::Compute && step.id == graph.turn();
  };
  const auto begin = plan.steps.begin(), end = plan.steps.end();
  auto turn = std::find_if(begin, end, isTurn);
  auto next = turn == end ? end : std::find_if(turn + 1, end, [](auto &step) {
    return step.kind != Step::Free;
  });
  return {size_t(turn - begin), size_t(next - begin)};
}

} // namespace reprise
