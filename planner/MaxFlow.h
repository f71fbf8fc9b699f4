// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maximum flow and minimum cut with whole capacities.

#ifndef REPRISE_PLANNER_MAXFLOW_H
#define REPRISE_PLANNER_MAXFLOW_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reprise {

/// A network whose arcs stay while their capacities change from one flow to
/// the next. Dinic's method (1970): shortest augmenting paths, phase by phase.
class MaxFlow {
public:
  /// More than any finite flow; capacities are at most this.
  static constexpr int64_t kInfinite = int64_t(1) << 60;
  static constexpr uint32_t kSource = 0, kSink = 1;

  /// A new node; the source and the sink are there from the start.
  uint32_t addNode() { return nodeCount++; }
  /// A new arc, numbered from 0. Its capacity is 0.
  uint32_t addArc(uint32_t from, uint32_t to);
  void setCapacity(uint32_t arc, int64_t capacity) {
    capacities[arc] = capacity;
  }

  /// Value of a maximum flow. A finite one must exist.
  int64_t solve();
  /// After solve(): is \p node on the source's side of the minimum cut that is
  /// nearest to the source?
  bool isOnSourceSide(uint32_t node) const { return levels[node] != kNoLevel; }

  size_t numArcs() const { return capacities.size(); }
  /// Arcs looked at so far, by all flows: a measure of effort.
  uint64_t work() const { return looked; }

private:
  static constexpr uint32_t kNoLevel = UINT32_MAX;

  void index();
  bool findLevels();
  int64_t augmentAll();
  bool advance(uint32_t &node);
  int64_t augmentPath(uint32_t &node);
  uint32_t head(uint32_t half) const {
    return half % 2 ? sources[half / 2] : targets[half / 2];
  }
  uint32_t tail(uint32_t half) const { return head(half ^ 1); }

  uint32_t nodeCount = 2;
  std::vector<uint32_t> sources, targets; ///< by arc
  std::vector<int64_t> capacities;        ///< by arc
  // A half arc 2a leads along arc a, 2a + 1 back.
  std::vector<uint32_t> starts, halves; ///< half arcs by node
  std::vector<int64_t> residuals;       ///< by half arc
  std::vector<uint32_t> levels, next;   ///< by node
  std::vector<uint32_t> queue, path;    ///< nodes; half arcs
  uint64_t looked = 0;
};

} // namespace reprise

#endif // REPRISE_PLANNER_MAXFLOW_H
