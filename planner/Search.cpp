// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Local search by ejection chains under an annealing rule.
//
// A plan that fits the budget is improved by giving up one recomputation and
// mending what that breaks:
//
//   1. Take out a run beyond the first of its node (or a few; or move a run;
//      or drop something more). Its readers now read the earlier run, whose
//      outputs stay resident over the gap, and the profile exceeds the budget
//      somewhere.
//   2. Repair: the cheapest reliefs at the peak, until it fits again.
//   3. Reclaim: take out further runs that fit as they are.
//   4. Accept when the plan got cheaper, or by chance when it got dearer by
//      little; the chance shrinks as the search goes on (Kirkpatrick et al.
//      1983). Else roll back.
//
// While nothing fits, the bytes above the budget take the place of the cost.
//
// Two walkers search from the best plan so far, each with its own random
// numbers, and meet after every round. What they do depends on the seed and
// on the work allowed alone, not on threads or clocks, so that the result is
// the same on every machine unless a time limit cuts it short.

#include "reprise/planner/Search.h"

#include "reprise/planner/Liveness.h"
#include "reprise/planner/Parallel.h"
#include "reprise/planner/Repair.h"
#include "reprise/planner/WindowSearch.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace reprise {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kWalkers = 2;
constexpr unsigned kRounds = 4;
/// After each round, this part of all work goes into windows.
constexpr uint64_t kWindowShare = 40;

/// A sequence and how good it is. Any that fits beats any that does not.
struct Candidate {
  RunSequence runs;
  double overflow = 0;
  double cost = 0;

  bool isBetterThan(const Candidate &o) const {
    if (overflow != o.overflow)
      return overflow < o.overflow;
    if (cost != o.cost)
      return cost < o.cost;
    return runs.size() < o.runs.size();
  }
};

/// When to give up for reasons from outside.
struct Deadline {
  std::optional<Clock::time_point> at;
  const std::atomic<bool> *stop = nullptr;

  bool passed() const {
    return (stop && stop->load(std::memory_order_relaxed)) ||
           (at && Clock::now() >= *at);
  }
};

/// One search from one start.
class Walker {
public:
  Walker(const Problem &problem, const Candidate &start, uint64_t seed,
         const Deadline &deadline)
      : problem(problem), graph(problem.graph), deadline(deadline),
        list(graph, problem.costs, start.runs, problem.budgetBytes),
        moves(list, problem.costs), random(seed), best(start) {
    baseCost = 0;
    for (double c : problem.costs)
      baseCost += c;
    currentOverflow = list.overflow();
    listExtras();
  }

  /// Searches until \p work is done; \p heat in [0, 1] scales the chance of
  /// accepting dearer plans at the start and the end.
  void run(uint64_t work, double startHeat, double endHeat);

  const Candidate &getBest() const { return best; }

private:
  bool disturb();
  bool giveUpRun();
  bool moveSomething();
  bool dropSomething();
  void reclaim();
  void settle(double heat, size_t mark, double oldCost, double oldOverflow);
  void listExtras();
  RunId randomExtra();
  RunId randomRun();

  const Problem &problem;
  const Graph &graph;
  const Deadline &deadline;
  RunList list;
  Moves moves;
  Random random;
  Candidate best;
  double baseCost = 0;
  double currentOverflow = 0;
  std::vector<RunId> extras; ///< runs beyond the first of their nodes
  std::vector<Relief> reliefs;
};

} // namespace

void Walker::listExtras() {
  extras.clear();
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    llvm::ArrayRef<RunId> runs = list.runsOf(n);
    for (size_t i = 1; i < runs.size(); ++i)
      extras.push_back(runs[i]);
  }
  list.addWork(graph.numNodes() / 16);
}

RunId Walker::randomExtra() {
  for (int tries = 0; tries < 4 && !extras.empty(); ++tries) {
    RunId r = extras[random.below(extras.size())];
    if (list.isPresent(r) && list.runsOf(list.node(r)).size() > 1)
      return r;
  }
  return kNone;
}

