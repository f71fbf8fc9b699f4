// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units u of bytes b_u are resident (r_u) or made again by makers n of cost c_n
// (m_n), which need the units that they read:
//
//   least   sum c_n m_n
//   where   r_u + m_maker(u) >= 1     for each needed unit
//           r_u + m_maker(u) >= m_n   for each unit that n reads
//           sum b_u r_u <= capacity
//
//   w [4] > a [4] > g [4]; g and w are needed; 6 bytes. Making g (cost 1) again
//   needs a, which fits beside nothing else: a (cost 9) is made again as well.
//
// With a price per byte in place of the capacity (Lagrange) what remains is a
// minimum cut: needed units on the source's side, an arc from each unit to its
// maker with what the unit's bytes cost, one from each maker to the sink with
// its cost, and arcs that cannot be cut from a maker to what it reads (a
// closure problem; Picard 1976). The best price is where two cuts of opposite
// excess meet, found by Newton's method on the lines of the cuts (as in
// Eisner and Severance 1976). All arithmetic of the flows is whole: costs are
// scaled and rounded down, which keeps the bound a bound.
//
// A price splits units. Where few large ones decide, the whole solution is far
// above: branch and bound, best bound first, on the largest unit about which
// the two cuts at the best price disagree. Stopped early it leaves the least
// bound of its open nodes.
//
// A relaxation takes some five flows, each nearly linear in practice.

#include "reprise/planner/MomentBound.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reprise {

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr unsigned kNewtonSteps = 40;
/// More than all units have.
static constexpr int64_t kAllBytes = int64_t(1) << 50;

MomentBound::MomentBound(const Moment &moment, double costUnit)
    : moment(moment), costUnit(costUnit), incumbent(kInfinity) {
  for (const MomentUnit &unit : moment.units)
    unitNodes.push_back(unit.isNeeded ? MaxFlow::kSource : network.addNode());
  for (size_t m = 0; m < moment.makerCosts.size(); ++m) {
    makerNodes.push_back(network.addNode());
    makerArcs.push_back(network.addArc(makerNodes[m], MaxFlow::kSink));
  }
  for (size_t u = 0; u < moment.units.size(); ++u) {
    uint32_t maker = moment.units[u].maker;
    unitArcs.push_back(network.addArc(
        unitNodes[u], maker == kNone ? MaxFlow::kSink : makerNodes[maker]));
  }
  for (size_t m = 0; m < moment.makerCosts.size(); ++m)
    for (uint32_t u : moment.makerReads[m])
      if (!moment.units[u].isNeeded)
        network.setCapacity(network.addArc(makerNodes[m], unitNodes[u]),
                            MaxFlow::kInfinite);
  scale(moment);
}

/// Whole capacities such that no sum overflows.
void MomentBound::scale(const Moment &moment) {
  int64_t share = MaxFlow::kInfinite / int64_t(moment.units.size() + 1);
  droppedCapacity = std::min<int64_t>(int64_t(1) << 46, share);
  largestCapacity = droppedCapacity / 8;
  double sum = std::accumulate(moment.makerCosts.begin(),
                               moment.makerCosts.end(), 0.0);
  scaleFactor = sum > 0 ? double(largestCapacity / 2) / sum : 1;
  for (double cost : moment.makerCosts)
    makerCapacities.push_back(int64_t(cost * scaleFactor));
}

/// On the source's side of the cut: needed, or read by what is made again.
bool MomentBound::isWanted(uint32_t unit) const {
  return moment.units[unit].isNeeded ||
         network.isOnSourceSide(unitNodes[unit]);
}

/// The line of the cut of the last flow.
void MomentBound::readCut(const Fixes &fixes, Line &line) const {
  line.cost = 0;
  for (size_t m = 0; m < moment.makerCosts.size(); ++m)
    if (network.isOnSourceSide(makerNodes[m]))
      line.cost += moment.makerCosts[m];
  int64_t bytes = 0;
  line.resident.assign(moment.units.size(), false);
  for (size_t u = 0; u < moment.units.size(); ++u) {
    uint32_t maker = moment.units[u].maker;
    bool isMade = maker != kNone && network.isOnSourceSide(makerNodes[maker]);
    line.resident[u] =
        fixes[u] == Resident || (isWanted(u) && !isMade);
    bytes += line.resident[u] ? moment.units[u].bytes : 0;
  }
  line.over = double(bytes - moment.capacityBytes);
}

