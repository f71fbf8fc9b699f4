// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reprise/planner/ChainDp.h"
#include "reprise/planner/DpTrace.h"
#include "reprise/planner/Incumbent.h"
#include "reprise/planner/Revolve.h"
#include "reprise/planner/Strategies.h"
#include "reprise/planner/TimedStop.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace reprise {

// Limits, each set so that a table takes about a second at most.

/// Candidate cuts of a chain, where every cut may matter.
static constexpr uint32_t kChainCuts = 1024;
/// Candidate cuts of other graphs: fewer cuts with long blocks between them
/// are better, as the saved sets look inside.
static constexpr uint32_t kGraphCuts = 96;
/// Options of all states together; beyond it the cuts are thinned out.
static constexpr uint64_t kMostOptions = 15'000'000;
/// Elementary steps that a grid may take, which sets its number of slots.
static constexpr uint64_t kGridWork = 30'000'000'000;
static constexpr int64_t kFewestSlots = 512, kMostSlots = 4096;
/// Forward nodes times cuts that the model may walk over.
static constexpr uint64_t kModelWork = 20'000'000;
/// Breakpoints made for an exact table.
static constexpr uint64_t kExactPoints = 1'500'000;

/// At most \p most cuts: the cheapest one of each stretch of equal weight in
/// kept bytes, cost and nodes.
static std::vector<uint32_t>
chooseCuts(const Cuts &cuts, llvm::ArrayRef<double> costs, uint32_t most) {
  uint32_t n = cuts.numForward();
  std::vector<uint32_t> chosen;
  if (n <= most) {
    chosen.resize(n + 1);
    std::iota(chosen.begin(), chosen.end(), 0);
    return chosen;
  }
  double keptSum = 1, costSum = 1;
  for (uint32_t i = 0; i < n; ++i) {
    keptSum += cuts.keptBytes[i];
    costSum += costs[cuts.forward[i]];
  }
  chosen.push_back(0);
  double weight = 0, next = 1;
  uint32_t best = 0;
  for (uint32_t i = 1; i < n; ++i) {
    weight += (cuts.keptBytes[i - 1] / keptSum +
               costs[cuts.forward[i - 1]] / costSum + 1.0 / n) *
              most / 3;
    if (best == 0 || cuts.crossingBytes[i] <= cuts.crossingBytes[best])
      best = i;
    if (weight >= next) {
      chosen.push_back(best);
      best = 0;
      next = std::max(next + 1, weight);
    }
  }
  chosen.push_back(n);
  return chosen;
}

/// Is nearly every crossing set a single storage?
static bool isChain(const Graph &graph, const Cuts &cuts) {
  uint64_t crossings = 0;
  for (StorageId s = graph.numConstants(); s < graph.numStorages(); ++s)
    if (cuts.made[s] != kNone && graph.storageBytes(s) > 0)
      crossings += std::min(cuts.end[s], cuts.numForward()) - cuts.made[s] - 1;
  return crossings <= cuts.numForward() + cuts.numForward() / 8;
}

/// The largest unit that divides all sizes.
static int64_t commonUnit(const Graph &graph) {
  uint64_t unit = 0;
  for (StorageId s = graph.numConstants(); s < graph.numStorages(); ++s)
    unit = llvm::GreatestCommonDivisor64(unit, graph.storageBytes(s));
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    unit = llvm::GreatestCommonDivisor64(unit, graph.workspaceBytes(n));
  return std::max<int64_t>(unit, 1);
}

namespace {

/// Cuts, model and table of one problem.
class Planning {
public:
  Planning(const Problem &problem, int64_t mostBytes,
           const std::atomic<bool> *stop);

  /// Offers schedules for \p room bytes beyond the constants to \p best.
  void search(Incumbent &best, int64_t room);

private:
  void makeTable(int64_t mostBytes);
  bool searchTable(Incumbent &best, int64_t room) const;
  void searchRevolve(Incumbent &best, int64_t room) const;
  int64_t leastBytes() const;
  double extraCost(int64_t bytes) const {
    return table->cost(0, model->last(), bytes, /*holds=*/false);
  }
  int64_t offer(Incumbent &best, int64_t bytes) const {
    return best.offer(traceRuns(graph, cuts, *model, *table, bytes)) -
           graph.constantBytes();
  }

  const Graph &graph;
  const std::atomic<bool> *stop; ///< asks for an end without a table
  Cuts cuts;
  std::vector<double> costs; ///< with a little for each run, against idle ones
  std::unique_ptr<DpModel> model;
  std::unique_ptr<DpStates> states;
  std::unique_ptr<DpTable> table;
  int64_t most = 0;  ///< bytes that the table goes up to
  bool wide = false; ///< it goes far beyond the largest room
};

} // namespace

