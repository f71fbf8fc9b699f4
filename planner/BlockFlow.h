// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum cuts of a block of forward nodes: which of its storages to keep, and
// which to make again, at a price per byte.
//
//   source --(price x bytes)--> maker of a storage that the backward part reads
//   node --(cost of a run)--> sink,  node --> storages that it reads
//   storage that the backward part does not read --(price x bytes)--> its maker
//
// What is on the source side is made again; a cut priced arc keeps a storage.

#ifndef REPRISE_PLANNER_BLOCKFLOW_H
#define REPRISE_PLANNER_BLOCKFLOW_H

#include <cstdint>
#include <vector>

namespace reprise {

/// One network at a time; the memory is used again for the next one.
class BlockFlow {
public:
  /// Starts a network of \p nodes nodes, in an order in which makers come
  /// before readers.
  void start(uint32_t nodes);
  /// A storage that \p maker makes and the backward part reads.
  void addRead(uint32_t maker, double bytes);
  /// Another storage; returns its number, counted from 0.
  uint32_t addInner(uint32_t maker, double bytes);
  /// \p reader reads an inner storage made before it.
  void addUse(uint32_t reader, uint32_t inner);
  /// What a run of \p node costs.
  void addCost(uint32_t node, double cost);
  /// The network is whole.
  void finish();

  /// Finds the minimum cut that is nearest to the source.
  void cut(double price);
  /// After cut(): is \p node made again?
  bool isRemade(uint32_t node) const { return level[2 + node] != kNoLevel; }
  /// Is an inner storage needed, by what is made again?
  bool isNeeded(uint32_t inner) const {
    return level[2 + numNodes + inner] != kNoLevel;
  }

private:
  static constexpr uint32_t kNoLevel = UINT32_MAX;
  static constexpr uint32_t kSource = 0, kSink = 1;

  struct Arc {
    uint32_t from, to;
    double capacity; ///< at price 1 where priced
    bool priced;
  };
  /// A direction of an arc; the opposite one is `mate`.
  struct Half {
    uint32_t to, mate;
    double left; ///< residual capacity
  };

  void reset(double price);
  void push(Half &half, double flow) {
    half.left -= flow;
    halves[half.mate].left += flow;
  }
  void sweepDown();
  void giveBack();
  bool findLevels();
  bool augment();

  uint32_t numNodes = 0, numVertices = 0;
  std::vector<Arc> arcs;
  std::vector<Half> halves;      ///< by vertex, in the order of their arcs
  std::vector<uint32_t> starts;  ///< per vertex: its first half
  std::vector<uint32_t> placeOf; ///< per arc: its forward half
  std::vector<uint32_t> level, next, path, queue;
  std::vector<double> excess; ///< per vertex
  double smallest = 0;        ///< less is an error of rounding
};

} // namespace reprise

#endif // REPRISE_PLANNER_BLOCKFLOW_H
