// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sequence of runs that is edited in place while its memory profile is kept
// up to date: what the greedy strategy and the search work on.
//
// The runs lie in blocks of a few hundred. A block holds the usage of each of
// its runs, less one sum that applies to all of them, so that adding bytes
// over a range of runs touches two blocks in full and the others in O(1):
//
//   order      [ b0 ][ b1 ][ b2 ][ b3 ]
//   add bytes      |·····················|      b0, b3 by run; b1, b2 by sum
//
// Where each storage is resident follows from the runs (see Liveness.h): from
// the run that makes it to the last that reads it, or a view of it, before the
// next one makes it again. After an edit only the storages that the edited run
// reads or makes are looked at again.
//
// Every edit is journaled, and rollback() undoes the edits since a mark.

#ifndef REPRISE_PLANNER_RUNLIST_H
#define REPRISE_PLANNER_RUNLIST_H

#include "reprise/planner/Plan.h"

#include "llvm/ADT/SmallVector.h"

namespace reprise {

/// Names a run for as long as it is in the list; reused after it is erased.
using RunId = uint32_t;

/// One residency of a storage, first and last run included.
struct Interval {
  RunId start;
  RunId end; ///< kNone: resident to the end of the plan

  bool operator==(const Interval &) const = default;
};

/// See the head of the file.
class RunList {
public:
  /// \p runs must be executable on \p graph.
  RunList(const Graph &graph, llvm::ArrayRef<double> costs,
          llvm::ArrayRef<NodeId> runs, int64_t budgetBytes);

  const Graph &graph() const { return theGraph; }
  int64_t budgetBytes() const { return budget; }

  // The sequence.
  size_t size() const { return count; }
  NodeId node(RunId r) const { return runs[r].node; }
  /// False once \p r has been erased and not rolled back; ids are not reused
  /// before commit().
  bool isPresent(RunId r) const {
    const Block &b = blocks[runs[r].block];
    return runs[r].index < b.ids.size() && b.ids[runs[r].index] == r;
  }
  /// Orders runs: a smaller key runs earlier; kNone, the end, is after all.
  /// Changes with every edit.
  uint64_t key(RunId r) const {
    if (r == kNone)
      return UINT64_MAX;
    return uint64_t(blocks[runs[r].block].rank) << 32 | runs[r].index;
  }
  bool before(RunId a, RunId b) const { return key(a) < key(b); }
  /// The run after \p r, or kNone.
  RunId next(RunId r) const;
  /// The run before \p r, or kNone.
  RunId previous(RunId r) const;
  /// The runs of \p n, earliest first.
  llvm::ArrayRef<RunId> runsOf(NodeId n) const { return runsByNode[n]; }
  /// The last run of \p n before \p at, or kNone.
  RunId lastRunBefore(NodeId n, RunId at) const;
  /// The first run of \p n after \p at, or kNone.
  RunId firstRunAfter(NodeId n, RunId at) const;
  RunSequence sequence() const;

  // The memory profile.
  int64_t usageBytes(RunId r) const {
    const Block &b = blocks[runs[r].block];
    return b.usage[runs[r].index] + b.add;
  }
  /// Bytes resident just before \p r runs.
  int64_t liveBytesBefore(RunId r) const;
  int64_t peakBytes() const;
  /// The first run with the largest usage.
  RunId peakRun() const;
  /// Largest usage of the runs strictly between \p a and \p b; constants alone
  /// if there are none. \p b may be kNone, the end.
  int64_t maxBetween(RunId a, RunId b) const;
  /// Sum over all runs of the bytes above the budget.
  double overflow() const;
  /// False when some run reads what is not resident, a `never` node runs more
  /// than once or out of order, or something is held across the turn that must
  /// not be.
  bool isExecutable() const { return broken == 0; }
  double cost() const { return totalCost; }

  /// Work done so far, in units of some ten nanoseconds: a measure of effort
  /// that does not depend on the machine.
  uint64_t work() const { return workDone; }
  void addWork(uint64_t units) { workDone += units; }

