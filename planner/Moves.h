// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The moves that change what a plan keeps and what it recomputes. Each edits a
// RunList, whose journal takes it back when it did not help.

#ifndef REPRISE_PLANNER_MOVES_H
#define REPRISE_PLANNER_MOVES_H

#include "reprise/planner/RunList.h"

#include "llvm/ADT/DenseMap.h"

namespace reprise {

/// A stretch over which a storage is resident and nobody touches it.
struct Gap {
  StorageId storage;
  RunId from; ///< the access before it
  RunId to;   ///< the access after it; kNone: the end
};

/// A way to lower the usage at one run.
struct Relief {
  enum Kind : uint8_t {
    Drop,    ///< free the storage over the gap, recompute it before `remake`
    Advance, ///< run `to` early, so that what it reads last dies early
    Delay    ///< run the maker late: nobody reads its outputs before `to`
  };
  Kind kind;
  Gap gap;
  /// For Drop: where to recompute. `gap.to`, or, where an input dies within
  /// the gap, the last run that still has it.
  RunId remake;
  double price; ///< estimated cost per byte
  uint32_t order; ///< breaks ties
};

/// Edits of one RunList. Holds scratch space only; no state between moves.
class Moves {
public:
  Moves(RunList &list, llvm::ArrayRef<double> costs);

  /// Frees \p gap.storage from `gap.from` on and recomputes before \p remake
  /// what is read of it from `gap.to` on, together with whatever that recomputation reads
  /// and is not resident there. An input is held over instead of recomputed
  /// when there is room for it, or when its maker costs more than
  /// \p holdPrice per byte held. False when it cannot be done; the caller
  /// rolls back.
  bool drop(const Gap &gap, RunId remake, double holdPrice);

  /// Takes out \p r, a run beyond the first of its node: its readers read the
  /// run before it, whose outputs stay. Also takes out the runs that served
  /// only \p r. False when \p r is the first run of its node.
  bool keep(RunId r);

  /// Runs \p r just before \p at instead.
  bool shift(RunId r, RunId at);

  bool apply(const Relief &relief, RunId at, double holdPrice);

  /// The ways to lower the usage at \p at, cheapest estimate first, \p limit
  /// at most. Storages below \p minBytes are passed over.
  void reliefs(RunId at, size_t limit, int64_t minBytes,
               std::vector<Relief> &result);

private:
  /// Erases \p r if nobody reads it, and then what served only it.
  void eraseIdle(RunId r);
  void eraseWithFeeders(RunId r);
  bool recomputeBefore(RunId at, llvm::ArrayRef<TensorId> wanted,
                       StorageId dropped, double holdPrice);
  bool holdsInput(TensorId t, RunId at, StorageId dropped, double holdPrice);
  void neededFrom(StorageId s, RunId at, std::vector<TensorId> &result);
  double estimate(const Gap &gap, RunId remake);
  RunId earlierRemake(const Gap &gap, RunId at);
  int64_t advanceGain(RunId r, RunId at);
  bool canDelay(const Gap &gap, int64_t &gainBytes);

  RunList &list;
  const Graph &graph;
  llvm::ArrayRef<double> costs;
  std::vector<StorageId> bySize; ///< storages with bytes, largest first
  std::vector<uint32_t> stamp;   ///< by node: the move that inserted it
  uint32_t moveId = 0;
  std::vector<std::pair<NodeId, uint32_t>> stack;
  std::vector<TensorId> wantedTensors;
  std::vector<RunId> work;
  llvm::DenseMap<RunId, int64_t> advanceGains; ///< of one call of reliefs()
};

} // namespace reprise

#endif // REPRISE_PLANNER_MOVES_H
