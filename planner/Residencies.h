// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which storages a plan has in memory, and when.
//
//   step    0 compute f1   1 compute f2   2 free a1   3 compute f3
//   a1      [              ]              |           stays over [0, 2)
//   a2                     [                          stays over [1, 4)

#ifndef REPRISE_PLANNER_RESIDENCIES_H
#define REPRISE_PLANNER_RESIDENCIES_H

#include "reprise/planner/Plan.h"

namespace reprise {

/// A storage's stay in memory: its bytes count at the steps [begin, end).
struct Stay {
  TensorId owner; ///< the tensor that the storage was made for
  size_t begin;   ///< step of its node's run
  size_t end;     ///< step of the free that ends it, or the number of steps

  bool covers(size_t step) const { return begin <= step && step < end; }
  size_t length() const { return end - begin; }
};

/// The stays of \p plan, which must be executable, by rising begin; those of
/// the caller's storages, which never end, aside. Linear in the steps.
std::vector<Stay> staysOf(const Graph &graph, const Plan &plan);

/// Where a plan turns from the forward to the backward pass.
struct TurnSteps {
  size_t turn; ///< first run of Graph::turn(); without one the number of steps
  size_t next; ///< the next run, or the number of steps

  /// Is \p stay in memory both before the turn's run and after it?
  bool isSpannedBy(const Stay &stay) const {
    return stay.begin < turn && stay.end >= next && turn < next;
  }
};

TurnSteps turnOf(const Graph &graph, const Plan &plan);

} // namespace reprise

#endif // REPRISE_PLANNER_RESIDENCIES_H
