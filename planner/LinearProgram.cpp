// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/LinearProgram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reprise {

uint32_t LinearProgram::addColumn(double cost, double lower, double upper) {
  costs.push_back(cost);
  columnLower.push_back(lower);
  columnUpper.push_back(upper);
  return costs.size() - 1;
}

void LinearProgram::endRow(double lower) {
  rowLower.push_back(lower);
  rowStarts.push_back(columns.size());
}

double LinearProgram::bound(llvm::ArrayRef<double> duals) const {
  // Every sum is at most this many terms deep; the factor is generous.
  double unit = 4 * std::numeric_limits<double>::epsilon() *
                double(columns.size() + numColumns() + numRows());
  std::vector<double> reduced = costs, size(costs.size(), 0);
  double sum = 0, magnitude = 0;
  for (size_t r = 0; r < numRows(); ++r) {
    double dual = std::isfinite(duals[r]) ? std::max(0.0, duals[r]) : 0;
    if (dual == 0)
      continue;
    sum += dual * rowLower[r];
    magnitude += std::fabs(dual * rowLower[r]);
    for (int e = rowStarts[r]; e < rowStarts[r + 1]; ++e) {
      reduced[columns[e]] -= dual * values[e];
      size[columns[e]] += std::fabs(dual * values[e]);
    }
  }
  for (size_t c = 0; c < numColumns(); ++c) {
    double worst = reduced[c] > 0 ? columnLower[c] : columnUpper[c];
    sum += reduced[c] * worst;
    double largest =
        std::max(std::fabs(columnLower[c]), std::fabs(columnUpper[c]));
    magnitude += (size[c] + std::fabs(costs[c])) * largest;
  }
  // Rounding of one sum is far below this for any program that fits memory.
  return sum - std::min(unit, 1e-11) * magnitude;
}

} // namespace reprise
