// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Overlaps are found by a sweep over the steps. The buffers that are live at a
// step are kept in the order of their offsets; as long as they do not overlap,
// a new one can only overlap its two neighbours there:
//
//   offset   0      64     128    192
//            [ a   )       [ b   )          live
//                  [ new         )          compare with a and b only

#include "reprise/io/ArenaChecker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <queue>
#include <set>

namespace reprise {

namespace {

/// A buffer of the file whose tensor the graph has.
struct Placed {
  const ArenaFile::Buffer *buffer;
  StorageId storage;
  int64_t end; ///< offset + bytes
};

class ArenaChecker {
public:
  ArenaChecker(const Graph &graph, const ScheduleFile &file, Findings &findings)
      : graph(graph), file(file), findings(findings) {}

  void placeBuffers();
  void checkBudget();
  void sweep();
  void matchResidencies(const ReplayFigures &figures);

private:
  void checkBuffer(const llvm::Twine &where, const ArenaFile::Buffer &buffer,
                   StorageId storage);
  void checkNeighbours(uint32_t added);

  /// Buffers by offset; ties by their number, to be total.
  struct ByOffset {
    const std::vector<Placed> *placed;
    bool operator()(uint32_t a, uint32_t b) const {
      int64_t left = (*placed)[a].buffer->offset;
      int64_t right = (*placed)[b].buffer->offset;
      return left != right ? left < right : a < b;
    }
  };