Planning::Planning(const Problem &problem, int64_t mostBytes,
                   const std::atomic<bool> *stop)
    : graph(problem.graph), stop(stop), cuts(Cuts::of(graph)),
      costs(problem.costs) {
  double sum = std::accumulate(costs.begin(), costs.end(), 0.0);
  double little = sum > 0 ? sum / costs.size() * 1e-6 : 1;
  for (double &cost : costs)
    cost += little;
  uint32_t n = cuts.numForward();
  bool isLine = isChain(graph, cuts);
  uint64_t count = isLine ? kChainCuts : kGraphCuts;
  count = std::min<uint64_t>({n, count, kModelWork / (n + 1) + 16});
  while (true) {
    model = std::make_unique<DpModel>(graph, cuts, costs,
                                      chooseCuts(cuts, costs, count));
    if (isLine)
      model->addSaves(model->last() > 300 ? 12 : 20, /*nodes=*/96,
                      /*limit=*/10, stop);
    else
      model->addSaves(/*span=*/60, /*nodes=*/400, /*limit=*/10, stop);
    if (isSet(stop))
      return;
    states = std::make_unique<DpStates>(*model);
    if (states->options <= kMostOptions || count <= 32)
      break;
    count = count * 3 / 4;
  }
  makeTable(mostBytes + mostBytes / 32);
}

void Planning::makeTable(int64_t mostBytes) {
  int64_t leaf = model->pair(0, model->last()).leafNeed;
  most = std::clamp<int64_t>(mostBytes, 1, std::max<int64_t>(leaf, 1));
  int64_t unit = commonUnit(graph);
  int64_t slots = std::clamp<int64_t>(kGridWork / (states->options + 1),
                                      kFewestSlots, kMostSlots);
  if (most / unit > slots) {
    if (model->last() <= 64)
      table = makeExactTable(*model, *states, most, kExactPoints, stop);
    if (table)
      return;
    unit = most / slots + 1;
  }
  table = makeGridTable(*model, *states, most, unit, stop);
}

/// The least bytes for which the table has a schedule.
int64_t Planning::leastBytes() const {
  int64_t low = 0, high = most;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (extraCost(middle) < std::numeric_limits<double>::infinity())
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

/// False when schedules from beyond the table might be cheaper and fit.
bool Planning::searchTable(Incumbent &best, int64_t room) const {
  // The model may be a little off in either direction: the most bytes for
  // which the replayed schedule fits are looked for.
  int64_t low = leastBytes(), high = most;
  int64_t at = std::clamp(room, low, high);
  if (offer(best, at) > room) {
    high = at;
    if (low < high && offer(best, low) > room)
      return true; // as small as it gets
  } else {
    low = at;
  }
  for (int step = 0; step < 10 && !isSet(stop); ++step) {
    if (high - low <= most / 4096 || extraCost(low) == extraCost(high))
      break;
    at = low + (high - low) / 2;
    if (step == 0 && low == room) // most models are close
      at = std::min(low + low / 64 + 1, high);
    (offer(best, at) <= room ? low : high) = at;
  }
  return high < most || extraCost(most) == extraCost(room);
}

void Planning::search(Incumbent &best, int64_t room) {
  if (!table)
    return;
  if (!searchTable(best, room) && !wide) {
    wide = true;
    makeTable(room + room / 2);
    if (!table)
      return;
    searchTable(best, room);
  }
  if (model->last() < cuts.numForward() && isChain(graph, cuts))
    searchRevolve(best, room);
}

/// Binomial checkpointing for what is too long for the table: the most states
/// that fit, every forward node a step.
void Planning::searchRevolve(Incumbent &best, int64_t room) const {
  uint32_t n = cuts.numForward();
  std::vector<uint32_t> steps(n + 1);
  std::iota(steps.begin(), steps.end(), 0);
  int64_t average = std::accumulate(cuts.crossingBytes.begin(),
                                    cuts.crossingBytes.end(), int64_t(0)) /
                        (n + 1) +
                    1;
  uint64_t low = 1, high = std::clamp<int64_t>(room / average, 1, n);
  auto runsTooLong = [&](uint64_t states) {
    return revolveExtraSteps(n, states) > 8 * uint64_t(n) + 10'000'000;
  };
  for (int attempt = 0; attempt < 8 && low <= high && !isSet(stop); ++attempt) {
    uint64_t states = attempt == 0 ? std::max<uint64_t>(high * 15 / 16, 1)
                                   : low + (high - low) / 2;
    if (runsTooLong(states)) {
      low = states + 1;
      continue;
    }
    int64_t peak = best.offer(revolveRuns(graph, cuts, steps, states)) -
                   graph.constantBytes();
    if (peak <= room)
      low = states + 1;
    else
      high = states - 1;
    if (peak > room && states == 1)
      break;
  }
}

std::vector<RunSequence> chainDpCurve(const Problem &problem,
                                      llvm::ArrayRef<int64_t> budgetBytes,
                                      const std::atomic<bool> *stop) {
  const Graph &graph = problem.graph;
  std::unique_ptr<Planning> planning;
  std::vector<RunSequence> result;
  PlanOptions toStop;
  toStop.stop = stop;
  int64_t mostRoom = 0;
  for (int64_t budget : budgetBytes)
    if (budget != kNoBudget)
      mostRoom = std::max(mostRoom, budget - graph.constantBytes());
  for (int64_t budget : budgetBytes) {
    Problem part = problem;
    part.budgetBytes = budget;
    Incumbent best(part);
    best.offer(keepAll(part, {}));
    if (graph.isTraining() && !best.fits()) {
      if (!planning)
        planning = std::make_unique<Planning>(problem, mostRoom, stop);
      planning->search(best, budget - graph.constantBytes());
      if (!best.fits())
        best.offer(sqrtN(part, toStop));
    }
    result.push_back(best.take());
  }
  return result;
}

RunSequence chainDp(const Problem &problem, const PlanOptions &options) {
  return chainDpCurve(problem, problem.budgetBytes, options.stop).front();
}

} // namespace reprise