RunId Walker::randomRun() {
  NodeId n = random.below(graph.numNodes());
  llvm::ArrayRef<RunId> runs = list.runsOf(n);
  return runs[random.below(runs.size())];
}

bool Walker::giveUpRun() {
  RunId r = randomExtra();
  if (r == kNone || !moves.keep(r))
    return false;
  // Sometimes two or three at once: what one alone cannot free, a group can.
  while (random.below(4) == 0) {
    RunId more = randomExtra();
    size_t mark = list.mark();
    if (more == kNone || moves.keep(more))
      continue;
    list.rollback(mark);
    break;
  }
  return true;
}

bool Walker::moveSomething() {
  RunId r = randomRun();
  NodeId n = list.node(r);
  // Between its last input and its first reader any place is legal.
  RunId low = kNone, high = kNone;
  for (TensorId t : graph.reads(n)) {
    RunId made = list.lastRunBefore(graph.producer(t), r);
    if (made != kNone && (low == kNone || list.before(low, made)))
      low = made;
  }
  for (TensorId t : graph.outputs(n)) {
    if (t == kNone)
      continue;
    for (NodeId u : graph.users(t)) {
      RunId reader = list.firstRunAfter(u, r);
      if (reader != kNone && (high == kNone || list.before(reader, high)))
        high = reader;
    }
  }
  switch (random.below(3)) {
  case 0: // as early as can be
    return low != kNone && list.next(low) != r &&
           moves.shift(r, list.next(low));
  case 1: // as late as can be
    return list.next(r) != high && moves.shift(r, high);
  default: { // a few runs up or down
    RunId at = r;
    size_t hops = 2 + random.below(12);
    bool up = random.below(2) == 0;
    for (size_t i = 0; i < hops; ++i) {
      RunId next = up ? list.next(at) : list.previous(at);
      if (next == kNone || next == (up ? high : low))
        break;
      at = next;
    }
    return at != r && list.next(r) != at && moves.shift(r, at);
  }
  }
}

bool Walker::dropSomething() {
  RunId r = randomRun();
  llvm::ArrayRef<TensorId> reads = graph.reads(list.node(r));
  if (reads.empty())
    return false;
  StorageId s = graph.storage(reads[random.below(reads.size())]);
  llvm::ArrayRef<RunId> accesses = list.accesses(s);
  auto it = llvm::find(accesses, r);
  if (it == accesses.end() || it == accesses.begin())
    return false;
  // Before its reader, or at some place in the gap where inputs may be alive.
  RunId remake = r;
  for (size_t hops = random.below(3) * random.below(6); hops > 0; --hops) {
    RunId earlier = list.previous(remake);
    if (earlier == *(it - 1))
      break;
    remake = earlier;
  }
  double holdPrice = random.below(2) ? 1e300
                                     : (list.cost() / baseCost) *
                                           problem.costs[list.node(*(it - 1))] /
                                           (1.0 + graph.storageBytes(s));
  return moves.drop({s, *(it - 1), r}, remake, holdPrice);
}

bool Walker::disturb() {
  uint64_t dice = random.below(16);
  if (dice < 9 && !extras.empty())
    return giveUpRun();
  if (dice < 12)
    return dropSomething();
  return moveSomething();
}

void Walker::reclaim() {
  for (int i = 0; i < 6; ++i) {
    RunId r = randomExtra();
    if (r == kNone || problem.costs[list.node(r)] == 0)
      continue;
    size_t mark = list.mark();
    double cost = list.cost();
    if (!moves.keep(r) || list.overflow() > 0 || list.cost() > cost)
      list.rollback(mark);
  }
}

