// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/TimedStop.h"

#include <algorithm>
#include <chrono>

namespace reprise {

/// How often the outer flag is looked at.
static constexpr std::chrono::milliseconds kPoll{20};
/// Limits beyond a year are none; the clock could not count them.
static constexpr double kMostSeconds = 3.2e7;

TimedStop::TimedStop(const PlanOptions &options)
    : outer(options.stop), isLimited(options.timeLimitSeconds >= 0 &&
                                     options.timeLimitSeconds < kMostSeconds) {
  if (!isLimited)
    return;
  if (options.timeLimitSeconds <= 0)
    isOver = true;
  else
    watcher = std::thread(
        [this, seconds = options.timeLimitSeconds] { watch(seconds); });
}

TimedStop::~TimedStop() {
  if (!watcher.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
  }
  wake.notify_all();
  watcher.join();
}

void TimedStop::watch(double seconds) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(seconds));
  std::unique_lock<std::mutex> lock(mutex);
  while (!isDone && Clock::now() < end &&
         !(outer && outer->load(std::memory_order_relaxed)))
    wake.wait_until(lock, std::min(end, Clock::now() + kPoll));
  isOver = true;
}

PlanOptions TimedStop::in(PlanOptions options) const {
  if (isLimited)
    options.stop = &isOver;
  return options;
}

} // namespace reprise
