// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Revolve.h"

#include <algorithm>

namespace reprise {

uint64_t binomial(uint64_t n, uint64_t k) {
  if (k > n)
    return 0;
  k = std::min(k, n - k);
  unsigned __int128 value = 1;
  for (uint64_t i = 1; i <= k; ++i) {
    value = value * (n - k + i) / i;
    if (value > UINT64_MAX)
      return UINT64_MAX;
  }
  return value;
}

/// The least r with C(states + r, states) >= steps.
static uint64_t repetitions(uint64_t steps, uint64_t states) {
  if (states == 1)
    return steps - 1; // C(1 + r, 1) = r + 1
  uint64_t r = 0;
  while (binomial(states + r, states) < steps)
    ++r;
  return r;
}

uint64_t revolveExtraSteps(uint64_t steps, uint64_t states) {
  if (steps <= 1)
    return 0;
  uint64_t r = repetitions(steps, states);
  unsigned __int128 all = (unsigned __int128)r * steps;
  uint64_t spared = r == 0 ? 0 : binomial(states + r, r - 1);
  if (spared == UINT64_MAX || all - spared > UINT64_MAX)
    return UINT64_MAX;
  return all - spared;
}

/// How many steps to advance before the next state is stored. With r
/// repetitions left the part behind takes at most C(s - 1 + r, s - 1) steps
/// and the part before at most C(s + r - 1, s), neither less than with one
/// repetition fewer.
static uint64_t splitAt(uint64_t steps, uint64_t states) {
  uint64_t r = repetitions(steps, states);
  uint64_t behindMost = binomial(states - 1 + r, states - 1);
  uint64_t before = steps > behindMost ? steps - behindMost : 1;
  if (r >= 2)
    before = std::max(before, binomial(states + r - 2, states));
  return std::min(before, steps - 1);
}

void revolve(uint64_t steps, uint64_t states,
             llvm::function_ref<void(const RevolveAction &)> act) {
  struct Range {
    uint64_t begin, end, states;
  };
  std::vector<Range> todo;
  if (steps > 0)
    todo.push_back({0, steps, std::max<uint64_t>(states, 1)});
  while (!todo.empty()) {
    Range range = todo.back();
    todo.pop_back();
    uint64_t length = range.end - range.begin;
    if (length == 1 || range.states == 1) {
      for (uint64_t i = range.end; i-- > range.begin;)
        act({RevolveAction::Reverse, range.begin, i});
      continue;
    }
    uint64_t middle = range.begin + splitAt(length, range.states);
    act({RevolveAction::Advance, range.begin, middle});
    todo.push_back({range.begin, middle, range.states});
    todo.push_back({middle, range.end, range.states - 1});
  }
}

RunSequence revolveRuns(const Graph &graph, const Cuts &cuts,
                        llvm::ArrayRef<uint32_t> boundaries, uint64_t states) {
  Emitter emitter(graph, cuts);
  std::vector<StorageId> wanted;
  uint32_t ran = 0; // forward nodes that ran at all
  // Computes the state at boundary `to` and forgets what lies between.
  auto advance = [&](uint32_t from, uint32_t to) {
    if (from == to)
      return;
    if (ran < to) {
      emitter.runForward(ran, to);
      ran = to;
    } else {
      // What an earlier reversal left behind would otherwise stay.
      emitter.forgetInterior(from, to, {});
      wanted.clear();
      for (uint32_t i = from; i < to; ++i)
        for (TensorId t : graph.outputs(cuts.forward[i]))
          if (t != kNone && graph.storageUse(t) == StorageUse::Own &&
              cuts.crosses(graph.storage(t), to))
            wanted.push_back(graph.storage(t));
      emitter.restore(wanted);
    }
    emitter.forgetInterior(from, to, to);
  };
  revolve(boundaries.size() - 1, states, [&](const RevolveAction &action) {
    uint32_t from = boundaries[action.from], to = boundaries[action.to];
    advance(from, to);
    if (action.kind != RevolveAction::Reverse)
      return;
    uint32_t end = boundaries[action.to + 1];
    if (ran < end) {
      emitter.runForward(ran, end);
      ran = end;
    }
    emitter.runBackward(cuts.side[end], cuts.side[to]);
  });
  emitter.runBackward(cuts.side[0], cuts.numBackward());
  return emitter.finish();
}

} // namespace reprise
