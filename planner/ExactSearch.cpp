// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cheapest plan of a small graph, by best-first search (A*; Hart, Nilsson,
// Raphael 1968) over states
//
//   (nodes that have run, tensors that are resident)
//
// Every node runs at least once, so that only *extra* runs count. A step runs
// one node, after freeing what its bytes need.
//
//   budget 3, all tensors 1 byte, b2 reads a1:   x > f1 a1 > f2 a2 > b2
//
//     {}  --f1-->  {a1}  --f2-->  {a1 a2}  --b2-->  done, no extra run
//
// What keeps the search small and its result an optimum:
//
//   1. Frees are lazy. A tensor is freed when a run needs its bytes, never
//      earlier: holding more is never worse. Only minimal sets are freed.
//   2. Dead tensors go at once: nothing that has yet to run, nor any
//      recomputation that could be wanted, reads them.
//   3. The bound. A tensor that a node yet to run reads, and that is gone, has
//      to be made again; so have the inputs of that recomputation that are
//      gone, and so on. Their costs add up. A gone tensor of a node that may
//      not run again ends the branch.
//   4. Dominance. Of two states with the same nodes run, the one that holds
//      no more and has not cost less is dropped. Its bound is no less either,
//      so that the better one is expanded first: each state is compared, when
//      its turn comes, with those expanded before it.
//   5. A node that can run for the first time without freeing anything and
//      adds no bytes runs at once; so does one that costs nothing to repeat.
//   6. A known plan. What cannot beat it is not kept.
//
// The bound is consistent, so the first complete state that is taken from the
// open list is optimal, and the least bound in the list is a lower bound at
// any time. Exponential in the worst case: graphs of up to about 20 nodes take
// milliseconds, 30 to 40 nodes often succeed, more rarely.
//
// Effort is counted in *work*, about the number of sets that are looked at, so
// that the same limit gives the same result everywhere.

#include "reprise/planner/ExactSearch.h"

#include <algorithm>

namespace reprise {

/// Work between two looks at the clock: well below a millisecond.
static constexpr uint64_t kLookEvery = 20'000;
/// Work of making one state or of expanding one.
static constexpr uint64_t kStateWork = 20;

static unsigned countBits(BitSet128 set) {
  return std::popcount(uint64_t(set)) + std::popcount(uint64_t(set >> 64));
}

ExactSearch::ExactSearch(ExactModel model, const ExactStart &start,
                         const OptimalLimits &limits, ExtraCost limit)
    : model(std::move(model)), start(start), limits(limits), upper(limit),
      begin(std::chrono::steady_clock::now()) {}

bool ExactSearch::isOverLimit() {
  if (isOver)
    return true;
  isOver = states.size() >= limits.maxStates || work >= limits.maxWork;
  if (isOver || work < nextLook)
    return isOver;
  nextLook = work + kLookEvery;
  std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin;
  isOver = (limits.stop && limits.stop->load()) ||
           (limits.maxSeconds >= 0 && used.count() > limits.maxSeconds);
  return isOver;
}

uint32_t ExactSearch::stageOf(BitSet128 executed) {
  auto [it, isNew] = stageNumbers.try_emplace(executed, stages.size());
  if (isNew) {
    Stage &stage = stages.emplace_back();
    stage.executed = executed;
    stage.needed = model.needed(executed);
    stage.useful = model.useful(executed);
    stage.alive = model.withRoots(stage.useful);
    work += kStateWork;
  }
  return it->second;
}

/// Rule 3; none when the state is a dead end.
std::optional<ExtraCost> ExactSearch::boundOf(const Stage &stage,
                                              BitSet128 resident) const {
  ExtraCost extra;
  BitSet128 pending = stage.needed & ~resident, again = 0;
  while (pending) {
    unsigned p = model.producers[lowestBit(pending)];
    const ExactNode &node = model.nodes[p];
    pending &= ~node.outputs;
    if (!(stage.executed & bitOf(p)) || (again & bitOf(p)))
      continue;
    if (!node.mayRecompute || (node.blockers & stage.executed))
      return std::nullopt;
    again |= bitOf(p);
    extra.cost += node.cost;
    ++extra.runs;
    // An input that is resident now may still have to be made again; that is
    // not certain. One that is gone has to be.
    forEachBit(node.reads & ~resident, [&](unsigned t) {
      if (!(again & bitOf(model.producers[t])))
        pending |= bitOf(t);
    });
  }
  return extra;
}

bool ExactSearch::isRunnable(BitSet128 executed, BitSet128 resident,
                             unsigned n) const {
  const ExactNode &run = model.nodes[n];
  return !(run.reads & ~resident) && !(run.blockers & executed) &&
         ((executed & bitOf(n)) || !(run.after & ~executed));
}

/// Rule 5.
bool ExactSearch::isSafeNow(unsigned n, int64_t live) const {
  const ExactNode &run = model.nodes[n];
  if (run.clears || live + run.bytes > model.freeBytes)
    return false;
  return run.outputBytes == 0 || (run.cost == 0 && run.mayRecompute);
}

/// Rule 4: there is a cheaper way to the state, or a better state.
bool ExactSearch::isOutdated(const State &s) {
  Stage &stage = stages[s.stage];
  if (stage.reached.find(s.resident)->second < s.soFar)
    return true;
  return stage.expanded.dominates(s.resident, s.soFar, work);
}

void ExactSearch::expand(uint32_t index) {
  ++expanded;
  State s = states[index];
  Stage &stage = stages[s.stage];
  stage.expanded.insert(s.resident, s.soFar);
  work += kStateWork;
  BitSet128 executed = stage.executed;
  int64_t live = model.liveBytes(s.resident);
  BitSet128 runnable = 0;
  forEachBit(model.allNodes & ~executed, [&](unsigned n) {
    if (isRunnable(executed, s.resident, n))
      runnable |= bitOf(n);
  });
  for (BitSet128 rest = runnable; rest; rest &= rest - 1) {
    unsigned n = lowestBit(rest);
    if (isSafeNow(n, live)) {
      tryNode(index, n, live);
      return;
    }
  }
  BitSet128 wanted = stage.useful & ~s.resident, again = 0;
  forEachBit(wanted & model.recomputable,
             [&](unsigned t) { again |= bitOf(model.producers[t]); });
  forEachBit(again & executed, [&](unsigned n) {
    if (isRunnable(executed, s.resident, n))
      runnable |= bitOf(n);
  });
  forEachBit(runnable, [&](unsigned n) { tryNode(index, n, live); });
}

/// Pushes every state that follows from running \p n next.
void ExactSearch::tryNode(uint32_t index, unsigned n, int64_t live) {
  const State &s = states[index];
  const ExactNode &run = model.nodes[n];
  parent = index;
  parentStage = s.stage;
  node = n;
  kept = s.resident;
  soFar = s.soFar;
  BitSet128 executed = stages[s.stage].executed;
  if (executed & bitOf(n)) {
    soFar.cost += run.cost;
    ++soFar.runs;
  }
  nextStage = stageOf(executed | bitOf(n));
  int64_t missing = live + run.bytes - model.freeBytes;
  if (missing <= 0) {
    push(kept);
    return;
  }
  BitSet128 forced = stages[parentStage].needed & ~model.recomputable;
  candidates.clear();
  for (unsigned g = 0; g < model.groups.size(); ++g) {
    const ExactGroup &group = model.groups[g];
    BitSet128 held = group.tensors & kept;
    if (held && group.bytes && !(held & (run.reads | forced)))
      candidates.push_back(g);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](unsigned a, unsigned b) {
                     return model.groups[a].bytes > model.groups[b].bytes;
                   });
  suffixBytes.assign(candidates.size() + 1, 0);
  for (size_t i = candidates.size(); i-- > 0;)
    suffixBytes[i] = suffixBytes[i + 1] + model.groups[candidates[i]].bytes;
  chooseFrees(0, missing);
}

