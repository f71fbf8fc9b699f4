// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/RunList.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reprise {

static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min() / 4;

RunList::RunList(const Graph &graph, llvm::ArrayRef<double> costs,
                 llvm::ArrayRef<NodeId> sequence, int64_t budgetBytes)
    : theGraph(graph), costs(costs), budget(budgetBytes),
      runsByNode(graph.numNodes()), intervalsOf(graph.numStorages()),
      accessesOf(graph.numStorages()), slotInStorage(graph.numTensors(), 0),
      hasOverwriter(graph.numStorages(), 0),
      isBroken(graph.numStorages() + graph.numNodes() + graph.numTensors(), 0),
      neverIndex(graph.numNodes(), kNone), endBytes(graph.constantBytes()) {
  for (StorageId s = 0; s < graph.numStorages(); ++s) {
    llvm::ArrayRef<TensorId> tensors = graph.tensorsOn(s);
    for (uint32_t slot = 0; slot < tensors.size(); ++slot) {
      slotInStorage[tensors[slot]] = slot;
      hasOverwriter[s] |=
          graph.storageUse(tensors[slot]) == StorageUse::InPlace;
    }
  }
  if (!graph.droppedAtTurn().empty())
    dropsAtTurn.assign(graph.numStorages(), 0);
  for (StorageId s : graph.droppedAtTurn())
    dropsAtTurn[s] = 1;
  for (NodeId n : graph.order())
    if (graph.isNever(n)) {
      neverIndex[n] = neverOrder.size();
      neverOrder.push_back(n);
    }
  blockCapacity =
      std::clamp<size_t>(2 * std::sqrt(double(sequence.size())), 64, 1024);
  count = sequence.size();
  runs.reserve(count * 2);
  for (RunId r = 0; r < count; ++r) {
    NodeId n = sequence[r];
    if (r % (blockCapacity / 2) == 0) {
      blocks.emplace_back();
      blocks.back().rank = blockOrder.size();
      blockOrder.push_back(blocks.size() - 1);
    }
    Block &b = blocks.back();
    runs.push_back({n, uint32_t(blocks.size() - 1), uint32_t(b.ids.size())});
    b.ids.push_back(r);
    b.usage.push_back(graph.constantBytes() + graph.workspaceBytes(n));
    runsByNode[n].push_back(r);
    totalCost += costs[n];
  }
  // Residencies by a difference array: adding each as a range would take
  // time quadratic in the blocks.
  std::vector<int64_t> delta(count + 1, 0);
  for (StorageId s = 0; s < graph.numStorages(); ++s) {
    refresh(s, /*apply=*/false);
    if (graph.isConstantStorage(s))
      continue;
    for (const Interval &i : intervalsOf[s]) {
      delta[i.start] += graph.storageBytes(s);
      delta[i.end == kNone ? count : i.end + 1] -= graph.storageBytes(s);
    }
  }
  int64_t live = 0;
  for (RunId r = 0; r < count; ++r) {
    live += delta[r];
    blocks[runs[r].block].usage[runs[r].index] += live;
  }
  for (Block &b : blocks)
    summarize(b);
}

RunId RunList::edge(uint32_t at, bool last) const {
  const std::vector<RunId> &ids = blocks[blockOrder[at]].ids;
  return last ? ids.back() : ids.front();
}

RunId RunList::next(RunId r) const {
  const Block &b = blocks[runs[r].block];
  if (runs[r].index + 1 < b.ids.size())
    return b.ids[runs[r].index + 1];
  for (uint32_t at = b.rank + 1; at < blockOrder.size(); ++at)
    if (!blocks[blockOrder[at]].ids.empty())
      return edge(at, /*last=*/false);
  return kNone;
}

RunId RunList::previous(RunId r) const {
  const Block &b = blocks[runs[r].block];
  if (runs[r].index > 0)
    return b.ids[runs[r].index - 1];
  for (uint32_t at = b.rank; at-- > 0;)
    if (!blocks[blockOrder[at]].ids.empty())
      return edge(at, /*last=*/true);
  return kNone;
}

RunId RunList::lastRunBefore(NodeId n, RunId at) const {
  const auto &list = runsByNode[n];
  uint64_t limit = key(at);
  for (size_t i = list.size(); i-- > 0;)
    if (key(list[i]) < limit)
      return list[i];
  return kNone;
}

RunId RunList::firstRunAfter(NodeId n, RunId at) const {
  uint64_t limit = key(at);
  for (RunId r : runsByNode[n])
    if (key(r) > limit)
      return r;
  return kNone;
}

