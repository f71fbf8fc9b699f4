// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written for the compiler's vectoriser, which needs three things: arrays that
// do not overlap, a comparison that is the hardware's minimum, and -O3, which
// cmake/Sources.cmake asks for in this file. Where the loader can choose among
// clones, the widest vectors of the machine are used; all give the same values.

#include "reprise/planner/MinPlus.h"

// Sanitizers run before the loader has chosen.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) &&          \
    !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&                   \
    !defined(__SANITIZE_THREAD__)
#define REPRISE_VECTOR_CLONES                                                  \
  __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define REPRISE_VECTOR_CLONES
#endif

namespace reprise {

/// Slots that are looked at together: the least sum of a part is its last one,
/// the largest value that it could lower is the first.
static constexpr int64_t kPart = 64;

REPRISE_VECTOR_CLONES
void lowerBySum(float *__restrict best, const float *__restrict xs,
                const float *__restrict ys, float extra, int64_t count) {
  int64_t begin = 0;
  for (; begin + kPart <= count; begin += kPart) {
    int64_t last = begin + kPart - 1;
    if (xs[last] + ys[last] + extra >= best[begin])
      continue;
    for (int64_t i = begin; i < begin + kPart; ++i) {
      float sum = xs[i] + ys[i] + extra;
      best[i] = sum < best[i] ? sum : best[i];
    }
  }
  for (int64_t i = begin; i < count; ++i) {
    float sum = xs[i] + ys[i] + extra;
    best[i] = sum < best[i] ? sum : best[i];
  }
}

REPRISE_VECTOR_CLONES
void lowerBySum(float *__restrict best, const float *__restrict xs, float extra,
                int64_t count) {
  int64_t begin = 0;
  for (; begin + kPart <= count; begin += kPart) {
    if (xs[begin + kPart - 1] + extra >= best[begin])
      continue;
    for (int64_t i = begin; i < begin + kPart; ++i) {
      float sum = xs[i] + extra;
      best[i] = sum < best[i] ? sum : best[i];
    }
  }
  for (int64_t i = begin; i < count; ++i) {
    float sum = xs[i] + extra;
    best[i] = sum < best[i] ? sum : best[i];
  }
}

REPRISE_VECTOR_CLONES
void lowerTo(float *__restrict best, float value, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    best[i] = value < best[i] ? value : best[i];
}

} // namespace reprise
