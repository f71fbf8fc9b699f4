// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/BoundChain.h"

#include <algorithm>

namespace reprise {

/// One sweep in each direction: the points are nested, so that one number per
/// node and direction tells all.
ChainPlaces placeOnChain(const Graph &graph, llvm::ArrayRef<NodeId> points) {
  uint32_t count = points.size();
  std::vector<uint32_t> pointOf(graph.numNodes(), kNone);
  for (uint32_t i = 0; i < count; ++i)
    pointOf[points[i]] = i;
  ChainPlaces places{std::vector<uint32_t>(graph.numNodes(), count),
                     std::vector<int32_t>(graph.numNodes(), -1)};
  llvm::ArrayRef<NodeId> order = graph.order();
  for (NodeId n : order) {
    int32_t &after = places.after[n];
    for (TensorId t : graph.reads(n))
      after = std::max(after, places.after[graph.producer(t)]);
    if (pointOf[n] != kNone)
      after = int32_t(pointOf[n]);
  }
  for (size_t k = order.size(); k-- > 0;) {
    NodeId n = order[k];
    uint32_t mine = pointOf[n] == kNone ? places.before[n] : pointOf[n];
    for (TensorId t : graph.reads(n)) {
      uint32_t &before = places.before[graph.producer(t)];
      before = std::min(before, mine);
    }
  }
  return places;
}

namespace {

class ChainAnalysis {
public:
  ChainAnalysis(const Problem &problem, BoundChain &chain)
      : problem(problem), graph(problem.graph), chain(chain),
        count(chain.points.size()),
        places(placeOnChain(graph, chain.points)),
        isPoint(graph.numNodes(), 0) {}

  void run() {
    for (NodeId x : chain.points)
      isPoint[x] = 1;
    findOwners();
    needs.assign(count, 0);
    for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t)
      if (owner[t] == t)
        addOwner(t);
    shareCosts();
  }

private:
  void findOwners();
  void addOwner(TensorId t);
  void addNeeds(TensorId t, uint32_t first);
  void shareCosts();

  const Problem &problem;
  const Graph &graph;
  BoundChain &chain;
  uint32_t count; ///< of moments
  ChainPlaces places;
  std::vector<uint8_t> isPoint;
  std::vector<TensorId> owner;   ///< what a chain of views starts at
  std::vector<TensorId> views;   ///< next view of the same owner, or kNone
  std::vector<uint8_t> needs;    ///< by moment, of the present owner
  std::vector<NodeId> unitNodes; ///< by unit
};

} // namespace

void ChainAnalysis::findOwners() {
  owner.resize(graph.numTensors());
  views.assign(graph.numTensors(), kNone);
  for (TensorId t = 0; t < owner.size(); ++t) {
    bool isView = graph.storageUse(t) == StorageUse::Alias;
    owner[t] = isView ? owner[graph.base(t)] : t;
    if (isView) {
      views[t] = views[owner[t]];
      views[owner[t]] = t;
    }
  }
}

/// Marks when \p t is wanted by nodes certain to run after x_first or later.
void ChainAnalysis::addNeeds(TensorId t, uint32_t first) {
  for (NodeId y : graph.users(t)) {
    if (places.after[y] < int32_t(first))
      continue;
    uint32_t i = places.after[y];
    if (isPoint[y])
      needs[i] |= ReadAtOnce;
    else if (places.before[y] == i + 1 && i + 1 < count)
      needs[i] |= ReadInside;
    else
      needs[i] |= ReadSometime;
  }
  if (graph.isOutput(t))
    needs[count - 1] |= ReadSometime;
}

void ChainAnalysis::addOwner(TensorId t) {
  NodeId p = graph.producer(t);
  StorageId s = graph.storage(t);
  uint32_t first = places.before[p];
  if (first >= count || graph.isConstantStorage(s) || !graph.storageBytes(s))
    return;
  for (TensorId v = t; v != kNone; v = views[v])
    addNeeds(v, first);
  uint32_t end = count;
  while (end > first && !needs[end - 1])
    --end;
  if (end == first)
    return;
  bool isDroppable = false;
  for (uint32_t i = first; i < end; ++i) {
    isDroppable |= needs[i] && !(needs[i] & ReadAtOnce);
    if ((needs[i] & ReadAtOnce) || !graph.mayRecompute(p))
      chain.capacityBytes[i] -= graph.storageBytes(s);
  }
  if (graph.mayRecompute(p)) {
    BoundUnit unit;
    unit.bytes = graph.storageBytes(s);
    unit.cost = isDroppable ? problem.costs[p] : 0;
    unit.first = first;
    unit.last = end - 1;
    unit.flagsAt = chain.flags.size();
    chain.units.push_back(unit);
    unitNodes.push_back(p);
    chain.flags.insert(chain.flags.end(), needs.begin() + first,
                       needs.begin() + end);
  }
  std::fill(needs.begin() + first, needs.begin() + end, 0);
}

/// A node with several outputs is run once for all: each gets a share of the
/// cost by its bytes, so that the shares add up to no more than one run.
void ChainAnalysis::shareCosts() {
  std::vector<double> bytes(graph.numNodes(), 0);
  for (size_t u = 0; u < chain.units.size(); ++u)
    if (chain.units[u].cost > 0)
      bytes[unitNodes[u]] += double(chain.units[u].bytes);
  for (size_t u = 0; u < chain.units.size(); ++u)
    if (chain.units[u].cost > 0)
      chain.units[u].cost *= double(chain.units[u].bytes) / bytes[unitNodes[u]];
}

