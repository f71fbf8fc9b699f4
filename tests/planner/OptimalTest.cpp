// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exact method against a search without any of its rules.

#include "reprise/planner/Optimal.h"

#include "reprise/planner/Floor.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/Strategies.h"
#include "support/HandMadeGraphs.h"
#include "support/RandomGraph.h"

#include <doctest/doctest.h>

#include <map>
#include <queue>
#include <set>

using namespace reprise;

/// Random graphs that are tried.
static constexpr uint64_t kSeeds = 60;

namespace {

/// A state of the plain search: which nodes have run, which tensors are
/// resident and in which buffer (0: none). Every free is a step of its own.
struct PlainState {
  std::vector<uint8_t> ran;
  std::vector<uint32_t> bufferOf;

  auto operator<=>(const PlainState &) const = default;
};

/// Dijkstra over all legal steps of the memory model; for graphs of a handful
/// of nodes.
class PlainSearch {
public:
  explicit PlainSearch(const Problem &problem)
      : problem(problem), graph(problem.graph) {}

  /// Least extra cost within the budget; negative: nothing fits.
  double solve();

private:
  using Entry = std::pair<double, PlainState>;

  void offer(double cost, PlainState state);
  void run(double cost, const PlainState &s, NodeId n);
  bool isRunnable(const PlainState &s, NodeId n) const;
  bool isDone(const PlainState &s) const;
  int64_t liveBytes(const PlainState &s) const;
  static PlainState canonical(PlainState s);

  const Problem &problem;
  const Graph &graph;
  std::map<PlainState, double> best;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> open;
};

} // namespace

int64_t PlainSearch::liveBytes(const PlainState &s) const {
  int64_t bytes = graph.constantBytes();
  std::set<uint32_t> seen;
  for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t)
    if (s.bufferOf[t] && !graph.isConstantStorage(graph.storage(t)) &&
        seen.insert(s.bufferOf[t]).second)
      bytes += graph.storageBytes(graph.storage(t));
  return bytes;
}

/// Numbers the buffers in the order of the tensors.
PlainState PlainSearch::canonical(PlainState s) {
  std::map<uint32_t, uint32_t> names;
  for (uint32_t &buffer : s.bufferOf)
    if (buffer)
      buffer = names.try_emplace(buffer, names.size() + 1).first->second;
  return s;
}

void PlainSearch::offer(double cost, PlainState state) {
  state = canonical(std::move(state));
  auto [it, isNew] = best.try_emplace(state, cost);
  if (!isNew && it->second <= cost)
    return;
  it->second = cost;
  open.push({cost, std::move(state)});
}

bool PlainSearch::isRunnable(const PlainState &s, NodeId n) const {
  for (TensorId t : graph.reads(n))
    if (!s.bufferOf[t])
      return false;
  if (s.ran[n])
    return graph.mayRecompute(n);
  for (NodeId m = 0; m < graph.numNodes(); ++m)
    if (graph.isNever(n) && graph.isNever(m) && !s.ran[m] &&
        graph.position(m) < graph.position(n))
      return false;
  for (TensorId t : graph.reads(n)) {
    if (graph.overwriter(t) != n)
      continue;
    for (TensorId v : graph.tensorsOn(graph.storage(t)))
      for (NodeId u : graph.users(v))
        if (graph.position(u) < graph.position(n) && !s.ran[u])
          return false; // an in-place node comes after the other readers
    for (TensorId v = graph.numConstants(); v < graph.numTensors(); ++v)
      if (v != t && s.bufferOf[v] == s.bufferOf[t])
        return false; // a view of the old value is resident
  }
  return true;
}

void PlainSearch::run(double cost, const PlainState &s, NodeId n) {
  if (!isRunnable(s, n) ||
      liveBytes(s) + graph.ownedBytes(n) + graph.workspaceBytes(n) >
          problem.budgetBytes)
    return;
  PlainState next = s;
  next.ran[n] = 1;
  uint32_t fresh = graph.numTensors() + 1;
  for (TensorId t : graph.outputs(n)) {
    if (t == kNone)
      continue;
    TensorId base = graph.base(t);
    if (graph.storageUse(t) == StorageUse::InPlace)
      std::swap(next.bufferOf[t], next.bufferOf[base]);
    else if (next.bufferOf[t])
      continue;
    else if (graph.storageUse(t) == StorageUse::Alias &&
             !graph.isConstant(base))
      next.bufferOf[t] = next.bufferOf[base];
    else
      next.bufferOf[t] = fresh++;
  }
  offer(cost + (s.ran[n] ? problem.costs[n] : 0), std::move(next));
}

bool PlainSearch::isDone(const PlainState &s) const {
  for (uint8_t ran : s.ran)
    if (!ran)
      return false;
  for (TensorId t : graph.graphOutputs())
    if (!graph.isConstant(t) && !s.bufferOf[t])
      return false;
  return true;
}

double PlainSearch::solve() {
  if (problem.budgetBytes < graph.constantBytes())
    return -1;
  PlainState start;
  start.ran.assign(graph.numNodes(), 0);
  start.bufferOf.assign(graph.numTensors(), 0);
  offer(0, start);
  while (!open.empty()) {
    auto [cost, s] = open.top();
    open.pop();
    if (best[s] < cost)
      continue;
    if (isDone(s))
      return cost;
    for (NodeId n = 0; n < graph.numNodes(); ++n)
      run(cost, s, n);
    for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t)
      if (s.bufferOf[t]) {
        PlainState freed = s;
        freed.bufferOf[t] = 0;
        offer(cost, std::move(freed));
      }
  }
  return -1;
}