/// Must a unit that no maker makes again be dropped although it is wanted?
bool MomentBound::isContradictory(const Fixes &fixes) const {
  std::vector<uint32_t> pending;
  std::vector<bool> isMade(moment.makerCosts.size(), false);
  for (uint32_t u = 0; u < fixes.size(); ++u)
    if (fixes[u] == Dropped && moment.units[u].isNeeded)
      pending.push_back(u);
  while (!pending.empty()) {
    uint32_t maker = moment.units[pending.back()].maker;
    pending.pop_back();
    if (maker == kNone)
      return true;
    if (isMade[maker])
      continue;
    isMade[maker] = true;
    for (uint32_t u : moment.makerReads[maker])
      if (fixes[u] == Dropped)
        pending.push_back(u);
  }
  return false;
}

/// The relaxation's value at \p price, which is a bound. \p line becomes that
/// of a cut with this value.
double MomentBound::evaluate(const Fixes &fixes, double price, Line &line) {
  for (size_t m = 0; m < makerArcs.size(); ++m)
    network.setCapacity(makerArcs[m], makerCapacities[m]);
  double rate = price * scaleFactor;
  int64_t resident = 0;
  for (size_t u = 0; u < unitArcs.size(); ++u) {
    const MomentUnit &unit = moment.units[u];
    double rent = std::min(rate * double(unit.bytes), double(largestCapacity));
    network.setCapacity(unitArcs[u], fixes[u] == Free ? int64_t(rent)
                                     : fixes[u] == Dropped ? droppedCapacity
                                                           : 0);
    resident += fixes[u] == Resident ? unit.bytes : 0;
  }
  int64_t flow = network.solve();
  readCut(fixes, line);
  double sum = double(flow) / scaleFactor;
  double due = price * double(moment.capacityBytes - resident);
  // Rents are rounded down but for the last bit of their product.
  double rounding = double(unitArcs.size() + 1) / scaleFactor +
                    4e-16 * (sum + std::fabs(due));
  return sum - due - rounding;
}

/// Finds the cut with the fewest resident bytes, and how many those are.
int64_t MomentBound::fewestBytes(const Fixes &fixes, Line &line) {
  for (uint32_t arc : makerArcs)
    network.setCapacity(arc, 0);
  int64_t resident = 0;
  for (size_t u = 0; u < unitArcs.size(); ++u) {
    int64_t bytes = moment.units[u].bytes;
    network.setCapacity(unitArcs[u], fixes[u] == Free      ? bytes
                                     : fixes[u] == Dropped ? kAllBytes
                                                           : 0);
    resident += fixes[u] == Resident ? bytes : 0;
  }
  int64_t flow = network.solve();
  readCut(fixes, line);
  return flow + resident;
}

int64_t MomentBound::fewestBytes() {
  Line line;
  return fewestBytes(Fixes(moment.units.size(), Free), line);
}

bool MomentBound::isSmallEnough(const Graph &graph) {
  int64_t bytes = 0;
  for (StorageId s = 0; s < graph.numStorages() && bytes < kAllBytes; ++s)
    bytes += std::min(graph.storageBytes(s), kAllBytes);
  return bytes < kAllBytes;
}

/// Nothing is made again: the cheapest cut where nothing is dropped.
MomentBound::Line MomentBound::holdAll(const Fixes &fixes) const {
  Line line;
  int64_t bytes = 0;
  line.resident.assign(fixes.size(), false);
  for (size_t u = 0; u < fixes.size(); ++u) {
    line.resident[u] = fixes[u] == Resident || moment.units[u].isNeeded;
    bytes += line.resident[u] ? moment.units[u].bytes : 0;
  }
  line.over = double(bytes - moment.capacityBytes);
  return line;
}

