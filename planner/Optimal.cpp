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
//      no more and has not cost less is dropped.
//   5. A node that can run for the first time without freeing anything and
//      adds no bytes runs at once; so does one that costs nothing to repeat.
//
// The bound is consistent, so the first complete state that is taken from the
// open list is optimal, and the least bound in the list is a lower bound at
// any time. Exponential in the worst case: graphs of up to about 20 nodes take
// milliseconds, 30 to 40 nodes often succeed, more rarely.

#include "reprise/planner/Optimal.h"
#include "reprise/planner/ExactModel.h"
#include "reprise/planner/Strategies.h"

#include <algorithm>
#include <chrono>
#include <queue>
#include <unordered_map>

namespace reprise {

namespace {

/// Cost of extra runs, then their number: ties go to the shorter plan.
struct Extra {
  double cost = 0;
  uint32_t runs = 0;

  auto operator<=>(const Extra &) const = default;
};

struct State {
  BitSet128 executed, resident;
  Extra soFar;
  uint32_t parent;
  uint8_t node;   ///< the run that led here
  bool dominated; ///< by a state that was found later
};

/// An entry of the open list.
struct Open {
  Extra bound; ///< of the extra runs of any plan through the state
  uint32_t executedCount;
  uint32_t state;

  /// Least bound first, then the furthest, then the latest: dives.
  bool operator<(const Open &other) const {
    if (bound != other.bound)
      return bound > other.bound;
    if (executedCount != other.executedCount)
      return executedCount < other.executedCount;
    return state < other.state;
  }
};

struct BitSetHash {
  size_t operator()(BitSet128 set) const {
    uint64_t h = uint64_t(set) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32) ^ uint64_t(set >> 64)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 29);
  }
};

/// All that depends on the executed nodes alone.
struct Stage {
  BitSet128 needed, useful;
  BitSet128 alive;              ///< useful, or the base of a useful view
  std::vector<uint32_t> states; ///< not dominated
};

class ExactSearch {
public:
  ExactSearch(const Problem &problem, const OptimalLimits &limits)
      : model(problem), limits(limits),
        begin(std::chrono::steady_clock::now()) {}

  void run();

  std::optional<RunSequence> found;
  bool finished = false; ///< no limit was reached
  Extra bound;           ///< of the extra runs of every plan
  uint64_t expanded = 0;

private:
  bool isOverLimit() const;
  Stage &stageOf(BitSet128 executed);
  std::optional<Extra> boundOf(const Stage &stage, BitSet128 executed,
                               BitSet128 resident) const;
  bool isRunnable(const State &s, unsigned n) const;
  bool isSafeNow(unsigned n, int64_t live) const;
  void expand(uint32_t index);
  void tryNode(uint32_t index, unsigned n, int64_t live);
  void chooseFrees(size_t from, int64_t missing);
  void push(BitSet128 resident);
  bool isDominated(Stage &stage, BitSet128 resident, Extra soFar);
  RunSequence runsTo(uint32_t index) const;

  ExactModel model;
  OptimalLimits limits;
  std::chrono::steady_clock::time_point begin;
  std::vector<State> states;
  std::priority_queue<Open> open;
  std::unordered_map<BitSet128, Stage, BitSetHash> stages;

  // The run that is being tried.
  uint32_t parent = 0;
  unsigned node = 0;
  BitSet128 kept = 0;               ///< resident less the chosen frees
  std::vector<unsigned> candidates; ///< groups to free, largest first
  std::vector<int64_t> suffixBytes; ///< of the candidates from each on
};

} // namespace

bool ExactSearch::isOverLimit() const {
  if (states.size() >= limits.maxStates)
    return true;
  if (expanded % 256)
    return false;
  if (limits.stop && limits.stop->load())
    return true;
  std::chrono::duration<double> used = std::chrono::steady_clock::now() - begin;
  return limits.maxSeconds >= 0 && used.count() > limits.maxSeconds;
}

Stage &ExactSearch::stageOf(BitSet128 executed) {
  auto [it, isNew] = stages.try_emplace(executed);
  if (isNew) {
    it->second.needed = model.needed(executed);
    it->second.useful = model.useful(executed);
    it->second.alive = model.withRoots(it->second.useful);
  }
  return it->second;
}

