// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks are placed from the bottom up, each on top of what is below it:
//
//   offset      +-------+
//     ^         |   c   |        a, b, d, c: by offset
//     |   +-----+---+---+---+
//     |   |    b    |   d   |
//     |   +----+----+-------+
//     |   | a  |
//     +---+----+-------------> sections
//
// Any layout can be pushed down to one of this kind, and placing its blocks by
// offset gives it exactly one order; so a branch places the next block no lower
// than the last one (ties by rank). That rule is strong: all that is not placed
// yet comes to lie no lower than the last one either. Hence, for each section,
// with the blocks that are live in it and not placed,
//
//   max(last offset, least of their lowest offsets) + sum of their bytes
//
// must be within the capacity. And a block that lies so high that another one
// would fit below it could have been placed after that one: such branches are
// repetitions.
//
// When the blocks that are left fall into groups that share no section, the
// groups are solved one after another, and where one has no solution, the fault
// is in what was placed before the groups parted: the search goes back to
// there, not to the group that happened to be solved before.
//
// Which of the possible blocks comes first decides the time, by orders of
// magnitude. A group that parts is ranked anew, by the contention of what is
// left. Several orders take turns, with a limit of blocks placed that doubles.
//
// The rules follow M. Moffitt, "MiniMalloc: a lightweight memory allocator for
// hardware-accelerated machine learning" (ASPLOS 2023).

#include "reprise/planner/ArenaSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <numeric>

namespace reprise {

namespace {

/// One try: an order, until a solution, a proof or the limit.
class ArenaDescent {
public:
  ArenaDescent(const ArenaQuestion &question, const ArenaOrder &order);

  /// Places at most \p limit blocks, those that are taken back included, by at
  /// most \p work elementary operations.
  ArenaAnswer run(uint64_t limit, uint64_t work);

  const std::vector<int64_t> &offsets() const { return lowest; }
  uint64_t work() const { return spent; }

private:
  /// The blocks between two sections that are not placed; none of them lives
  /// beyond these.
  struct Group {
    uint32_t from, to; ///< sections
    uint32_t parent;   ///< the frame that made it; kNone: none
    int32_t next;      ///< the group to place after it; -1: none
    bool isRanked;     ///< anew, so that the parent's rank is none of its own
  };
  /// A block that is placed, and the others that could be in its stead.
  struct Frame {
    int32_t group;
    int32_t pending; ///< groups to place once this one is
    size_t choicesBegin, choicesNext, choicesEnd;
    size_t groupsBefore = 0, lowestBefore = 0, groundBefore = 0,
           ranksBefore = 0;
    uint32_t chosen = kNone;
  };

  bool open(int32_t group);
  bool place(uint32_t frame);
  void undo(const Frame &frame);
  bool advance(uint32_t frame);
  void part(const Frame &frame, uint32_t frameIndex);
  void addGroup(uint32_t from, uint32_t to, uint32_t parent);
  void rankGroup(const Group &group);
  bool raise(uint32_t block);
  void lift(uint32_t other, const ArenaBlock &below, int64_t top);
  bool settleGround(uint32_t section);

  const ArenaModel &model;
  const Rows &live;
  int64_t capacity;
  const std::atomic<bool> *stop;
  ArenaOrder order;

  std::vector<int64_t> lowest; ///< by block: on top of what is placed
  std::vector<uint8_t> placed; ///< by block
  std::vector<uint32_t> rank;  ///< by block; lower: earlier
  std::vector<int64_t> left;   ///< by section: bytes not placed
  std::vector<int64_t> ground; ///< by section: least `lowest` of those
  std::vector<uint32_t> ties;  ///< by section: blocks not placed that go on
  std::vector<uint8_t> stale;  ///< by section: its ground may have changed