BoundChain analyseChain(const Problem &problem, std::vector<NodeId> points) {
  const Graph &graph = problem.graph;
  BoundChain chain;
  chain.points = std::move(points);
  for (NodeId x : chain.points)
    chain.capacityBytes.push_back(problem.budgetBytes - graph.constantBytes() -
                                  graph.ownedBytes(x) -
                                  graph.workspaceBytes(x));
  ChainAnalysis(problem, chain).run();
  return chain;
}

double knapsackAt(const BoundChain &chain, uint32_t moment, double &price) {
  price = 0;
  int64_t missing = -chain.capacityBytes[moment];
  std::vector<std::pair<double, size_t>> drops;
  for (size_t u = 0; u < chain.units.size(); ++u) {
    const BoundUnit &unit = chain.units[u];
    if (unit.first > moment || unit.last < moment ||
        (chain.flags[unit.flagsAt + moment - unit.first] & ReadAtOnce))
      continue;
    missing += unit.bytes;
    drops.push_back({unit.cost / double(unit.bytes), u});
  }
  if (missing <= 0)
    return 0;
  llvm::sort(drops);
  double cost = 0;
  for (auto [density, u] : drops) {
    const BoundUnit &unit = chain.units[u];
    price = density;
    if (unit.bytes >= missing)
      return cost + density * double(missing);
    cost += unit.cost;
    missing -= unit.bytes;
  }
  return cost;
}

namespace {

/// The least cost of one unit at given prices, moment by moment:
/// a shortest path over three states.
///
///   Held   resident at the moment
///   Gone   not resident, and nothing owed
///   Owed   not resident, and a read that was certain to come after an earlier
///          moment may not have been served: one more making, by the end
class UnitPath {
public:
  enum State : uint8_t { Held, Gone, Owed };

  explicit UnitPath(uint32_t moments) : from(moments + 1) {}

  double solve(const BoundUnit &unit, const uint8_t *flags,
               llvm::ArrayRef<double> prices);
  /// Adds the bytes of the moments at which the unit is held.
  void addHeld(const BoundUnit &unit, const uint8_t *flags,
               std::vector<double> &bytes) const;

private:
  struct Values {
    double held, gone, owed;
  };
  /// Predecessors of the three states of a moment.
  struct Origin {
    State held, gone, owed;
  };

  static Values step(const Values &v, uint8_t need, double cost, Origin &o);

  std::vector<Origin> from;
  State lastState = Gone;
};

} // namespace

static constexpr double kNever = std::numeric_limits<double>::infinity();

/// Crosses the interval after a moment with the needs \p need.
UnitPath::Values UnitPath::step(const Values &v, uint8_t need, double cost,
                                Origin &o) {
  bool inside = need & ReadInside, sometime = need & ReadSometime;
  Values next;
  double made = std::min(v.gone, v.owed) + cost;
  State maker = v.gone <= v.owed ? Gone : Owed;
  next.held = std::min(v.held, made);
  o.held = v.held <= made ? Held : maker;
  double idle = inside || sometime ? kNever : v.gone;
  next.gone = std::min({v.held, idle, made});
  o.gone = next.gone == v.held ? Held : next.gone == idle ? Gone : maker;
  double owes = sometime && !inside ? v.gone : kNever;
  double stays = inside ? kNever : v.owed;
  next.owed = std::min(owes, stays);
  o.owed = owes <= stays ? Gone : Owed;
  return next;
}

double UnitPath::solve(const BoundUnit &unit, const uint8_t *flags,
                       llvm::ArrayRef<double> prices) {
  double bytes = double(unit.bytes);
  Values v{0, 0, kNever};
  for (uint32_t m = unit.first;; ++m) {
    uint8_t need = flags[m - unit.first];
    if (need & ReadAtOnce)
      v.gone = v.owed = kNever; // counted in the capacity
    else
      v.held += prices[m] * bytes;
    Origin &o = from[m + 1];
    v = step(v, need, unit.cost, o);
    if (m == unit.last)
      break;
  }
  double best = std::min({v.held, v.gone, v.owed + unit.cost});
  lastState = best == v.held ? Held : best == v.gone ? Gone : Owed;
  return best;
}

void UnitPath::addHeld(const BoundUnit &unit, const uint8_t *flags,
                       std::vector<double> &bytes) const {
  State state = lastState;
  for (uint32_t m = unit.last + 1; m-- > unit.first;) {
    const Origin &o = from[m + 1];
    state = state == Held ? o.held : state == Gone ? o.gone : o.owed;
    if (state == Held && !(flags[m - unit.first] & ReadAtOnce))
      bytes[m] += double(unit.bytes);
  }
}

double relaxedCost(const BoundChain &chain, llvm::ArrayRef<double> prices,
                   std::vector<double> &overBytes) {
  uint32_t count = chain.points.size();
  overBytes.assign(count, 0);
  UnitPath path(count);
  double sum = 0;
  for (const BoundUnit &unit : chain.units) {
    if (unit.cost <= 0)
      continue;
    const uint8_t *flags = chain.flags.data() + unit.flagsAt;
    sum += path.solve(unit, flags, prices);
    path.addHeld(unit, flags, overBytes);
  }
  for (uint32_t m = 0; m < count; ++m) {
    double capacity = double(chain.capacityBytes[m]);
    sum -= prices[m] * capacity;
    overBytes[m] -= capacity;
  }
  return sum;
}

} // namespace reprise
