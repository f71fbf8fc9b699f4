// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/WindowSearch.h"

#include "reprise/planner/Liveness.h"
#include "reprise/planner/WindowModel.h"

namespace reprise {

/// Runs of a window, and of its overlap with the next one.
static constexpr size_t kWindowRuns = 20, kOverlap = 10;
/// Work of one window, which is a few milliseconds.
static constexpr uint64_t kWindowWork = 300'000;
/// Work of finding out what is resident, per run and tensor.
static constexpr uint64_t kScanWork = 2;

static RunSequence spliced(llvm::ArrayRef<NodeId> runs, size_t from, size_t to,
                           llvm::ArrayRef<NodeId> middle) {
  RunSequence result(runs.begin(), runs.begin() + from);
  result.insert(result.end(), middle.begin(), middle.end());
  result.insert(result.end(), runs.begin() + to, runs.end());
  return result;
}

std::optional<RunSequence> solveWindow(const Problem &problem,
                                       llvm::ArrayRef<NodeId> runs, size_t from,
                                       size_t to, uint64_t limit,
                                       uint64_t &work,
                                       const std::atomic<bool> *stop) {
  work += kScanWork * (runs.size() + problem.graph.numTensors());
  WindowModel model(problem, runs, from, to);
  if (!model.isUsable())
    return std::nullopt;
  OptimalLimits limits;
  limits.maxWork = limit;
  limits.stop = stop;
  std::optional<RunSequence> found = model.solve(limits, work);
  if (!found)
    return std::nullopt;
  // The model leaves views and frees to the replay, which has the last word.
  RunSequence whole = spliced(runs, from, to, *found);
  work += 8 * whole.size();
  llvm::Expected<Simulation> replay = simulate(
      problem.graph, problem.costs, planFromRuns(problem.graph, whole));
  if (!replay) {
    llvm::consumeError(replay.takeError());
    return std::nullopt;
  }
  if (replay->peakBytes > problem.budgetBytes ||
      costOfRuns(problem.costs, whole) >= costOfRuns(problem.costs, runs))
    return std::nullopt;
  return found;
}

/// The runs beyond the first of their nodes that cost something.
static std::vector<uint8_t> costlyExtras(const Problem &problem,
                                         llvm::ArrayRef<NodeId> runs) {
  std::vector<uint8_t> ran(problem.graph.numNodes(), 0), extra(runs.size(), 0);
  for (size_t i = 0; i < runs.size(); ++i) {
    extra[i] = ran[runs[i]] && problem.costs[runs[i]] > 0;
    ran[runs[i]] = 1;
  }
  return extra;
}

RunSequence improveWindows(const Problem &problem, RunSequence runs,
                           uint64_t limit, const std::atomic<bool> *stop) {
  uint64_t work = 0;
  std::vector<uint8_t> extra = costlyExtras(problem, runs);
  for (size_t from = 0; from < runs.size() && work < limit; from += kOverlap) {
    if (stop && stop->load(std::memory_order_relaxed))
      break;
    size_t to = std::min(from + kWindowRuns, runs.size());
    if (std::find(extra.begin() + from, extra.begin() + to, 1) ==
        extra.begin() + to)
      continue;
    std::optional<RunSequence> middle =
        solveWindow(problem, runs, from, to, kWindowWork, work, stop);
    if (!middle)
      continue;
    runs = spliced(runs, from, to, *middle);
    extra = costlyExtras(problem, runs);
  }
  return runs;
}

} // namespace reprise