  template <typename T> using Log = std::vector<std::pair<uint32_t, T>>;
  Log<int64_t> lowestLog, groundLog;
  Log<uint32_t> rankLog;
  std::vector<Group> groups;
  std::vector<Frame> frames;
  std::vector<uint32_t> choices, ranked;
  int32_t pending = -1;
  uint64_t placements = 0, spent = 0;
};

} // namespace

ArenaDescent::ArenaDescent(const ArenaQuestion &question,
                           const ArenaOrder &order)
    : model(question.model), live(question.live),
      capacity(question.capacityBytes), stop(question.stop), order(order),
      lowest(model.blocks.size(), 0), placed(model.blocks.size(), 0),
      rank(model.blocks.size(), 0), left(model.liveBytes),
      ground(model.numSections(), 0), ties(model.numSections(), 0),
      stale(model.numSections(), 0) {
  for (const ArenaBlock &block : model.blocks)
    for (uint32_t m = block.first; m + 1 < block.end; ++m)
      ++ties[m];
  addGroup(0, model.numSections(), kNone);
  rankGroup(groups.front());
  rankLog.clear();
}

/// Makes a frame of the blocks of \p index that can come next; false where no
/// solution can come of the group.
bool ArenaDescent::open(int32_t index) {
  const Group &group = groups[index];
  int64_t last = 0;
  uint32_t lastRank = 0;
  bool isFree = group.parent == kNone || group.isRanked;
  if (group.parent != kNone) {
    uint32_t before = frames[group.parent].chosen;
    last = lowest[before];
    lastRank = rank[before];
  }
  bool isHopeless = false;
  for (uint32_t m = group.from; m < group.to; ++m)
    isHopeless |= left[m] > 0 && last + left[m] > capacity;
  uint32_t from = model.firstAt[group.from], to = model.firstAt[group.to];
  spent += (group.to - group.from) + 2 * (to - from);
  if (isHopeless)
    return false;
  int64_t below = INT64_MAX;
  for (uint32_t b = from; b < to; ++b)
    if (!placed[b])
      below = std::min(below, lowest[b] + model.blocks[b].bytes);
  size_t begin = choices.size();
  for (uint32_t b = from; b < to; ++b)
    if (!placed[b] && lowest[b] < below &&
        (lowest[b] > last ||
         (lowest[b] == last && (isFree || rank[b] > lastRank))))
      choices.push_back(b);
  if (choices.size() == begin)
    return false;
  std::sort(
      choices.begin() + begin, choices.end(), [&](uint32_t a, uint32_t b) {
        return std::pair(lowest[a], rank[a]) < std::pair(lowest[b], rank[b]);
      });
  spent += 16 * (choices.size() - begin);
  frames.push_back({index, pending, begin, begin, choices.size()});
  return true;
}

void ArenaDescent::addGroup(uint32_t from, uint32_t to, uint32_t parent) {
  for (uint32_t b = model.firstAt[from]; b < model.firstAt[to]; ++b)
    if (!placed[b]) {
      groups.push_back({from, to, parent, pending, false});
      pending = static_cast<int32_t>(groups.size() - 1);
      return;
    }
}

/// Ranks what is left of \p group by what is left to be placed.
void ArenaDescent::rankGroup(const Group &group) {
  ranked.clear();
  for (uint32_t b = model.firstAt[group.from]; b < model.firstAt[group.to]; ++b)
    if (!placed[b]) {
      ranked.push_back(b);
      spent += model.blocks[b].end - model.blocks[b].first + 16;
    }
  sortBlocks(model, order, left, ranked);
  for (uint32_t i = 0; i < ranked.size(); ++i) {
    rankLog.push_back({ranked[i], rank[ranked[i]]});
    rank[ranked[i]] = i;
  }
}

/// Makes groups of what is left of the frame's group, now that its block is
/// placed.
void ArenaDescent::part(const Frame &frame, uint32_t frameIndex) {
  const Group group = groups[frame.group];
  const ArenaBlock &block = model.blocks[frame.chosen];
  pending = frame.pending;
  uint32_t from = group.from;
  for (uint32_t m = block.first; m + 1 < block.end; ++m)
    if (--ties[m] == 0) {
      addGroup(from, m + 1, frameIndex);
      from = m + 1;
    }
  addGroup(from, group.to, frameIndex);
  if (groups.size() - frame.groupsBefore < 2)
    return;
  // The smallest first: where there is no solution, that shows soonest.
  std::stable_sort(groups.begin() + frame.groupsBefore, groups.end(),
                   [&](const Group &a, const Group &b) {
                     return model.firstAt[a.to] - model.firstAt[a.from] >
                            model.firstAt[b.to] - model.firstAt[b.from];
                   });
  pending = frame.pending;
  for (size_t g = frame.groupsBefore; g < groups.size(); ++g) {
    groups[g].isRanked = true;
    rankGroup(groups[g]);
    groups[g].next = pending;
    pending = static_cast<int32_t>(g);
  }
}

/// Brings the ground of a section up to date; false where what is left does not
/// fit on top of it.
bool ArenaDescent::settleGround(uint32_t section) {
  int64_t least = INT64_MAX;
  for (uint32_t other : live[section])
    if (!placed[other])
      least = std::min(least, lowest[other]);
  spent += live[section].size();
  if (least != ground[section]) {
    groundLog.push_back({section, ground[section]});
    ground[section] = least;
  }
  return least + left[section] <= capacity;
}

/// Puts \p other, which lives together with \p below, on top of it.
void ArenaDescent::lift(uint32_t other, const ArenaBlock &below, int64_t top) {
  int64_t before = lowest[other];
  if (placed[other] || before >= top)
    return;
  lowestLog.push_back({other, before});
  lowest[other] = top;
  const ArenaBlock &block = model.blocks[other];
  spent += block.end - block.first;
  // The ground only changes where the block was the lowest.
  for (uint32_t m = block.first; m < below.first; ++m)
    stale[m] |= ground[m] == before;
  for (uint32_t m = below.end; m < block.end; ++m)
    stale[m] |= ground[m] == before;
}

/// Lifts what lives together with \p b on top of it; false where that does not
/// fit.
bool ArenaDescent::raise(uint32_t b) {
  const ArenaBlock &block = model.blocks[b];
  int64_t top = lowest[b] + block.bytes;
  size_t before = lowestLog.size();
  for (uint32_t other : live[block.first])
    lift(other, block, top);
  uint32_t from = model.firstAt[block.first + 1];
  uint32_t to = model.firstAt[block.end];
  for (uint32_t other = from; other < to; ++other)
    lift(other, block, top);
  spent += live[block.first].size() + (to - from);
  uint32_t first = block.first, end = block.end;
  for (size_t i = before; i < lowestLog.size(); ++i) {
    const ArenaBlock &other = model.blocks[lowestLog[i].first];
    first = std::min(first, other.first);
    end = std::max(end, other.end);
  }
  bool fits = true;
  for (uint32_t m = first; m < end; ++m) {
    bool isStale = stale[m] || (m >= block.first && m < block.end);
    stale[m] = 0;
    if (fits && isStale && left[m] > 0)
      fits = settleGround(m);
  }
  spent += end - first;
  return fits;
}

/// Places the next choice of a frame; false where the rest cannot fit then.
bool ArenaDescent::place(uint32_t index) {
  Frame &frame = frames[index];
  uint32_t b = choices[frame.choicesNext++];
  frame.chosen = b;
  frame.groupsBefore = groups.size();
  frame.lowestBefore = lowestLog.size();
  frame.groundBefore = groundLog.size();
  frame.ranksBefore = rankLog.size();
  ++placements;
  placed[b] = 1;
  const ArenaBlock &block = model.blocks[b];
  for (uint32_t m = block.first; m < block.end; ++m)
    left[m] -= block.bytes;
  part(frame, index);
  return raise(b);
}

template <typename Log, typename Values>
static void rewind(Log &log, size_t size, Values &values) {
  for (; log.size() > size; log.pop_back())
    values[log.back().first] = log.back().second;
}

void ArenaDescent::undo(const Frame &frame) {
  rewind(groundLog, frame.groundBefore, ground);
  rewind(lowestLog, frame.lowestBefore, lowest);
  rewind(rankLog, frame.ranksBefore, rank);
  groups.resize(frame.groupsBefore);
  placed[frame.chosen] = 0;
  const ArenaBlock &block = model.blocks[frame.chosen];
  for (uint32_t m = block.first; m < block.end; ++m)
    left[m] += block.bytes;
  for (uint32_t m = block.first; m + 1 < block.end; ++m)
    ++ties[m];
}

/// Takes back all that was placed from \p frame on, and goes on with the next
/// choice of it or of what came before it; false where there is none.
bool ArenaDescent::advance(uint32_t frame) {
  while (frame != kNone) {
    for (; frames.size() - 1 > frame; frames.pop_back())
      undo(frames.back());
    Frame &at = frames.back();
    undo(at);
    choices.resize(at.choicesEnd);
    if (at.choicesNext < at.choicesEnd) {
      if (place(frame))
        return true;
      continue;
    }
    choices.resize(at.choicesBegin);
    frame = groups[at.group].parent;
    frames.pop_back();
  }
  return false;
}

ArenaAnswer ArenaDescent::run(uint64_t limit, uint64_t work) {
  while (pending >= 0) {
    if (placements > limit || spent > work ||
        (stop && stop->load(std::memory_order_relaxed)))
      return ArenaAnswer::Unknown;
    int32_t group = pending;
    pending = groups[group].next;
    uint32_t parent = groups[group].parent;
    bool goesOn = false;
    if (!open(group)) {
      goesOn = advance(parent);
    } else {
      auto frame = static_cast<uint32_t>(frames.size() - 1);
      goesOn = place(frame) || advance(frame);
    }
    if (!goesOn)
      return ArenaAnswer::Never;
  }
  return ArenaAnswer::Fits;
}

ArenaAnswer searchArena(const ArenaQuestion &question, uint64_t &work,
                        std::vector<int64_t> &offsets) {
  using Key = ArenaKey;
  static constexpr ArenaOrder orders[] = {
      {Key::Contention, Key::Time, Key::Area},
      {Key::Contention, Key::Area, Key::Time},
      {Key::Contention, Key::Sections, Key::Time},
      {Key::Contention, Key::Sections, Key::Area}};
  if (question.model.mostLiveBytes() > question.capacityBytes)
    return ArenaAnswer::Never;
  for (uint64_t limit = 2 * question.model.blocks.size();; limit *= 2)
    for (const ArenaOrder &order : orders) {
      ArenaDescent descent(question, order);
      ArenaAnswer answer = descent.run(limit, work);
      work -= std::min(work, descent.work());
      if (answer == ArenaAnswer::Fits)
        offsets = descent.offsets();
      bool isStopped = question.stop && question.stop->load();
      if (answer != ArenaAnswer::Unknown || work == 0 || isStopped)
        return answer;
    }
}

} // namespace reprise