RunSequence RunList::sequence() const {
  RunSequence result;
  result.reserve(count);
  for (uint32_t b : blockOrder)
    for (RunId r : blocks[b].ids)
      result.push_back(runs[r].node);
  return result;
}

int64_t RunList::liveBytesBefore(RunId r) const {
  NodeId n = runs[r].node;
  return usageBytes(r) - theGraph.workspaceBytes(n) - theGraph.ownedBytes(n);
}

int64_t RunList::peakBytes() const {
  int64_t peak = theGraph.constantBytes();
  for (const Block &b : blocks)
    if (!b.ids.empty())
      peak = std::max(peak, b.max + b.add);
  return peak;
}

RunId RunList::peakRun() const {
  const Block *best = nullptr;
  for (uint32_t at : blockOrder) {
    const Block &b = blocks[at];
    if (!b.ids.empty() && (!best || b.max + b.add > best->max + best->add))
      best = &b;
  }
  if (!best)
    return kNone;
  auto it = std::find(best->usage.begin(), best->usage.end(), best->max);
  return best->ids[it - best->usage.begin()];
}

int64_t RunList::maxBetween(RunId a, RunId b) const {
  int64_t best = theGraph.constantBytes();
  auto scan = [&](const Block &block, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      best = std::max(best, block.usage[i] + block.add);
  };
  uint32_t first = blocks[runs[a].block].rank;
  uint32_t last = b == kNone ? blockOrder.size() : blocks[runs[b].block].rank;
  if (first == last) {
    scan(blocks[runs[a].block], runs[a].index + 1, runs[b].index);
    return best;
  }
  const Block &head = blocks[blockOrder[first]];
  scan(head, runs[a].index + 1, head.ids.size());
  for (uint32_t at = first + 1; at < last; ++at) {
    const Block &block = blocks[blockOrder[at]];
    if (!block.ids.empty())
      best = std::max(best, block.max + block.add);
  }
  if (b != kNone)
    scan(blocks[blockOrder[last]], 0, runs[b].index);
  return best;
}

double RunList::overflow() const {
  double total = 0;
  for (const Block &b : blocks) {
    int64_t limit = budget - b.add;
    if (b.ids.empty() || b.max <= limit)
      continue;
    if (b.isStale) {
      int64_t min = -kLowest;
      __int128 sum = 0;
      for (int64_t u : b.usage) {
        min = std::min(min, u);
        sum += u;
      }
      b.min = min;
      b.sum = sum;
      b.isStale = false;
    }
    if (b.min >= limit) {
      total += double(b.sum - __int128(limit) * __int128(b.ids.size()));
      continue;
    }
    double part = 0;
    for (int64_t u : b.usage)
      part += double(std::max<int64_t>(u - limit, 0));
    total += part;
  }
  return total;
}

bool RunList::isLiveAt(TensorId t, RunId at) const {
  if (theGraph.isConstant(t))
    return isBroken[theGraph.storage(t)] == 0;
  RunId made = lastRunBefore(theGraph.producer(t), at);
  if (made == kNone)
    return false;
  StorageId s = theGraph.storage(t);
  if (theGraph.isConstantStorage(s))
    return true;
  // Overwritten since? Then only a new run of its node brings it back.
  if (theGraph.overwriter(t) != kNone) {
    RunId over = lastRunBefore(theGraph.overwriter(t), at);
    if (over != kNone && before(made, over))
      return false;
  }
  uint64_t k = key(at), m = key(made);
  for (const Interval &i : intervalsOf[s])
    if (key(i.start) <= m && (i.end == kNone || (key(i.end) >= k)))
      // A later residency cannot hold the value that `made` left.
      return theGraph.storageUse(t) != StorageUse::Own || i.start == made;
  return false;
}

bool RunList::isRead(TensorId t, RunId r) const {
  RunId again = firstRunAfter(theGraph.producer(t), r);
  if (again == kNone && theGraph.isOutput(t))
    return true;
  uint64_t from = key(r);
  uint64_t to = key(again);
  for (NodeId u : theGraph.users(t))
    for (RunId reader : runsByNode[u])
      if (key(reader) > from && key(reader) < to)
        return true;
  return false;
}

bool RunList::isIdle(RunId r) const {
  NodeId n = runs[r].node;
  if (runsByNode[n].size() < 2)
    return false;
  for (TensorId t : theGraph.outputs(n))
    if (t != kNone && isRead(t, r))
      return false;
  return true;
}