  const Graph &graph;
  const ScheduleFile &file;
  Findings &findings;
  std::vector<Placed> placed; ///< by first step, once placeBuffers() ran
  std::set<uint32_t, ByOffset> live{ByOffset{&placed}};
};

} // namespace

void ArenaChecker::checkBuffer(const llvm::Twine &where,
                               const ArenaFile::Buffer &buffer,
                               StorageId storage) {
  auto steps = static_cast<int64_t>(file.steps.size());
  if (buffer.firstStep > buffer.lastStep || buffer.lastStep >= steps)
    findings.add(where + ": steps " + llvm::Twine(buffer.firstStep) + " to " +
                 llvm::Twine(buffer.lastStep) + " of " + llvm::Twine(steps));
  int64_t alignment = std::max<int64_t>(file.arena->alignment, 1);
  if (buffer.offset % alignment != 0)
    findings.add(where + ": offset " + llvm::Twine(buffer.offset) +
                 " is not a multiple of " + llvm::Twine(alignment));
  if (buffer.bytes < graph.storageBytes(storage))
    findings.add(where + ": " + llvm::Twine(buffer.bytes) +
                 " bytes for a storage of " +
                 llvm::Twine(graph.storageBytes(storage)));
}

void ArenaChecker::placeBuffers() {
  llvm::StringMap<TensorId> tensorIds;
  for (TensorId t = 0; t < graph.numTensors(); ++t)
    tensorIds.try_emplace(graph.tensorName(t), t);
  int64_t highest = 0;
  for (size_t k = 0; k < file.arena->buffers.size(); ++k) {
    const ArenaFile::Buffer &buffer = file.arena->buffers[k];
    std::string where =
        ("arena: buffer " + llvm::Twine(k) + " (" + buffer.tensor + ")").str();
    int64_t end = 0;
    auto found = tensorIds.find(buffer.tensor);
    if (found == tensorIds.end()) {
      findings.add(where + ": the graph has no such tensor");
      continue;
    }
    StorageId storage = graph.storage(found->second);
    if (graph.isConstantStorage(storage)) {
      findings.add(where + ": it lives in a graph input or initializer, which "
                           "is outside the arena");
      continue;
    }
    if (__builtin_add_overflow(buffer.offset, buffer.bytes, &end)) {
      findings.add(where + ": its end overflows 64 bits");
      continue;
    }
    checkBuffer(where, buffer, storage);
    highest = std::max(highest, end);
    placed.push_back({&buffer, storage, end});
  }
  if (highest != file.arena->bytes)
    findings.add("arena: size is " + llvm::Twine(file.arena->bytes) +
                 ", the highest end of a buffer is " + llvm::Twine(highest));
  llvm::stable_sort(placed, [](const Placed &a, const Placed &b) {
    return a.buffer->firstStep < b.buffer->firstStep;
  });
}

void ArenaChecker::checkBudget() {
  int64_t total = 0;
  if (!file.budgetBytes)
    return;
  if (__builtin_add_overflow(file.arena->bytes, graph.constantBytes(),
                             &total) ||
      total > *file.budgetBytes)
    findings.add("arena: size " + llvm::Twine(file.arena->bytes) +
                 " and inputs and initializers of " +
                 llvm::Twine(graph.constantBytes()) + " exceed the budget " +
                 llvm::Twine(*file.budgetBytes));
}

void ArenaChecker::checkNeighbours(uint32_t added) {
  auto overlap = [&](uint32_t other) {
    const Placed &a = placed[added], &b = placed[other];
    if (a.buffer->offset >= b.end || b.buffer->offset >= a.end)
      return;
    auto show = [](const Placed &p) {
      return p.buffer->tensor + " (steps " +
             std::to_string(p.buffer->firstStep) + " to " +
             std::to_string(p.buffer->lastStep) + ", bytes " +
             std::to_string(p.buffer->offset) + " to " + std::to_string(p.end) +
             ")";
    };
    findings.add("arena: " + show(a) + " overlaps " + show(b));
  };
  auto at = live.insert(added).first;
  if (at != live.begin())
    overlap(*std::prev(at));
  if (std::next(at) != live.end())
    overlap(*std::next(at));
}

void ArenaChecker::sweep() {
  using Ending = std::pair<int64_t, uint32_t>; // last step, buffer
  std::priority_queue<Ending, std::vector<Ending>, std::greater<Ending>> ends;
  for (uint32_t i = 0; i < placed.size(); ++i) {
    while (!ends.empty() && ends.top().first < placed[i].buffer->firstStep) {
      live.erase(ends.top().second);
      ends.pop();
    }
    if (placed[i].buffer->bytes == 0)
      continue;
    checkNeighbours(i);
    ends.push({placed[i].buffer->lastStep, i});
  }
}

/// Gives every residency a buffer of its own that covers it. The residencies
/// of a storage come by first step, and each takes the one of the buffers that
/// have begun by then that ends earliest, which leaves the most to the others.
void ArenaChecker::matchResidencies(const ReplayFigures &figures) {
  std::vector<std::vector<uint32_t>> buffersOf(graph.numStorages());
  for (uint32_t i = 0; i < placed.size(); ++i)
    buffersOf[placed[i].storage].push_back(i);
  std::vector<size_t> begun(graph.numStorages(), 0);
  std::vector<std::multiset<int64_t>> lastSteps(graph.numStorages());
  for (const Residency &residency : figures.residencies) {
    StorageId s = graph.storage(residency.owner);
    if (graph.storageBytes(s) == 0)
      continue;
    auto first = static_cast<int64_t>(residency.firstStep);
    auto last = static_cast<int64_t>(residency.lastStep);
    for (size_t &i = begun[s]; i < buffersOf[s].size(); ++i) {
      const ArenaFile::Buffer &buffer = *placed[buffersOf[s][i]].buffer;
      if (buffer.firstStep > first)
        break;
      lastSteps[s].insert(buffer.lastStep);
    }
    // The step of the free itself does not need the bytes any more.
    auto found = lastSteps[s].lower_bound(std::max(first, last - 1));
    if (found == lastSteps[s].end())
      findings.add("arena: no buffer for " + graph.tensorName(residency.owner) +
                   ", resident in steps " + llvm::Twine(first) + " to " +
                   llvm::Twine(last));
    else
      lastSteps[s].erase(found);
  }
}

void checkArena(const Graph &graph, const ScheduleFile &file,
                const ReplayFigures &figures, Findings &findings) {
  ArenaChecker checker(graph, file, findings);
  checker.placeBuffers();
  checker.checkBudget();
  checker.sweep();
  checker.matchResidencies(figures);
}

} // namespace reprise
