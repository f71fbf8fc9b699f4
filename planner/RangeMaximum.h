// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest of a range of numbers, many times over.

#ifndef REPRISE_PLANNER_RANGEMAXIMUM_H
#define REPRISE_PLANNER_RANGEMAXIMUM_H

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace reprise {

/// A binary tree over \p values, in one array. Building it is linear, asking
/// it logarithmic.
class RangeMaximum {
public:
  explicit RangeMaximum(llvm::ArrayRef<int64_t> values)
      : count(values.size()), tree(2 * count) {
    std::copy(values.begin(), values.end(), tree.begin() + count);
    for (size_t i = count; i-- > 1;)
      tree[i] = std::max(tree[2 * i], tree[2 * i + 1]);
  }

  /// Of the values [begin, end); the least number there is of an empty range.
  int64_t of(size_t begin, size_t end) const {
    int64_t most = std::numeric_limits<int64_t>::min() / 2;
    for (begin += count, end += count; begin < end; begin /= 2, end /= 2) {
      if (begin & 1)
        most = std::max(most, tree[begin++]);
      if (end & 1)
        most = std::max(most, tree[--end]);
    }
    return most;
  }

private:
  size_t count;
  std::vector<int64_t> tree;
};

} // namespace reprise

#endif // REPRISE_PLANNER_RANGEMAXIMUM_H
