// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Explanation.h"

#include "reprise/planner/RangeMaximum.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace reprise {

/// Deepest prefix that is tried where none is asked for.
static constexpr unsigned kMaxDepth = 6;
static constexpr size_t kEnoughGroups = 4;

namespace {

class Explainer {
public:
  Explainer(const Graph &graph, llvm::ArrayRef<double> costs, const Plan &plan,
            Simulation simulation)
      : graph(graph), costs(costs), plan(plan) {
    result.simulation = std::move(simulation);
    result.stays = staysOf(graph, plan);
  }

  Explanation run(unsigned depth);

private:
  int64_t bytesOf(const Stay &stay) const {
    return graph.storageBytes(graph.storage(stay.owner));
  }
  void sortByBytes(std::vector<Stay> &stays) const;
  void explainPeak();
  void explainTurn();
  void explainRecomputation();
  void addGap(const Stay &earlier, const Stay &later,
              const RangeMaximum &usage);
  std::vector<NodeGroup>
  group(const std::function<std::string(NodeId)> &nameOf) const;
  std::vector<NodeGroup> groupByPrefix(unsigned depth) const;

  const Graph &graph;
  llvm::ArrayRef<double> costs;
  const Plan &plan;
  Explanation result;
  /// The outputs that one run makes again, as they come.
  struct Gap {
    NodeId node = kNone;
    size_t end = 0;    ///< step of the run
    int64_t bytes = 0; ///< of the outputs
    int64_t most = 0;  ///< largest usage while they were gone
  };
  Gap gap;
  std::vector<size_t> runCounts;       ///< by node
  std::vector<RecomputedNode *> rowOf; ///< by node; null: runs once
};

} // namespace

void Explainer::sortByBytes(std::vector<Stay> &stays) const {
  llvm::stable_sort(stays, [&](const Stay &a, const Stay &b) {
    return bytesOf(a) > bytesOf(b);
  });
}

void Explainer::explainPeak() {
  if (plan.steps.empty())
    return;
  size_t step = result.simulation.peakStep;
  result.peakNode = plan.steps[step].id;
  int64_t newBytes = 0;
  for (const Stay &stay : result.stays) {
    if (!stay.covers(step))
      continue;
    if (stay.begin == step)
      newBytes += bytesOf(stay);
    if (bytesOf(stay) > 0)
      result.atPeak.push_back(stay);
  }
  result.secondCopyBytes = graph.ownedBytes(result.peakNode) - newBytes;
  sortByBytes(result.atPeak);
}

void Explainer::explainTurn() {
  TurnSteps turn = turnOf(graph, plan);
  result.turnStep = turn.turn;
  for (const Stay &stay : result.stays)
    if (turn.isSpannedBy(stay) && bytesOf(stay) > 0) {
      result.acrossTurn.push_back(stay);
      result.turnBytes += bytesOf(stay);
    }
  sortByBytes(result.acrossTurn);
}

/// \p later makes again what \p earlier had.
void Explainer::addGap(const Stay &earlier, const Stay &later,
                       const RangeMaximum &usage) {
  NodeId n = graph.producer(later.owner);
  if (!rowOf[n])
    return;
  if (gap.node != n || gap.end != later.begin)
    gap = {n, later.begin, 0, 0};
  gap.bytes += bytesOf(later);
  gap.most = std::max(gap.most, usage.of(earlier.end, later.begin));
  RecomputedNode &row = *rowOf[n];
  row.freedBytes = std::max(row.freedBytes, gap.bytes);
  row.peakIfKeptBytes = std::max(row.peakIfKeptBytes, gap.most + gap.bytes);
}

