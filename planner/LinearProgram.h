// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear programs, and what their dual solutions prove.

#ifndef REPRISE_PLANNER_LINEARPROGRAM_H
#define REPRISE_PLANNER_LINEARPROGRAM_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace reprise {

/// Least sum of costs, where each row is at least its lower limit and each
/// column (variable) lies within its own limits, which are finite.
struct LinearProgram {
  std::vector<double> costs, columnLower, columnUpper; ///< by column
  std::vector<double> rowLower;                        ///< by row
  std::vector<int> rowStarts{0};
  std::vector<int> columns;   ///< of the entries, row by row
  std::vector<double> values; ///< of the entries

  size_t numColumns() const { return costs.size(); }
  size_t numRows() const { return rowLower.size(); }

  uint32_t addColumn(double cost, double lower, double upper);
  /// Adds an entry to the row that endRow() ends.
  void add(uint32_t column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void endRow(double lower);

  /// No solution costs less, whatever \p duals are: negative ones count as 0,
  /// and each column is charged its worst limit (Neumaier and Shcherbina,
  /// 2004). Near an optimum of the dual program it is near the optimum. Safe
  /// against rounding.
  double bound(llvm::ArrayRef<double> duals) const;
};

} // namespace reprise

#endif // REPRISE_PLANNER_LINEARPROGRAM_H
