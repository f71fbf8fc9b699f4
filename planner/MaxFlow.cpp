// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/MaxFlow.h"

#include <algorithm>

namespace reprise {

uint32_t MaxFlow::addArc(uint32_t from, uint32_t to) {
  sources.push_back(from);
  targets.push_back(to);
  capacities.push_back(0);
  return capacities.size() - 1;
}

/// Groups the half arcs by the node that they leave.
void MaxFlow::index() {
  if (starts.size() == nodeCount + 1 && halves.size() == 2 * numArcs())
    return;
  starts.assign(nodeCount + 1, 0);
  halves.resize(2 * numArcs());
  for (size_t a = 0; a < numArcs(); ++a) {
    ++starts[sources[a] + 1];
    ++starts[targets[a] + 1];
  }
  for (uint32_t n = 0; n < nodeCount; ++n)
    starts[n + 1] += starts[n];
  std::vector<uint32_t> place(starts.begin(), starts.end() - 1);
  for (uint32_t a = 0; a < numArcs(); ++a) {
    halves[place[sources[a]]++] = 2 * a;
    halves[place[targets[a]]++] = 2 * a + 1;
  }
}

/// Distances from the source along arcs with capacity left. True when the sink
/// is reached.
bool MaxFlow::findLevels() {
  levels.assign(nodeCount, kNoLevel);
  queue.assign(1, kSource);
  levels[kSource] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    uint32_t n = queue[i];
    looked += starts[n + 1] - starts[n];
    for (uint32_t k = starts[n]; k < starts[n + 1]; ++k) {
      uint32_t half = halves[k], to = head(half);
      if (residuals[half] == 0 || levels[to] != kNoLevel)
        continue;
      levels[to] = levels[n] + 1;
      queue.push_back(to);
    }
  }
  return levels[kSink] != kNoLevel;
}

/// Takes the next arc that leads from \p node one level on, if there is one.
bool MaxFlow::advance(uint32_t &node) {
  for (uint32_t &k = next[node]; k < starts[node + 1]; ++k) {
    ++looked;
    uint32_t half = halves[k];
    if (residuals[half] == 0 || levels[head(half)] != levels[node] + 1)
      continue;
    path.push_back(half);
    node = head(half);
    return true;
  }
  return false;
}

/// Fills the path and goes back to where its first full arc begins.
int64_t MaxFlow::augmentPath(uint32_t &node) {
  int64_t flow = kInfinite;
  for (uint32_t half : path)
    flow = std::min(flow, residuals[half]);
  size_t full = path.size();
  for (size_t i = path.size(); i-- > 0;) {
    residuals[path[i]] -= flow;
    residuals[path[i] ^ 1] += flow;
    if (residuals[path[i]] == 0)
      full = i;
  }
  looked += path.size();
  node = tail(path[full]);
  path.resize(full);
  return flow;
}

/// A blocking flow: along paths on which the level rises by one per arc.
int64_t MaxFlow::augmentAll() {
  int64_t total = 0;
  next.assign(starts.begin(), starts.end() - 1);
  path.clear();
  uint32_t node = kSource;
  while (true) {
    if (node == kSink) {
      total += augmentPath(node);
      continue;
    }
    if (advance(node))
      continue;
    if (path.empty())
      return total;
    node = tail(path.back());
    path.pop_back();
    ++next[node];
  }
}

int64_t MaxFlow::solve() {
  index();
  looked += numArcs();
  residuals.assign(2 * numArcs(), 0);
  for (size_t a = 0; a < numArcs(); ++a)
    residuals[2 * a] = capacities[a];
  int64_t flow = 0;
  while (findLevels())
    flow += augmentAll();
  return flow;
}

} // namespace reprise
