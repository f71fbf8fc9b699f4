// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns decisions about what stays resident into a sequence of runs. The
// strategies say which forward ranges run, what is forgotten after them and
// which backward ranges follow; the emitter inserts every recomputation that a
// backward node then misses, right before that node and no earlier. Running it
// earlier would be as correct and would give the saved memory away.

#ifndef REPRISE_PLANNER_EMITTER_H
#define REPRISE_PLANNER_EMITTER_H

#include "reprise/planner/Cuts.h"
#include "reprise/planner/Planner.h"

namespace reprise {

/// Collects runs. Every tensor that was made counts as resident until it is
/// forgotten or overwritten; the frees follow from the finished sequence.
class Emitter {
public:
  Emitter(const Graph &graph, const Cuts &cuts);

  /// First runs of the forward nodes [\p from, \p to).
  void runForward(uint32_t from, uint32_t to);
  /// Runs the backward positions [\p from, \p to), each after what it misses.
  void runBackward(uint32_t from, uint32_t to);
  /// Makes all tensors of \p storages resident.
  void restore(llvm::ArrayRef<StorageId> storages);
  /// Takes \p s for gone from here on, unless it cannot be made again.
  void forget(StorageId s);
  /// forget() for every storage made by the forward nodes [\p from, \p to)
  /// that crosses none of \p cutsKept (rising).
  void forgetInterior(uint32_t from, uint32_t to,
                      llvm::ArrayRef<uint32_t> cutsKept);

  /// The runs so far without the idle ones.
  RunSequence finish();

private:
  bool isResident(TensorId t) const;
  void run(NodeId n);
  void runClosure();
  void want(TensorId t);

  const Graph &graph;
  const Cuts &cuts;
  RunSequence runs;
  /// Per tensor: the run that made it, counted from 1; 0 when forgotten.
  std::vector<uint32_t> madeBy;
  std::vector<uint32_t> overwrittenBy; ///< per storage, likewise
  std::vector<uint8_t> wanted;         ///< per node: in `pending`
  std::vector<NodeId> pending, closure;
};

} // namespace reprise

#endif // REPRISE_PLANNER_EMITTER_H
