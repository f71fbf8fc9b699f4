// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A time limit as a flag that is set when it is over, for work that is asked to
// stop by a flag anyway.

#ifndef REPRISE_PLANNER_TIMEDSTOP_H
#define REPRISE_PLANNER_TIMEDSTOP_H

#include "reprise/planner/Planner.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace reprise {

/// From its making to its end: a flag that is set when the time limit of
/// some options is over, or their own flag is set.
class TimedStop {
public:
  explicit TimedStop(const PlanOptions &options);
  ~TimedStop();
  TimedStop(const TimedStop &) = delete;
  TimedStop &operator=(const TimedStop &) = delete;

  /// \p options with the flag.
  PlanOptions in(PlanOptions options) const;

private:
  void watch(double seconds);

  const std::atomic<bool> *outer; ///< null: only the time counts
  std::atomic<bool> isOver{false};
  bool isLimited;
  bool isDone = false; ///< nobody waits for the flag any more
  std::mutex mutex;
  std::condition_variable wake;
  std::thread watcher;
};

/// Is there a flag, and is it set?
inline bool isSet(const std::atomic<bool> *flag) {
  return flag && flag->load(std::memory_order_relaxed);
}

/// Has the work under \p options been asked to stop?
inline bool isStopped(const PlanOptions &options) {
  return isSet(options.stop);
}

} // namespace reprise

#endif // REPRISE_PLANNER_TIMEDSTOP_H