  // Residencies.
  llvm::ArrayRef<Interval> intervals(StorageId s) const {
    return intervalsOf[s];
  }
  /// Runs that make or read something on \p s, in order, each once.
  llvm::ArrayRef<RunId> accesses(StorageId s) const { return accessesOf[s]; }
  /// Is \p t readable at \p at without more memory: made before, and its
  /// storage resident across \p at already?
  bool isLiveAt(TensorId t, RunId at) const;
  /// Is the value of \p t that run \p r makes read by a later run, or by the
  /// end?
  bool isRead(TensorId t, RunId r) const;
  /// Does nobody read what \p r makes, while its node runs elsewhere too?
  bool isIdle(RunId r) const;

  // Edits.
  /// \p at may be kNone: the new run is the last.
  RunId insertBefore(RunId at, NodeId n);
  void erase(RunId r);
  size_t mark() const { return journal.size(); }
  /// Undoes all edits since \p mark. RunIds of runs that were there at the
  /// mark are valid again.
  void rollback(size_t mark);
  /// Forgets the journal; the edits stay.
  void commit();

private:
  struct Run {
    NodeId node;
    uint32_t block;
    uint32_t index;
  };
  struct Block {
    std::vector<RunId> ids;
    std::vector<int64_t> usage; ///< less `add`
    int64_t add = 0;
    int64_t max = 0; ///< of `usage`
    /// Least and sum of `usage`, worked out when asked for.
    mutable int64_t min = 0;
    mutable __int128 sum = 0;
    mutable bool isStale = true;
    uint32_t rank = 0;
  };
  struct Edit {
    bool isInsert;
    RunId run;
    NodeId node;
    RunId at; ///< the run after it, kNone at the end
  };
  struct Event {
    uint64_t key;
    RunId run;
    uint32_t slot; ///< index in tensorsOn(storage)
    uint8_t kind;  ///< 0 read, 1 make
    bool operator<(const Event &o) const {
      return key != o.key     ? key < o.key
             : kind != o.kind ? kind < o.kind
                              : slot < o.slot;
    }
  };

  void placeSlot(RunId r, RunId at, int64_t usage);
  void removeSlot(RunId r);
  void splitBlock(uint32_t b);
  void summarize(Block &b);
  void addRange(RunId first, RunId last, int64_t bytes);
  void refreshAround(RunId r);
  bool refreshRead(StorageId s, RunId r);
  void checkConstantView(TensorId t);
  void setBroken(size_t what, bool bad);
  void refresh(StorageId s, bool apply);
  void gatherEvents(StorageId s);
  void doErase(RunId r);
  void doInsert(RunId r, RunId at, NodeId n);
  void checkNever(NodeId n);
  void checkTurn(NodeId n);
  bool isAcrossTurn(StorageId s, llvm::ArrayRef<Interval> intervals) const;
  RunId edge(uint32_t orderIndex, bool last) const;

  const Graph &theGraph;
  llvm::ArrayRef<double> costs;
  int64_t budget;
  std::vector<Run> runs; ///< by RunId
  std::vector<RunId> freeIds;
  std::vector<Block> blocks;
  std::vector<uint32_t> blockOrder;
  size_t blockCapacity;
  size_t count = 0;
  std::vector<llvm::SmallVector<RunId, 2>> runsByNode;
  std::vector<llvm::SmallVector<Interval, 2>> intervalsOf;
  std::vector<llvm::SmallVector<RunId, 6>> accessesOf;
  std::vector<uint32_t> slotInStorage; ///< by tensor: index in tensorsOn()
  std::vector<uint8_t> hasOverwriter;  ///< by storage
  std::vector<uint8_t> dropsAtTurn;    ///< by storage; empty: none does
  /// Storages, then nodes (how often and in which order they run), then
  /// tensors (views of constants).
  std::vector<uint8_t> isBroken;
  std::vector<NodeId> neverOrder;
  std::vector<uint32_t> neverIndex; ///< by node
  int64_t endBytes;                 ///< resident when the plan ends
  size_t broken = 0;
  double totalCost = 0;
  uint64_t workDone = 0;
  std::vector<Edit> journal;
  std::vector<Event> events;                ///< scratch
  llvm::SmallVector<StorageId, 16> touched; ///< scratch
};

} // namespace reprise

#endif // REPRISE_PLANNER_RUNLIST_H