/// Rule 3; none when the state is a dead end.
std::optional<Extra> ExactSearch::boundOf(const Stage &stage,
                                          BitSet128 executed,
                                          BitSet128 resident) const {
  Extra extra;
  BitSet128 pending = stage.needed & ~resident, again = 0;
  while (pending) {
    unsigned p = model.producers[lowestBit(pending)];
    const ExactNode &node = model.nodes[p];
    pending &= ~node.outputs;
    if (!(executed & bitOf(p)) || (again & bitOf(p)))
      continue;
    if (!node.mayRecompute || (node.blockers & executed))
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

bool ExactSearch::isRunnable(const State &s, unsigned n) const {
  const ExactNode &node = model.nodes[n];
  return !(node.reads & ~s.resident) && !(node.blockers & s.executed) &&
         ((s.executed & bitOf(n)) || !(node.after & ~s.executed));
}

/// Rule 5.
bool ExactSearch::isSafeNow(unsigned n, int64_t live) const {
  const ExactNode &node = model.nodes[n];
  if (node.clears || live + node.bytes > model.freeBytes)
    return false;
  return node.outputBytes == 0 || (node.cost == 0 && node.mayRecompute);
}

void ExactSearch::expand(uint32_t index) {
  ++expanded;
  State s = states[index];
  int64_t live = model.liveBytes(s.resident);
  BitSet128 first = model.allNodes & ~s.executed, runnable = 0;
  forEachBit(first, [&](unsigned n) {
    if (isRunnable(s, n))
      runnable |= bitOf(n);
  });
  for (BitSet128 rest = runnable; rest; rest &= rest - 1) {
    unsigned n = lowestBit(rest);
    if (isSafeNow(n, live)) {
      tryNode(index, n, live);
      return;
    }
  }
  BitSet128 wanted = stageOf(s.executed).useful & ~s.resident;
  BitSet128 again = 0;
  forEachBit(wanted & model.recomputable,
             [&](unsigned t) { again |= bitOf(model.producers[t]); });
  forEachBit(again & s.executed, [&](unsigned n) {
    if (isRunnable(s, n))
      runnable |= bitOf(n);
  });
  forEachBit(runnable, [&](unsigned n) { tryNode(index, n, live); });
}

/// Pushes every state that follows from running \p n next.
void ExactSearch::tryNode(uint32_t index, unsigned n, int64_t live) {
  const State &s = states[index];
  const ExactNode &run = model.nodes[n];
  parent = index;
  node = n;
  kept = s.resident;
  int64_t missing = live + run.bytes - model.freeBytes;
  if (missing <= 0) {
    push(kept);
    return;
  }
  BitSet128 needed = stageOf(s.executed).needed & ~model.recomputable;
  candidates.clear();
  for (unsigned g = 0; g < model.groups.size(); ++g) {
    const ExactGroup &group = model.groups[g];
    BitSet128 held = group.tensors & s.resident;
    if (held && group.bytes && !(held & (run.reads | needed)))
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
    if (suffixBytes[i] < missing || states.size() >= limits.maxStates)
      return;
    const ExactGroup &group = model.groups[candidates[i]];
    BitSet128 before = kept;
    kept &= ~group.tensors;
    chooseFrees(i + 1, missing - group.bytes);
    kept = before;
  }
}

/// Adds the state after the run, \p resident being what was kept for it.
void ExactSearch::push(BitSet128 resident) {
  const State &from = states[parent];
  const ExactNode &run = model.nodes[node];
  BitSet128 executed = from.executed | bitOf(node);
  Extra soFar = from.soFar;
  if (from.executed & bitOf(node)) {
    soFar.cost += run.cost;
    ++soFar.runs;
  }
  Stage &stage = stageOf(executed);
  resident = ((resident & ~run.clears) | run.outputs) & stage.alive;
  std::optional<Extra> rest = boundOf(stage, executed, resident);
  if (!rest || isDominated(stage, resident, soFar))
    return;
  uint32_t index = states.size();
  states.push_back({executed, resident, soFar, parent, uint8_t(node), false});
  stage.states.push_back(index);
  uint32_t count = std::popcount(uint64_t(executed)) +
                   std::popcount(uint64_t(executed >> 64));
  open.push({{soFar.cost + rest->cost, soFar.runs + rest->runs}, count, index});
}

/// Rule 4, in both directions.
bool ExactSearch::isDominated(Stage &stage, BitSet128 resident, Extra soFar) {
  size_t out = 0;
  for (size_t i = 0; i < stage.states.size(); ++i) {
    State &other = states[stage.states[i]];
    if (!(resident & ~other.resident) && other.soFar <= soFar)
      return true;
    bool isWorse = !(other.resident & ~resident) && soFar <= other.soFar;
    other.dominated |= isWorse;
  }
  for (uint32_t s : stage.states)
    if (!states[s].dominated)
      stage.states[out++] = s;
  stage.states.resize(out);
  return false;
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
    finished = true;
    return;
  }
  states.push_back({0, 0, {}, 0, 0, false});
  open.push({{}, 0, 0});
  while (!open.empty()) {
    Open top = open.top();
    bound = top.bound;
    if (isOverLimit())
      return;
    open.pop();
    const State &s = states[top.state];
    if (s.dominated)
      continue;
    bool isComplete =
        s.executed == model.allNodes && !(model.outputs & ~s.resident);
    if (isComplete) {
      found = runsTo(top.state);
      finished = true;
      return;
    }
    expand(top.state);
  }
  finished = true;
}

OptimalResult solveOptimal(const Problem &problem,
                           const OptimalLimits &limits) {
  const Graph &graph = problem.graph;
  OptimalResult result;
  std::vector<NodeId> once(graph.order().begin(), graph.order().end());
  result.lowerBound = costOfRuns(problem.costs, once);
  if (graph.numNodes() > kOptimalMaxSize ||
      graph.numTensors() - graph.numConstants() > kOptimalMaxSize)
    return result;
  ExactSearch search(problem, limits);
  search.run();
  result.expanded = search.expanded;
  result.proven = search.finished;
  // Costs are summed in many orders: a bound must not profit from it.
  constexpr double kRounding = 1 - 1e-12;
  result.lowerBound += search.bound.cost * kRounding;
  result.runs = std::move(search.found);
  // The frees of a plan are placed anew from its runs.
  if (result.runs && peakOfRuns(graph, *result.runs) > problem.budgetBytes) {
    result.runs.reset();
    result.proven = false;
  }
  if (result.runs)
    result.lowerBound = costOfRuns(problem.costs, *result.runs) * kRounding;
  return result;
}

RunSequence optimal(const Problem &problem, const PlanOptions &options) {
  OptimalLimits limits;
  limits.maxSeconds = options.timeLimitSeconds;
  limits.stop = options.stop;
  if (options.effort)
    limits.maxStates = std::min(limits.maxStates, options.effort);
  OptimalResult result = solveOptimal(problem, limits);
  if (result.runs)
    return std::move(*result.runs);
  return keepAll(problem, options);
}

} // namespace reprise