/// Every maker runs again: the dearest cut, of use where it fits.
MomentBound::Line MomentBound::makeAll(const Fixes &fixes) const {
  Line line;
  line.cost = std::accumulate(moment.makerCosts.begin(),
                              moment.makerCosts.end(), 0.0);
  int64_t bytes = 0;
  line.resident.assign(fixes.size(), false);
  for (size_t u = 0; u < fixes.size(); ++u) {
    line.resident[u] = fixes[u] == Resident || moment.units[u].maker == kNone;
    bytes += line.resident[u] ? moment.units[u].bytes : 0;
  }
  line.over = double(bytes - moment.capacityBytes);
  return line;
}

/// The best price, between a line that falls short of bytes and one that does
/// not.
MomentBound::Relaxed MomentBound::solve(const Fixes &fixes, double floor,
                                        double price) {
  Relaxed result;
  result.feasibleCost = kInfinity;
  if (isContradictory(fixes)) {
    result.bound = kInfinity;
    return result;
  }
  Line over = holdAll(fixes), under = makeAll(fixes), line;
  if (llvm::is_contained(fixes, Dropped))
    result.bound = evaluate(fixes, 0, over);
  if (over.over <= 0) {
    result.feasibleCost = over.cost;
    return result;
  }
  if (under.over > 0 && fewestBytes(fixes, under) > moment.capacityBytes) {
    result.bound = kInfinity;
    return result;
  }
  for (unsigned i = 0; i < kNewtonSteps; ++i) {
    double meeting = (under.cost - over.cost) / (over.over - under.over);
    double upper = over.cost + meeting * over.over;
    if (!(meeting > 0) || upper <= floor)
      break;
    bool isGuess = i == 0 && price > 0;
    result.price = isGuess ? price : meeting;
    double value = evaluate(fixes, result.price, line);
    result.bound = std::max(result.bound, value);
    bool isMet = !isGuess && line.cost + result.price * line.over >=
                                 upper * (1 - 1e-9);
    (line.over > 0 ? over : under) = line;
    if (isMet)
      break;
  }
  result.feasibleCost = under.cost;
  int64_t largest = 0;
  for (uint32_t u = 0; u < fixes.size(); ++u)
    if (fixes[u] == Free && over.resident[u] != under.resident[u] &&
        moment.units[u].bytes > largest) {
      largest = moment.units[u].bytes;
      result.branchUnit = u;
    }
  return result;
}

/// Extra costs are multiples of the unit.
double MomentBound::roundUp(double bound) const {
  if (costUnit <= 0 || bound <= 0 || bound == kInfinity)
    return std::max(0.0, bound);
  return std::ceil(bound / costUnit * (1 - 1e-15)) * costUnit;
}

double MomentBound::relax(double floor, double price) {
  nodes = {};
  best = 0;
  open(Fixes(moment.units.size(), Free), floor, price);
  best = nodes.empty() ? kInfinity : nodes.top().bound;
  lastPrice = nodes.empty() ? 0 : nodes.top().price;
  return best;
}

/// Adds a node of the branching, unless it has no solution.
void MomentBound::open(Fixes fixes, double floor, double price) {
  Relaxed relaxed = solve(fixes, floor, price);
  incumbent = std::min(incumbent, relaxed.feasibleCost);
  if (relaxed.bound == kInfinity)
    return;
  // What holds for the node that it comes from holds for this one.
  nodes.push({std::max(best, roundUp(relaxed.bound)), opened++, relaxed.price,
              relaxed.branchUnit, std::move(fixes)});
}

void MomentBound::branch(unsigned steps, double target) {
  for (; steps > 0 && !exact && best < target; --steps) {
    if (nodes.empty() || nodes.top().branchUnit == kNone ||
        nodes.top().bound >= incumbent * (1 - 1e-10)) {
      exact = true;
      break;
    }
    OpenNode node = nodes.top();
    nodes.pop();
    for (Fix fix : {Resident, Dropped}) {
      Fixes fixes = node.fixes;
      fixes[node.branchUnit] = fix;
      open(std::move(fixes), 0, node.price);
    }
    best = nodes.empty() ? incumbent : std::min(incumbent, nodes.top().bound);
  }
}

} // namespace reprise
