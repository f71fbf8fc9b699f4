// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Independent tasks side by side.

#ifndef REPRISE_PLANNER_PARALLEL_H
#define REPRISE_PLANNER_PARALLEL_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace reprise {

/// Calls \p task for 0 .. \p count - 1, each in a thread of its own if
/// \p threads is more than one, else in order. The tasks share nothing that any
/// of them writes, so that the result is the same either way.
void forEachInParallel(unsigned threads, unsigned count,
                       llvm::function_ref<void(unsigned)> task);

} // namespace reprise

#endif // REPRISE_PLANNER_PARALLEL_H