void RunList::summarize(Block &b) {
  workDone += 1 + b.ids.size() / 32;
  int64_t max = kLowest;
  for (int64_t u : b.usage)
    max = std::max(max, u);
  b.max = max;
  b.isStale = true;
}

void RunList::splitBlock(uint32_t b) {
  blocks.emplace_back();
  Block &old = blocks[b];
  Block &fresh = blocks.back();
  uint32_t freshIndex = blocks.size() - 1;
  size_t half = old.ids.size() / 2;
  fresh.ids.assign(old.ids.begin() + half, old.ids.end());
  fresh.usage.assign(old.usage.begin() + half, old.usage.end());
  fresh.add = old.add;
  old.ids.resize(half);
  old.usage.resize(half);
  for (uint32_t i = 0; i < fresh.ids.size(); ++i) {
    runs[fresh.ids[i]].block = freshIndex;
    runs[fresh.ids[i]].index = i;
  }
  blockOrder.insert(blockOrder.begin() + old.rank + 1, freshIndex);
  for (uint32_t at = old.rank; at < blockOrder.size(); ++at)
    blocks[blockOrder[at]].rank = at;
  summarize(old);
  summarize(fresh);
}

void RunList::placeSlot(RunId r, RunId at, int64_t usage) {
  uint32_t b = at == kNone ? blockOrder.back() : runs[at].block;
  if (blocks[b].ids.size() >= blockCapacity) {
    splitBlock(b);
    b = at == kNone ? blockOrder.back() : runs[at].block;
  }
  Block &block = blocks[b];
  uint32_t index = at == kNone ? block.ids.size() : runs[at].index;
  block.ids.insert(block.ids.begin() + index, r);
  block.usage.insert(block.usage.begin() + index, usage - block.add);
  for (uint32_t i = index; i < block.ids.size(); ++i) {
    runs[block.ids[i]].block = b;
    runs[block.ids[i]].index = i;
  }
  summarize(block);
  ++count;
}

void RunList::removeSlot(RunId r) {
  Block &block = blocks[runs[r].block];
  uint32_t index = runs[r].index;
  block.ids.erase(block.ids.begin() + index);
  block.usage.erase(block.usage.begin() + index);
  for (uint32_t i = index; i < block.ids.size(); ++i)
    runs[block.ids[i]].index = i;
  summarize(block);
  --count;
}

void RunList::addRange(RunId first, RunId last, int64_t bytes) {
  if (first == kNone)
    return;
  auto part = [&](Block &b, size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      b.usage[i] += bytes;
    summarize(b);
  };
  uint32_t from = blocks[runs[first].block].rank;
  uint32_t to =
      last == kNone ? blockOrder.size() : blocks[runs[last].block].rank;
  if (from == to) {
    part(blocks[runs[first].block], runs[first].index, runs[last].index + 1);
    return;
  }
  Block &head = blocks[blockOrder[from]];
  part(head, runs[first].index, head.ids.size());
  for (uint32_t at = from + 1; at < to; ++at)
    blocks[blockOrder[at]].add += bytes;
  if (last != kNone)
    part(blocks[blockOrder[to]], 0, runs[last].index + 1);
}

void RunList::gatherEvents(StorageId s) {
  events.clear();
  llvm::ArrayRef<TensorId> tensors = theGraph.tensorsOn(s);
  for (uint32_t slot = 0; slot < tensors.size(); ++slot) {
    TensorId t = tensors[slot];
    if (!theGraph.isConstant(t))
      for (RunId r : runsByNode[theGraph.producer(t)])
        events.push_back({key(r), r, slot, 1});
    for (NodeId u : theGraph.users(t))
      for (RunId r : runsByNode[u])
        events.push_back({key(r), r, slot, 0});
  }
  std::sort(events.begin(), events.end());
  workDone += 2 + events.size();
}

