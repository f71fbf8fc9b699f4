// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binomial checkpointing of a chain of equal steps (Griewank and Walther 2000,
// "Algorithm 799: revolve"). With s stored states, the first one included, and
// r evaluations of any step before its last, C(s + r, s) steps can be
// reversed; that closed form needs no table and reaches chains of any length.

#ifndef REPRISE_PLANNER_REVOLVE_H
#define REPRISE_PLANNER_REVOLVE_H

#include "reprise/planner/Emitter.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

/// C(\p n, \p k), or UINT64_MAX where it does not fit.
uint64_t binomial(uint64_t n, uint64_t k);

/// Least number of evaluations beyond one of each step when \p steps equal
/// steps are reversed with \p states >= 1 stored states, the first included,
/// and nothing of a step is kept for its reversal. UINT64_MAX where that does
/// not fit.
uint64_t revolveExtraSteps(uint64_t steps, uint64_t states);

/// One action on a chain of states x_0 .. x_n, where step i leads from x_i to
/// x_{i+1}.
struct RevolveAction {
  enum Kind : uint8_t {
    Advance, ///< from the stored x_from compute x_to, which is stored
    Reverse  ///< from the stored x_from compute x_to and reverse step `to`
  };
  Kind kind;
  uint64_t from, to;
};

/// Calls \p act for each action of an optimal reversal, in order. A stored
/// state is last used by the Reverse action of its own step. No recursion;
/// O(states) memory.
void revolve(uint64_t steps, uint64_t states,
             llvm::function_ref<void(const RevolveAction &)> act);

/// The runs of that reversal on a training graph, a step being what lies
/// between neighbouring \p boundaries (forward indices, rising from 0 to the
/// number of forward nodes).
RunSequence revolveRuns(const Graph &graph, const Cuts &cuts,
                        llvm::ArrayRef<uint32_t> boundaries, uint64_t states);

} // namespace reprise

#endif // REPRISE_PLANNER_REVOLVE_H