static void checkAgainstPlainSearch(const Graph &graph, int64_t budget,
                                    uint64_t seed) {
  CAPTURE(seed);
  CAPTURE(budget);
  Problem problem = Problem::of(graph, budget);
  double extra = PlainSearch(problem).solve();
  OptimalResult result = solveOptimal(problem);
  REQUIRE(result.proven);
  REQUIRE(result.runs.has_value() == (extra >= 0));
  if (!result.runs)
    return;
  llvm::Expected<Simulation> simulation =
      simulate(graph, problem.costs, planFromRuns(graph, *result.runs));
  REQUIRE(bool(simulation));
  double once = costOfRuns(problem.costs, graph.order());
  CHECK(simulation->peakBytes <= budget);
  CHECK(simulation->cost == doctest::Approx(once + extra));
  CHECK(result.lowerBound <= simulation->cost);
  CHECK(result.lowerBound >= simulation->cost * (1 - 1e-9));
}

TEST_CASE("the exact method finds what a search without its rules finds") {
  RandomGraphOptions options;
  options.forwardNodes = 3; // seven nodes or so
  options.aliasShare = 20;
  options.inplaceShare = 15;
  options.neverShare = 5;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Graph graph = randomGraph(seed, options);
    int64_t floor = peakFloor(graph).bytes;
    int64_t peak = peakOfRuns(graph, graph.order());
    for (int64_t budget : {floor - 1, floor, (floor + peak) / 2, peak - 1})
      checkAgainstPlainSearch(graph, budget, seed);
  }
}

TEST_CASE("nine equal layers cost 47 in five bytes and 19 in twelve") {
  Graph graph = unitChain(9);
  auto cost = [&](int64_t budget) {
    OptimalResult result = solveOptimal(Problem::of(graph, budget));
    REQUIRE(result.runs);
    CHECK(result.proven);
    return double(result.runs->size());
  };
  CHECK(cost(5) == 47);
  CHECK(cost(6) == 28);
  CHECK(cost(7) == 24);
  CHECK(cost(12) == 19);
  OptimalResult refused = solveOptimal(Problem::of(graph, 4));
  CHECK(refused.proven);
  CHECK_FALSE(refused.runs);
}

TEST_CASE("a limit ends the search without a proof but with a bound") {
  Graph graph = unitChain(12);
  OptimalLimits limits;
  limits.maxStates = 200;
  OptimalResult result = solveOptimal(Problem::of(graph, 5), limits);
  CHECK_FALSE(result.proven);
  CHECK_FALSE(result.runs);
  CHECK(result.lowerBound > 25); // every node once
  OptimalResult full = solveOptimal(Problem::of(graph, 5));
  REQUIRE(full.proven);
  CHECK(result.lowerBound <= full.lowerBound);
}

TEST_CASE("a limit of work leaves the known plan, and its result is the same "
          "each time") {
  Graph graph = unitChain(12);
  Problem problem = Problem::of(graph, 6);
  RunSequence known = chainDp(problem, {});
  REQUIRE(peakOfRuns(graph, known) <= 6);
  OptimalLimits limits;
  limits.maxWork = 20'000;
  OptimalResult first = solveOptimal(problem, limits, known);
  CHECK_FALSE(first.proven);
  CHECK(first.runs == known);
  CHECK(first.lowerBound <= costOfRuns(problem.costs, known));
  OptimalResult second = solveOptimal(problem, limits, known);
  CHECK(first.lowerBound == second.lowerBound);
  CHECK(first.expanded == second.expanded);
}

TEST_CASE("a known optimum is proven without being found again") {
  Graph graph = unitChain(9);
  Problem problem = Problem::of(graph, 6);
  OptimalResult alone = solveOptimal(problem);
  REQUIRE(alone.runs);
  OptimalResult again = solveOptimal(problem, {}, *alone.runs);
  CHECK(again.proven);
  CHECK(again.runs == alone.runs);
  CHECK(again.lowerBound == alone.lowerBound);
  CHECK(again.expanded <= alone.expanded);
}

TEST_CASE("a proven optimum has no gap, whichever strategy proved it") {
  Graph graph = unitChain(9);
  for (llvm::StringRef strategy : {"auto", "optimal"}) {
    PlanOptions options;
    options.strategy = strategy.str();
    llvm::Expected<PlanResult> result = plan(Problem::of(graph, 5), options);
    REQUIRE(bool(result));
    CHECK(result->simulation.cost == 47);
    CHECK(result->lowerBound == 47);
  }
}

TEST_CASE("the search stops when it is told to") {
  Graph graph = unitChain(40);
  std::atomic<bool> stop = true;
  OptimalLimits limits;
  limits.stop = &stop;
  OptimalResult result = solveOptimal(Problem::of(graph, 8), limits);
  CHECK_FALSE(result.proven);
}

TEST_CASE("a graph beyond the limit of size is left alone at once") {
  Graph graph = unitChain(100);
  OptimalResult result = solveOptimal(Problem::of(graph, 20));
  CHECK_FALSE(result.proven);
  CHECK_FALSE(result.runs);
  CHECK(result.expanded == 0);
  Problem problem = Problem::of(graph, 20);
  CHECK(peakOfRuns(graph, optimal(problem, {}).runs) <= 20);
}