/// Works out the residencies of \p s anew and, if \p apply, moves the profile
/// from the old ones to the new ones.
void RunList::refresh(StorageId s, bool apply) {
  llvm::ArrayRef<TensorId> tensors = theGraph.tensorsOn(s);
  bool constant = theGraph.isConstantStorage(s);
  if (constant && !hasOverwriter[s])
    return;
  gatherEvents(s);
  // current[slot]: index of the residency that the tensor's value lives in.
  llvm::SmallVector<uint32_t, 8> current(tensors.size(), kNone);
  llvm::SmallVector<Interval, 4> fresh;
  constexpr uint32_t kCaller = kNone - 1;
  if (constant)
    current[0] = kCaller;
  bool bad = false;
  auto &accesses = accessesOf[s];
  accesses.clear();
  for (const Event &e : events) {
    if (accesses.empty() || accesses.back() != e.run)
      accesses.push_back(e.run);
    TensorId t = tensors[e.slot];
    uint32_t residency = current[e.slot];
    if (e.kind == 1) {
      if (theGraph.storageUse(t) == StorageUse::Own) {
        residency = fresh.size();
        fresh.push_back({e.run, e.run});
      } else {
        uint32_t base = slotInStorage[theGraph.base(t)];
        residency = current[base];
        if (theGraph.storageUse(t) == StorageUse::InPlace) {
          // Nothing else may live in what is overwritten.
          for (uint32_t &c : current)
            if (c == residency)
              c = kNone;
        }
      }
      current[e.slot] = residency;
    }
    bad |= residency == kNone;
    if (residency < kCaller)
      fresh[residency].end = e.run;
  }
  for (uint32_t slot = 0; slot < tensors.size(); ++slot)
    if (theGraph.isOutput(tensors[slot])) {
      bad |= current[slot] == kNone;
      if (current[slot] < kCaller)
        fresh[current[slot]].end = kNone;
    }
  setBroken(s, bad || isAcrossTurn(s, fresh));
  auto &old = intervalsOf[s];
  if (!constant) {
    auto held = [](const Interval &i) { return i.end == kNone; };
    endBytes +=
        theGraph.storageBytes(s) * (int64_t(llvm::count_if(fresh, held)) -
                                    int64_t(llvm::count_if(old, held)));
  }
  if (apply && !constant) {
    int64_t bytes = theGraph.storageBytes(s);
    for (const Interval &i : old) {
      auto same = std::find_if(fresh.begin(), fresh.end(),
                               [&](auto &f) { return f.start == i.start; });
      if (same == fresh.end()) {
        addRange(i.start, i.end, -bytes);
        continue;
      }
      if (same->end == i.end)
        continue;
      bool grows =
          same->end == kNone || (i.end != kNone && before(i.end, same->end));
      RunId from = grows ? next(i.end) : next(same->end);
      addRange(from, grows ? same->end : i.end, grows ? bytes : -bytes);
    }
    for (const Interval &f : fresh)
      if (std::none_of(old.begin(), old.end(),
                       [&](const Interval &i) { return i.start == f.start; }))
        addRange(f.start, f.end, bytes);
  }
  old.assign(fresh.begin(), fresh.end());
}

/// Does one of the residencies \p intervals of \p s span the turn although
/// none may?
bool RunList::isAcrossTurn(StorageId s,
                           llvm::ArrayRef<Interval> intervals) const {
  if (dropsAtTurn.empty() || !dropsAtTurn[s] ||
      runsByNode[theGraph.turn()].empty())
    return false;
  RunId turn = runsByNode[theGraph.turn()].front();
  return llvm::any_of(intervals, [&](const Interval &i) {
    return before(i.start, turn) && before(turn, i.end);
  });
}

/// When the turn comes, goes or moves, other storages may span it.
void RunList::checkTurn(NodeId n) {
  if (dropsAtTurn.empty() || n != theGraph.turn())
    return;
  for (StorageId s : theGraph.droppedAtTurn())
    refresh(s, /*apply=*/true);
}

/// A view of the caller's memory takes no bytes: all that matters is that it
/// is made before it is read.
void RunList::checkConstantView(TensorId t) {
  llvm::ArrayRef<RunId> made = runsByNode[theGraph.producer(t)];
  uint64_t first = made.empty() ? UINT64_MAX : key(made.front());
  bool bad = made.empty();
  for (NodeId u : theGraph.users(t))
    if (!runsByNode[u].empty())
      bad |= key(runsByNode[u].front()) < first;
  setBroken(theGraph.numStorages() + theGraph.numNodes() + t, bad);
}

void RunList::setBroken(size_t what, bool bad) {
  if (bad == (isBroken[what] != 0))
    return;
  broken += bad ? 1 : -1;
  isBroken[what] = bad;
}

