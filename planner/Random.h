// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that are the same on every machine and standard library.

#ifndef REPRISE_PLANNER_RANDOM_H
#define REPRISE_PLANNER_RANDOM_H

#include <cstdint>

namespace reprise {

/// SplitMix64 (Steele, Lea, Flood 2014): one word of state, passes BigCrush.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound), bound > 0. The bias of the product is below
  /// bound / 2^64.
  uint64_t below(uint64_t bound) {
    return uint64_t((unsigned __int128)next() * bound >> 64);
  }
  /// Uniform in [0, 1).
  double unit() { return double(next() >> 11) * 0x1.0p-53; }

private:
  uint64_t state;
};

} // namespace reprise

#endif // REPRISE_PLANNER_RANDOM_H