/// All minimal sets: taken from the largest down, the last one taken is the
/// smallest of its set and was still needed. Depth: at most 128.
void ExactSearch::chooseFrees(size_t from, int64_t missing) {
  if (missing <= 0) {
    push(kept);
    return;
  }
  for (size_t i = from; i < candidates.size(); ++i) {
    if (suffixBytes[i] < missing || isOverLimit())
      return;
    const ExactGroup &group = model.groups[candidates[i]];
    BitSet128 before = kept;
    kept &= ~group.tensors;
    work += kStateWork / 4;
    chooseFrees(i + 1, missing - group.bytes);
    kept = before;
  }
}

/// Adds the state after the run, \p resident being what was kept for it.
void ExactSearch::push(BitSet128 resident) {
  const ExactNode &run = model.nodes[node];
  Stage &stage = stages[nextStage];
  work += kStateWork;
  resident = ((resident & ~run.clears) | run.outputs) & stage.alive;
  auto [it, isNew] = stage.reached.try_emplace(resident, soFar);
  if (!isNew && it->second <= soFar)
    return;
  it->second = soFar;
  std::optional<ExtraCost> rest = boundOf(stage, resident);
  if (!rest)
    return;
  ExtraCost total{soFar.cost + rest->cost, soFar.runs + rest->runs};
  if (total >= upper)
    return;
  uint32_t index = states.size();
  states.push_back({resident, soFar, nextStage, parent, uint8_t(node)});
  open.push({total, uint8_t(countBits(stage.executed)),
             uint8_t(countBits(resident)), index});
}

RunSequence ExactSearch::runsTo(uint32_t index) const {
  RunSequence runs;
  for (; index != 0; index = states[index].parent)
    runs.push_back(states[index].node);
  std::reverse(runs.begin(), runs.end());
  return runs;
}

void ExactSearch::run() {
  if (model.freeBytes < 0) {
    isFinished = true;
    return;
  }
  uint32_t first = stageOf(start.executed);
  BitSet128 resident = start.resident & stages[first].alive;
  stages[first].reached.try_emplace(resident, ExtraCost());
  states.push_back({resident, {}, first, 0, 0});
  open.push({{}, 0, 0, 0});
  // What a limit has cut off belongs to the last state that was taken.
  while (!open.empty() && !isOverLimit()) {
    Open top = open.top();
    bound = std::max(bound, top.bound);
    open.pop();
    const State &s = states[top.state];
    if (isOutdated(s))
      continue;
    bool isComplete = stages[s.stage].executed == model.allNodes &&
                      !(model.outputs & ~s.resident);
    if (isComplete) {
      found = runsTo(top.state);
      isFinished = true;
      return;
    }
    expand(top.state);
  }
  isFinished = !isOver;
  if (isFinished)
    bound = upper;
}

} // namespace reprise
