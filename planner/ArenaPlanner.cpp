// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As a rule the arena of a plan is no larger than the bytes that are live in
// it, and then there is nothing to do. Where fragmentation takes it beyond the
// budget, the planner is given a smaller one:
//
//   budget    ------------------------------------------ 100
//   arena of the plan within 100                         103: 3 too many
//   arena of the plan within  97                          99: fits
//   halves between 97 and 100, for a cheaper one          98, 99
//
// Where no plan is found in the smaller budgets, other plans of the same one
// are laid out: those of each strategy, with several seeds.

#include "reprise/planner/ArenaPlanner.h"

#include "reprise/planner/Floor.h"
#include "reprise/planner/Strategies.h"

#include <algorithm>
#include <chrono>

namespace reprise {

namespace {

/// Plans and lays out again and again, and keeps the cheapest that fits.
class ArenaPlanner {
public:
  ArenaPlanner(const Problem &problem, const PlanOptions &options,
               int64_t alignment)
      : problem(problem), options(options), alignment(alignment) {}

  llvm::Expected<PlanResult> run();

private:
  /// The bytes of a plan with its arena; nothing where there is no plan.
  struct Attempt {
    int64_t peakBytes;
    int64_t totalBytes;
  };
  std::optional<Attempt> attempt(int64_t budgetBytes,
                                 const PlanOptions &attemptOptions);
  llvm::Expected<Attempt> consider(PlanResult result);
  void shrink(Attempt last);
  void refine(int64_t fits, int64_t breaks);
  void vary();
  bool isOver() const;
  llvm::Error infeasible(const PlanResult &first) const;

