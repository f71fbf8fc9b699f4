// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Parallel.h"

#include <thread>
#include <vector>

namespace reprise {

void forEachInParallel(unsigned threads, unsigned count,
                       llvm::function_ref<void(unsigned)> task) {
  if (threads <= 1 || count <= 1) {
    for (unsigned i = 0; i < count; ++i)
      task(i);
    return;
  }
  std::vector<std::thread> others;
  for (unsigned i = 1; i < count; ++i)
    others.emplace_back(task, i);
  task(0);
  for (std::thread &thread : others)
    thread.join();
}

} // namespace reprise