/// A read that comes or goes amid a residency changes nothing but the list of
/// accesses: what many nodes read is not gone through for each of them. False
/// where that is not so, or not plain to see.
bool RunList::refreshRead(StorageId s, RunId r) {
  if (theGraph.isConstantStorage(s) || theGraph.tensorsOn(s).size() != 1)
    return false;
  for (const Interval &i : intervalsOf[s]) {
    if (!before(i.start, r) || (i.end != kNone && !before(r, i.end)))
      continue;
    auto &accesses = accessesOf[s];
    auto at = std::lower_bound(accesses.begin(), accesses.end(), r,
                               [&](RunId a, RunId b) { return before(a, b); });
    if (at != accesses.end() && *at == r)
      accesses.erase(at);
    else
      accesses.insert(at, r);
    ++workDone;
    return true;
  }
  return false;
}

/// Brings what depends on \p r up to date, which came or is about to go.
void RunList::refreshAround(RunId r) {
  NodeId n = runs[r].node;
  touched.clear();
  auto touch = [&](TensorId t, bool isInput) {
    if (t == kNone)
      return;
    StorageId s = theGraph.storage(t);
    if (theGraph.isConstantStorage(s) && !hasOverwriter[s]) {
      if (!theGraph.isConstant(t))
        checkConstantView(t);
    } else if (!isInput || !refreshRead(s, r)) {
      touched.push_back(s);
    }
  };
  for (TensorId t : theGraph.reads(n))
    touch(t, /*isInput=*/true);
  for (TensorId t : theGraph.inputs(n))
    if (t != kNone && theGraph.isConstant(t))
      touch(t, /*isInput=*/true);
  for (TensorId t : theGraph.outputs(n))
    touch(t, /*isInput=*/false);
  std::sort(touched.begin(), touched.end());
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  for (StorageId s : touched)
    refresh(s, /*apply=*/true);
}

/// A node that must run once does; and those in file order do in that order.
void RunList::checkNever(NodeId n) {
  auto set = [&](NodeId node, bool bad) {
    setBroken(theGraph.numStorages() + node, bad);
  };
  if (theGraph.mayRecompute(n)) {
    set(n, runsByNode[n].empty());
    return;
  }
  auto judge = [&](uint32_t i) {
    NodeId at = neverOrder[i];
    bool bad = runsByNode[at].size() != 1;
    if (!bad && i > 0 && runsByNode[neverOrder[i - 1]].size() == 1)
      bad = before(runsByNode[at][0], runsByNode[neverOrder[i - 1]][0]);
    set(at, bad);
  };
  uint32_t i = neverIndex[n];
  if (i == kNone) {
    set(n, runsByNode[n].size() != 1);
    return;
  }
  judge(i);
  if (i + 1 < neverOrder.size())
    judge(i + 1);
}

void RunList::doInsert(RunId r, RunId at, NodeId n) {
  runs[r].node = n;
  int64_t live = at == kNone ? endBytes : liveBytesBefore(at);
  placeSlot(r, at, live + theGraph.workspaceBytes(n));
  auto &list = runsByNode[n];
  auto pos = list.begin();
  while (pos != list.end() && before(*pos, r))
    ++pos;
  list.insert(pos, r);
  totalCost += costs[n];
  refreshAround(r);
  checkNever(n);
  checkTurn(n);
}

void RunList::doErase(RunId r) {
  NodeId n = runs[r].node;
  // The residencies that begin or end at r move to its neighbours before its
  // slot goes.
  auto &list = runsByNode[n];
  list.erase(std::find(list.begin(), list.end(), r));
  totalCost -= costs[n];
  refreshAround(r);
  removeSlot(r);
  checkNever(n);
  checkTurn(n);
}

RunId RunList::insertBefore(RunId at, NodeId n) {
  RunId r;
  if (freeIds.empty()) {
    r = runs.size();
    runs.push_back({});
  } else {
    r = freeIds.back();
    freeIds.pop_back();
  }
  doInsert(r, at, n);
  journal.push_back({true, r, n, at});
  return r;
}

void RunList::erase(RunId r) {
  RunId after = next(r);
  NodeId n = runs[r].node;
  doErase(r);
  // The id is not reused before commit(): a rollback gives it back.
  journal.push_back({false, r, n, after});
}

void RunList::rollback(size_t mark) {
  while (journal.size() > mark) {
    Edit edit = journal.back();
    journal.pop_back();
    if (edit.isInsert) {
      doErase(edit.run);
      freeIds.push_back(edit.run);
    } else {
      doInsert(edit.run, edit.at, edit.node);
    }
  }
}

void RunList::commit() {
  for (const Edit &edit : journal)
    if (!edit.isInsert)
      freeIds.push_back(edit.run);
  journal.clear();
}

} // namespace reprise
