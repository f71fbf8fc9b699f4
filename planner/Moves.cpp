// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Moves.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

namespace reprise {

/// Recomputations that pull in more runs than this are not worth a try: they
/// come about from smaller ones.
static constexpr size_t kMaxClosure = 400;

Moves::Moves(RunList &list, llvm::ArrayRef<double> costs)
    : list(list), graph(list.graph()), costs(costs),
      stamp(graph.numNodes(), 0) {
  for (StorageId s = graph.numConstants(); s < graph.numStorages(); ++s)
    if (graph.storageBytes(s) > 0)
      bySize.push_back(s);
  std::stable_sort(bySize.begin(), bySize.end(),
                   [&](StorageId a, StorageId b) {
                     return graph.storageBytes(a) > graph.storageBytes(b);
                   });
}

void Moves::neededFrom(StorageId s, RunId at, std::vector<TensorId> &result) {
  result.clear();
  uint64_t from = list.key(at);
  for (TensorId t : graph.tensorsOn(s)) {
    if (graph.isConstant(t))
      continue;
    NodeId maker = graph.producer(t);
    RunId made = list.lastRunBefore(maker, at);
    if (made == kNone || (at != kNone && list.node(at) == maker))
      continue;
    RunId again = list.firstRunAfter(maker, at);
    bool needed = again == kNone && graph.isOutput(t);
    uint64_t to = list.key(again);
    for (NodeId u : graph.users(t)) {
      for (RunId r : list.runsOf(u))
        needed |= list.key(r) >= from && list.key(r) < to;
      if (needed)
        break;
    }
    if (needed)
      result.push_back(t);
  }
}

bool Moves::holdsInput(TensorId t, RunId at, StorageId dropped,
                       double holdPrice) {
  if (graph.isConstant(t))
    return true;
  if (graph.storage(t) == dropped)
    return false;
  if (list.isLiveAt(t, at))
    return true;
  NodeId maker = graph.producer(t);
  RunId made = list.lastRunBefore(maker, at);
  if (made == kNone)
    return false;
  if (graph.overwriter(t) != kNone) {
    RunId over = list.lastRunBefore(graph.overwriter(t), at);
    if (over != kNone && list.before(made, over))
      return false;
  }
  if (!graph.mayRecompute(maker))
    return true;
  StorageId s = graph.storage(t);
  int64_t bytes = graph.storageBytes(s);
  if (costs[maker] > holdPrice * double(bytes))
    return true;
  // Room to hold it from where it dies now?
  RunId end = made;
  for (const Interval &i : list.intervals(s))
    if (!list.before(made, i.start) && i.end != kNone &&
        list.before(end, i.end) && list.before(i.end, at))
      end = i.end;
  return costs[maker] > 0 &&
         list.maxBetween(end, at) <= list.budgetBytes() - bytes;
}

bool Moves::recomputeBefore(RunId at, llvm::ArrayRef<TensorId> wanted,
                            StorageId dropped, double holdPrice) {
  ++moveId;
  size_t inserted = 0;
  for (TensorId t : wanted) {
    NodeId root = graph.producer(t);
    if (stamp[root] == moveId)
      continue;
    stamp[root] = moveId;
    stack.assign(1, {root, 0});
    while (!stack.empty()) {
      auto &[n, next] = stack.back();
      llvm::ArrayRef<TensorId> reads = graph.reads(n);
      if (next == reads.size()) {
        list.insertBefore(at, n);
        if (++inserted > kMaxClosure)
          return false;
        stack.pop_back();
        continue;
      }
      TensorId u = reads[next++];
      NodeId maker = graph.producer(u);
      if (stamp[maker] == moveId || holdsInput(u, at, dropped, holdPrice))
        continue;
      if (!graph.mayRecompute(maker))
        return false;
      stamp[maker] = moveId;
      stack.push_back({maker, 0});
    }
  }
  return true;
}

void Moves::eraseWithFeeders(RunId r) {
  work.assign(1, r);
  bool first = true;
  while (!work.empty()) {
    RunId at = work.back();
    work.pop_back();
    if (!first && !list.isIdle(at))
      continue;
    first = false;
    NodeId n = list.node(at);
    for (TensorId t : graph.reads(n)) {
      RunId feeder = list.lastRunBefore(graph.producer(t), at);
      if (feeder != kNone && list.runsOf(graph.producer(t)).size() > 1 &&
          !llvm::is_contained(work, feeder))
        work.push_back(feeder);
    }
    list.erase(at);
  }
}

void Moves::eraseIdle(RunId r) {
  if (list.isIdle(r))
    eraseWithFeeders(r);
}

bool Moves::drop(const Gap &gap, RunId remake, double holdPrice) {
  neededFrom(gap.storage, remake, wantedTensors);
  if (wantedTensors.empty())
    return false;
  llvm::SmallVector<RunId, 4> makers;
  for (TensorId t : wantedTensors)
    makers.push_back(list.lastRunBefore(graph.producer(t), remake));
  if (!recomputeBefore(remake, wantedTensors, gap.storage, holdPrice))
    return false;
  // Views first: a base is idle only when they are gone.
  llvm::sort(makers);
  makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
  std::sort(makers.begin(), makers.end(),
            [&](RunId a, RunId b) { return list.before(b, a); });
  llvm::SmallVector<NodeId, 4> nodes;
  for (RunId m : makers)
    nodes.push_back(list.node(m));
  for (size_t i = 0; i < makers.size(); ++i) {
    // An earlier erasure may have taken this one along.
    llvm::ArrayRef<RunId> present = list.runsOf(nodes[i]);
    if (llvm::is_contained(present, makers[i]))
      eraseIdle(makers[i]);
  }
  return list.isExecutable();
}

bool Moves::keep(RunId r) {
  if (list.lastRunBefore(list.node(r), r) == kNone)
    return false;
  eraseWithFeeders(r);
  return list.isExecutable();
}

bool Moves::shift(RunId r, RunId at) {
  if (r == at)
    return false;
  NodeId n = list.node(r);
  list.insertBefore(at, n);
  list.erase(r);
  return list.isExecutable();
}

bool Moves::apply(const Relief &relief, RunId at, double holdPrice) {
  switch (relief.kind) {
  case Relief::Drop:
    return drop(relief.gap, relief.remake, holdPrice);
  case Relief::Advance:
    return shift(relief.gap.to, at);
  case Relief::Delay:
    return shift(relief.gap.from, relief.gap.to);
  }
  return false;
}

double Moves::estimate(const Gap &gap, RunId remake) {
  neededFrom(gap.storage, remake, wantedTensors);
  if (wantedTensors.empty())
    return -1;
  double cost = 0;
  for (TensorId t : wantedTensors) {
    NodeId maker = graph.producer(t);
    if (!graph.mayRecompute(maker))
      return -1;
    cost += costs[maker];
    for (TensorId u : graph.reads(maker)) {
      if (graph.storage(u) == gap.storage || list.isLiveAt(u, remake))
        continue;
      cost += costs[graph.producer(u)];
    }
  }
  return cost;
}

/// The last run in the gap, after \p at, before which every input of the
/// storage's maker is still resident; kNone if there is none or if nothing
/// dies before the gap ends.
RunId Moves::earlierRemake(const Gap &gap, RunId at) {
  NodeId maker = graph.producer(graph.tensorsOn(gap.storage).front());
  uint64_t from = list.key(at), to = list.key(gap.to);
  RunId best = kNone;
  for (TensorId u : graph.reads(maker)) {
    StorageId s = graph.storage(u);
    if (list.isLiveAt(u, gap.to) || graph.isConstantStorage(s))
      continue;
    RunId last = kNone;
    for (const Interval &i : list.intervals(s))
      if (i.end != kNone && list.key(i.end) > from && list.key(i.end) < to)
        last = i.end;
    if (last == kNone)
      return kNone;
    if (best == kNone || list.before(last, best))
      best = last;
  }
  return best;
}

/// Bytes that running \p r just before \p at frees there; not positive when
/// it cannot or frees nothing.
int64_t Moves::advanceGain(RunId r, RunId at) {
  NodeId n = list.node(r);
  int64_t gainBytes = -graph.ownedBytes(n);
  llvm::SmallDenseSet<StorageId, 8> seen;
  list.addWork(graph.reads(n).size());
  for (TensorId t : graph.reads(n)) {
    NodeId maker = graph.producer(t);
    RunId made = list.lastRunBefore(maker, r);
    if (made == kNone || !list.before(made, at))
      return 0;
    StorageId s = graph.storage(t);
    if (graph.isConstantStorage(s) || !seen.insert(s).second)
      continue;
    llvm::ArrayRef<RunId> accesses = list.accesses(s);
    if (!accesses.empty() && accesses.back() == r &&
        llvm::none_of(graph.tensorsOn(s),
                      [&](TensorId o) { return graph.isOutput(o); }))
      gainBytes += graph.storageBytes(s);
  }
  return gainBytes;
}

bool Moves::canDelay(const Gap &gap, int64_t &gainBytes) {
  // Nothing that the maker makes is touched before `to`, and what it reads
  // stays resident for others anyway, or is smaller.
  NodeId n = list.node(gap.from);
  gainBytes = 0;
  bool makes = false;
  for (TensorId t : graph.outputs(n)) {
    if (t == kNone)
      continue;
    makes |= graph.storage(t) == gap.storage &&
             graph.storageUse(t) == StorageUse::Own;
    for (NodeId u : graph.users(t))
      for (RunId r : list.runsOf(u))
        if (list.before(gap.from, r) && list.before(r, gap.to))
          return false;
    if (graph.storageUse(t) == StorageUse::Own)
      gainBytes += graph.storageBytes(graph.storage(t));
  }
  if (!makes)
    return false;
  for (TensorId t : graph.reads(n))
    if (!list.isLiveAt(t, gap.to)) {
      if (graph.overwriter(t) != kNone)
        return false;
      gainBytes -= graph.storageBytes(graph.storage(t));
    }
  return gainBytes > 0;
}

void Moves::reliefs(RunId at, size_t limit, int64_t minBytes,
                    std::vector<Relief> &result) {
  result.clear();
  advanceGains.clear();
  uint64_t k = list.key(at);
  for (StorageId s : bySize) {
    int64_t bytes = graph.storageBytes(s);
    if (bytes < minBytes)
      break;
    list.addWork(1);
    bool resident = false;
    for (const Interval &i : list.intervals(s))
      resident |= list.key(i.start) < k &&
                  (i.end == kNone || list.key(i.end) > k);
    if (!resident)
      continue;
    Gap gap{s, kNone, kNone};
    bool used = false;
    for (RunId r : list.accesses(s)) {
      uint64_t a = list.key(r);
      if (a < k) {
        gap.from = r;
        continue;
      }
      used = a == k;
      gap.to = r;
      break;
    }
    if (used || gap.from == kNone)
      continue;
    list.addWork(8);
    int64_t gain = 0;
    if (canDelay(gap, gain))
      result.push_back({Relief::Delay, gap, kNone, -double(gain), 0});
    if (gap.to != kNone) {
      // Many storages may wait for the same reader.
      auto [known, isNew] = advanceGains.try_emplace(gap.to, 0);
      if (isNew)
        known->second = advanceGain(gap.to, at);
      if (known->second > 0)
        result.push_back(
            {Relief::Advance, gap, kNone, -double(known->second), 0});
    }
    double cost = estimate(gap, gap.to);
    if (cost < 0)
      continue;
    result.push_back({Relief::Drop, gap, gap.to, cost / double(bytes), 0});
    RunId earlier = earlierRemake(gap, at);
    if (earlier == kNone)
      continue;
    cost = estimate(gap, earlier);
    if (cost >= 0)
      result.push_back({Relief::Drop, gap, earlier, cost / double(bytes), 0});
  }
  auto cheaper = [](const Relief &a, const Relief &b) {
    if (a.price != b.price)
      return a.price < b.price;
    if (a.gap.storage != b.gap.storage)
      return a.gap.storage < b.gap.storage;
    return a.kind != b.kind ? a.kind < b.kind : a.order < b.order;
  };
  for (uint32_t i = 0; i < result.size(); ++i)
    result[i].order = i;
  if (result.size() > limit) {
    std::nth_element(result.begin(), result.begin() + limit, result.end(),
                     cheaper);
    result.resize(limit);
  }
  std::sort(result.begin(), result.end(), cheaper);
}

} // namespace reprise
