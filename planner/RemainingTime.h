// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time limit that several share.

#ifndef REPRISE_PLANNER_REMAININGTIME_H
#define REPRISE_PLANNER_REMAININGTIME_H

#include "reprise/planner/Planner.h"

#include <algorithm>
#include <chrono>

namespace reprise {

/// What is left of a time limit.
class RemainingTime {
public:
  explicit RemainingTime(const PlanOptions &options)
      : limit(options.timeLimitSeconds),
        begin(std::chrono::steady_clock::now()) {}

  /// \p options with the rest of the limit.
  PlanOptions in(PlanOptions options) const {
    if (limit >= 0) {
      std::chrono::duration<double> used =
          std::chrono::steady_clock::now() - begin;
      options.timeLimitSeconds = std::max(0.0, limit - used.count());
    }
    return options;
  }

private:
  double limit;
  std::chrono::steady_clock::time_point begin;
};

} // namespace reprise

#endif // REPRISE_PLANNER_REMAININGTIME_H