void Explainer::explainRecomputation() {
  runCounts.assign(graph.numNodes(), 0);
  for (const Step &step : plan.steps)
    if (step.kind != Step::Free)
      ++runCounts[step.id];
  std::vector<RecomputedNode> &rows = result.recomputed;
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (runCounts[n] > 1) {
      size_t again = runCounts[n] - 1;
      rows.push_back(
          {n, again, double(again) * costs[n], 0, result.simulation.peakBytes});
    }
  rowOf.assign(graph.numNodes(), nullptr);
  for (RecomputedNode &row : rows)
    rowOf[row.node] = &row;
  RangeMaximum usage(result.simulation.usageBytes);
  std::vector<uint32_t> lastStay(graph.numTensors(), kNone);
  for (uint32_t i = 0; i < result.stays.size(); ++i) {
    const Stay &stay = result.stays[i];
    uint32_t &last = lastStay[stay.owner];
    if (last != kNone)
      addGap(result.stays[last], stay, usage);
    last = i;
  }
  llvm::stable_sort(rows, [](const RecomputedNode &a, const RecomputedNode &b) {
    return a.cost > b.cost;
  });
}

std::vector<NodeGroup>
Explainer::group(const std::function<std::string(NodeId)> &nameOf) const {
  llvm::StringMap<uint32_t> indices;
  std::vector<NodeGroup> groups;
  std::vector<uint32_t> groupOf(graph.numNodes());
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    std::string name = nameOf(n);
    auto [entry, isNew] = indices.try_emplace(name, groups.size());
    if (isNew)
      groups.emplace_back().name = name;
    groupOf[n] = entry->second;
    NodeGroup &g = groups[groupOf[n]];
    size_t again = std::max<size_t>(runCounts[n], 1) - 1;
    ++g.nodes;
    g.recomputedRuns += again;
    g.cost += costs[n] * double(runCounts[n]);
    g.recomputedCost += costs[n] * double(again);
  }
  for (const Stay &stay : result.atPeak)
    groups[groupOf[graph.producer(stay.owner)]].peakBytes += bytesOf(stay);
  for (const Stay &stay : result.acrossTurn)
    groups[groupOf[graph.producer(stay.owner)]].turnBytes += bytesOf(stay);
  llvm::stable_sort(groups, [](const NodeGroup &a, const NodeGroup &b) {
    return std::make_pair(a.peakBytes, a.turnBytes) >
           std::make_pair(b.peakBytes, b.turnBytes);
  });
  return groups;
}

/// The first \p depth parts of \p name.
static llvm::StringRef prefixOf(llvm::StringRef name, unsigned depth) {
  // A gradient belongs to the layer of its node.
  if (!name.consume_back(".grad"))
    name.consume_back(".seed");
  llvm::StringRef separators =
      name.find_first_of("/.:") == llvm::StringRef::npos ? "_" : "/.:";
  size_t end = name.find_first_not_of(separators);
  for (unsigned part = 0; part < depth && end < name.size(); ++part) {
    if (part > 0)
      end = name.find_first_not_of(separators, end);
    end = name.find_first_of(separators, end);
  }
  return name.substr(0, end);
}

std::vector<NodeGroup> Explainer::groupByPrefix(unsigned depth) const {
  auto at = [&](unsigned d) {
    return group(
        [&](NodeId n) { return prefixOf(graph.nodeName(n), d).str(); });
  };
  if (depth > 0)
    return at(depth);
  std::vector<NodeGroup> best;
  for (unsigned d = 1; d <= kMaxDepth && best.size() < kEnoughGroups; ++d) {
    std::vector<NodeGroup> groups = at(d);
    if (groups.size() > best.size())
      best = std::move(groups);
  }
  return best;
}

Explanation Explainer::run(unsigned depth) {
  explainPeak();
  explainTurn();
  explainRecomputation();
  result.byOperator = group([&](NodeId n) { return graph.opType(n).str(); });
  result.byPrefix = groupByPrefix(depth);
  return std::move(result);
}

llvm::Expected<Explanation> explain(const Graph &graph,
                                    llvm::ArrayRef<double> costs,
                                    const Plan &plan, unsigned depth) {
  llvm::Expected<Simulation> simulation = simulate(graph, costs, plan);
  if (!simulation)
    return simulation.takeError();
  return Explainer(graph, costs, plan, std::move(*simulation)).run(depth);
}

} // namespace reprise
