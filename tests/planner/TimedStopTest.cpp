// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/TimedStop.h"

#include "support/RandomGraph.h"

#include <doctest/doctest.h>

using namespace reprise;

TEST_CASE("a time limit is a flag: unset without one, set when it is over") {
  PlanOptions options;
  CHECK(TimedStop(options).in(options).stop == nullptr);

  options.timeLimitSeconds = 0;
  TimedStop over(options);
  CHECK(isStopped(over.in(options)));

  options.timeLimitSeconds = 0.02;
  TimedStop soon(options);
  PlanOptions limited = soon.in(options);
  while (!isStopped(limited))
    std::this_thread::yield();
  CHECK(isStopped(limited));
}

TEST_CASE("a flag from outside passes through a time limit") {
  std::atomic<bool> interrupted{true};
  PlanOptions options;
  options.stop = &interrupted;
  CHECK(TimedStop(options).in(options).stop == &interrupted);

  options.timeLimitSeconds = 1e9;
  CHECK(isStopped(TimedStop(options).in(options)));
  options.timeLimitSeconds = 3600;
  TimedStop limit(options);
  PlanOptions limited = limit.in(options);
  while (!isStopped(limited))
    std::this_thread::yield();
  CHECK(isStopped(limited));
}

TEST_CASE("what is found within no time at all fits its budget all the same") {
  PlanOptions options;
  options.timeLimitSeconds = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Graph graph = randomGraph(seed);
    llvm::Expected<PlanResult> free = plan(Problem::of(graph), options);
    REQUIRE(bool(free));
    int64_t budget = free->baselinePeakBytes / 10 * 8;
    llvm::Expected<PlanResult> tight =
        plan(Problem::of(graph, budget), options);
    if (tight)
      CHECK(tight->simulation.peakBytes <= budget);
    else
      llvm::consumeError(tight.takeError());
  }
}