  const Problem &problem;
  const PlanOptions &options;
  int64_t alignment;
  std::optional<PlanResult> best;
  int64_t smallestTotal = INT64_MAX;
  /// What is live would have fit, in one plan at least.
  bool isFragmented = false;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace

static int64_t totalBytes(const Graph &graph, const PlanArena &arena) {
  return arena.neededBytes + graph.constantBytes();
}

/// No more attempts: the user or, once there is a plan, the clock says so.
bool ArenaPlanner::isOver() const {
  if (options.stop && options.stop->load())
    return true;
  if (!best)
    return false;
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  return options.timeLimitSeconds >= 0 &&
         elapsed.count() >= options.timeLimitSeconds;
}

llvm::Expected<ArenaPlanner::Attempt>
ArenaPlanner::consider(PlanResult result) {
  const Graph &graph = problem.graph;
  ArenaOptions arenaOptions;
  arenaOptions.work = 1'000'000'000;
  arenaOptions.stop = options.stop;
  llvm::Expected<PlanArena> arena =
      layOutPlan(graph, result.plan, alignment, arenaOptions);
  if (!arena)
    return arena.takeError();
  int64_t capacity = problem.budgetBytes == kNoBudget
                         ? kNoBudget
                         : problem.budgetBytes - graph.constantBytes();
  if (arena->neededBytes > capacity && arena->liveBytes <= capacity) {
    // Nothing but this capacity counts any more.
    arenaOptions.capacityBytes = capacity;
    llvm::Expected<PlanArena> other =
        layOutPlan(graph, result.plan, alignment, arenaOptions);
    if (!other)
      return other.takeError();
    if (other->neededBytes < arena->neededBytes)
      arena = std::move(other);
  }
  Attempt attempt{result.simulation.peakBytes, totalBytes(graph, *arena)};
  smallestTotal = std::min(smallestTotal, attempt.totalBytes);
  isFragmented |= arena->liveBytes <= capacity;
  if (arena->neededBytes <= capacity &&
      (!best || result.simulation.cost < best->simulation.cost)) {
    result.arena = std::move(*arena);
    best = std::move(result);
  }
  return attempt;
}

std::optional<ArenaPlanner::Attempt>
ArenaPlanner::attempt(int64_t budgetBytes, const PlanOptions &attemptOptions) {
  Problem smaller = problem;
  smaller.budgetBytes = budgetBytes;
  llvm::Expected<PlanResult> result = plan(smaller, attemptOptions);
  if (result) {
    llvm::Expected<Attempt> made = consider(std::move(*result));
    if (made)
      return *made;
    result = made.takeError();
  }
  llvm::consumeError(result.takeError());
  return std::nullopt;
}

/// Takes from the planner's budget what the arena had too much.
void ArenaPlanner::shrink(Attempt last) {
  constexpr int rounds = 8;
  PlanOptions shorter = options;
  shorter.timeLimitSeconds /= 8;
  int64_t breaks = last.peakBytes, refused = 0;
  for (int round = 0; round < rounds && !isOver(); ++round) {
    int64_t next = last.peakBytes -
                   std::max<int64_t>(last.totalBytes - problem.budgetBytes, 1);
    if (next <= refused)
      next = refused + (breaks - refused) / 2;
    if (next <= refused || next >= breaks)
      return;
    std::optional<Attempt> made = attempt(next, shorter);
    if (best)
      return refine(next, breaks);
    if (!made) {
      refused = next;
      continue;
    }
    breaks = std::min(breaks, made->peakBytes);
    last = *made;
  }
}

/// Looks for cheaper plans in budgets between one whose plan fits and one whose
/// plan does not.
void ArenaPlanner::refine(int64_t fits, int64_t breaks) {
  constexpr int rounds = 2;
  PlanOptions shorter = options;
  shorter.timeLimitSeconds /= 8;
  for (int round = 0; round < rounds && breaks - fits > 1 && !isOver();
       ++round) {
    int64_t middle = fits + (breaks - fits) / 2;
    std::optional<Attempt> made = attempt(middle, shorter);
    if (made && made->totalBytes <= problem.budgetBytes)
      fits = middle;
    else
      breaks = middle;
  }
}

/// Other plans of the same budget, of which any will do.
void ArenaPlanner::vary() {
  PlanOptions other = options;
  other.timeLimitSeconds /= 16;
  for (uint64_t seed = 1; seed <= 3 && !best && !isOver(); ++seed) {
    other.seed = options.seed + seed;
    attempt(problem.budgetBytes, other);
  }
  if (options.strategy != "auto")
    return;
  for (const Strategy &strategy : strategies()) {
    if (best || isOver())
      return;
    other.strategy = strategy.name.str();
    attempt(problem.budgetBytes, other);
  }
}

llvm::Error ArenaPlanner::infeasible(const PlanResult &first) const {
  InfeasibleBudget error;
  error.budgetBytes = problem.budgetBytes;
  error.constantBytes = problem.graph.constantBytes();
  error.baselinePeakBytes = first.baselinePeakBytes;
  Floor floor = peakFloor(problem.graph);
  error.floorBytes = floor.bytes;
  if (floor.node != kNone)
    error.floorNode = problem.graph.nodeName(floor.node).str();
  error.smallestBytes = smallestTotal;
  error.arenaAlignment = alignment;
  return llvm::make_error<InfeasibleBudget>(std::move(error));
}

llvm::Expected<PlanResult> ArenaPlanner::run() {
  llvm::Expected<PlanResult> first = plan(problem, options);
  if (!first)
    return first.takeError();
  llvm::Expected<Attempt> made = consider(*first);
  if (!made)
    return made.takeError();
  if (!best)
    shrink(*made);
  if (!best && isFragmented)
    vary();
  if (!best)
    return infeasible(*first);
  // What holds for all plans of the budget is said of the whole budget.
  best->lowerBound = std::min(first->lowerBound, best->simulation.cost);
  best->strategy = options.strategy;
  best->stopped = options.stop && options.stop->load();
  return std::move(*best);
}

llvm::Expected<PlanResult> planWithArena(const Problem &problem,
                                         const PlanOptions &options,
                                         int64_t alignment) {
  return ArenaPlanner(problem, options, alignment).run();
}

} // namespace reprise
