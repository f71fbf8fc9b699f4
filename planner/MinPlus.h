// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inner loops of dynamic programs over slots of memory. Counts that are
// not positive do nothing; the arrays must not overlap and never rise.

#ifndef REPRISE_PLANNER_MINPLUS_H
#define REPRISE_PLANNER_MINPLUS_H

#include <cstdint>

namespace reprise {

/// best[i] = min(best[i], xs[i] + ys[i] + extra) for i in [0, \p count).
void lowerBySum(float *best, const float *xs, const float *ys, float extra,
                int64_t count);
/// best[i] = min(best[i], xs[i] + extra).
void lowerBySum(float *best, const float *xs, float extra, int64_t count);
/// best[i] = min(best[i], value).
void lowerTo(float *best, float value, int64_t count);

} // namespace reprise

#endif // REPRISE_PLANNER_MINPLUS_H