/// Keeps what was done since \p mark, or takes it back.
void Walker::settle(double heat, size_t mark, double oldCost,
                    double oldOverflow) {
  double overflow = list.overflow();
  bool accept;
  if (oldOverflow > 0 || overflow > 0)
    accept = overflow < oldOverflow ||
             (oldOverflow > 0 &&
              overflow < oldOverflow * (1 + 0.02 * random.unit() * heat));
  else
    accept = list.cost() <= oldCost - heat * 0.003 * baseCost *
                                          std::log(1e-12 + random.unit());
  if (!accept) {
    list.rollback(mark);
    return;
  }
  list.commit();
  currentOverflow = overflow;
  listExtras();
  Candidate now;
  now.overflow = overflow;
  now.cost = list.cost();
  bool better =
      now.overflow < best.overflow ||
      (now.overflow == best.overflow && now.cost < best.cost * (1 - 1e-12));
  if (!better && now.overflow == best.overflow &&
      now.cost <= best.cost * (1 + 1e-13))
    better = list.size() < best.runs.size();
  if (better) {
    now.runs = list.sequence();
    best = std::move(now);
  }
}

void Walker::run(uint64_t work, double startHeat, double endHeat) {
  uint64_t begin = list.work();
  for (uint64_t i = 0; list.work() - begin < work; ++i) {
    if (i % 16 == 0 && deadline.passed())
      return;
    list.addWork(20);
    double progress = double(list.work() - begin) / double(work);
    double heat = startHeat * std::pow(endHeat / startHeat, progress);
    double oldCost = list.cost();
    double oldOverflow = currentOverflow;
    if (!disturb()) {
      list.rollback(0);
      continue;
    }
    RepairOptions repairOptions;
    repairOptions.lookahead = 1 + random.below(4);
    repairOptions.noise = random.below(2) ? 2.0 * random.unit() : 0;
    repairOptions.listed = 64;
    repairOptions.minShare = 0.01;
    repairOptions.maxReliefs = oldOverflow > 0 ? 40 : 16;
    if (oldOverflow == 0)
      repairOptions.costLimit = oldCost + heat * 0.02 * baseCost;
    bool fits =
        list.overflow() == 0 || repair(list, moves, repairOptions, random);
    if (fits)
      reclaim();
    settle(heat, 0, oldCost, oldOverflow);
  }
}

static Candidate judge(const Problem &problem, RunSequence runs) {
  RunList list(problem.graph, problem.costs, runs, problem.budgetBytes);
  Candidate c;
  c.overflow = list.overflow();
  c.cost = costOfRuns(problem.costs, runs);
  c.runs = std::move(runs);
  return c;
}

uint64_t defaultWork(const Graph &graph) {
  // About two to eight seconds of one core; a little for what is solved soon.
  uint64_t nodes = graph.numNodes();
  if (nodes > 50000)
    return 0;
  return std::clamp<uint64_t>(nodes * 250'000, 10'000'000, 200'000'000);
}

RunSequence improve(const Problem &problem, llvm::ArrayRef<NodeId> start,
                    const PlanOptions &options, uint64_t work) {
  Deadline deadline;
  deadline.stop = options.stop;
  if (options.timeLimitSeconds >= 0)
    deadline.at = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(
                      std::chrono::duration<double>(options.timeLimitSeconds));
  Candidate best = judge(problem, RunSequence(start.begin(), start.end()));
  // Heat falls over the rounds, and over the work within each.
  double heat = 1;
  for (unsigned round = 0; round < kRounds && !deadline.passed(); ++round) {
    std::vector<Candidate> found(kWalkers);
    auto walk = [&](unsigned w) {
      Walker walker(problem, best, options.seed * 1000 + round * 10 + w,
                    deadline);
      walker.run(work / (kRounds * kWalkers), heat, heat * 0.3);
      found[w] = walker.getBest();
      // Windows know nothing of what must not be held across the turn.
      if (found[w].overflow == 0 && problem.graph.droppedAtTurn().empty())
        found[w] =
            judge(problem, improveWindows(problem, std::move(found[w].runs),
                                          work / (kWindowShare * kWalkers),
                                          options.stop));
    };
    forEachInParallel(options.threads, kWalkers, walk);
    for (Candidate &c : found)
      if (c.isBetterThan(best))
        best = std::move(c);
    heat *= 0.3;
  }
  return withoutIdleRuns(problem.graph, best.runs);
}

} // namespace reprise
