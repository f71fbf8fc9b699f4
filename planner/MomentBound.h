// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least extra cost that one moment forces: what is not resident there has
// to be made again, with what that needs.

#ifndef REPRISE_PLANNER_MOMENTBOUND_H
#define REPRISE_PLANNER_MOMENTBOUND_H

#include "reprise/planner/MaxFlow.h"
#include "reprise/planner/Moment.h"

#include <queue>

namespace reprise {

/// A lower bound of the extra cost at one moment, made sharper step by step.
class MomentBound {
public:
  /// \p costUnit: as of commonCostUnit().
  MomentBound(const Moment &moment, double costUnit);

  /// The relaxation in which units may be resident in part. Gives up when it is
  /// certain to end at or below \p floor; \p price is where to look first.
  double relax(double floor, double price);
  /// Branches on the units until \p steps more have been made, the bound has
  /// come to \p target, or it is the least integral cost.
  void branch(unsigned steps, double target);

  /// The fewest bytes of units that are resident in any plan.
  int64_t fewestBytes();
  /// Are the sums of bytes within what the flows can hold (a pebibyte)?
  static bool isSmallEnough(const Graph &graph);

  double bound() const { return best; } ///< infinite: nothing fits
  bool isExact() const { return exact; }
  double price() const { return lastPrice; } ///< per byte, of the relaxation
  uint64_t work() const { return network.work(); }

private:
  enum Fix : uint8_t { Free, Resident, Dropped };
  using Fixes = std::vector<Fix>;

  /// What a cut costs at a price p: cost + p * over.
  struct Line {
    double cost = 0;
    double over = 0; ///< resident bytes less the capacity
    std::vector<bool> resident;
  };

  struct Relaxed {
    double bound = 0;
    double price = 0;
    double feasibleCost; ///< of a whole solution that was met
    uint32_t branchUnit = kNone;
  };

  struct OpenNode {
    double bound;
    uint64_t number;
    double price;
    uint32_t branchUnit;
    Fixes fixes;

    bool operator<(const OpenNode &other) const {
      return bound != other.bound ? bound > other.bound
                                  : number > other.number;
    }
  };

  void scale(const Moment &moment);
  double evaluate(const Fixes &fixes, double price, Line &line);
  int64_t fewestBytes(const Fixes &fixes, Line &line);
  void readCut(const Fixes &fixes, Line &line) const;
  bool isWanted(uint32_t unit) const;
  bool isContradictory(const Fixes &fixes) const;
  Line holdAll(const Fixes &fixes) const;
  Line makeAll(const Fixes &fixes) const;
  Relaxed solve(const Fixes &fixes, double floor, double price);
  double roundUp(double bound) const;
  void open(Fixes fixes, double floor, double price);

  const Moment &moment;
  double costUnit;
  MaxFlow network;
  std::vector<uint32_t> unitNodes, unitArcs;   ///< by unit
  std::vector<uint32_t> makerNodes, makerArcs; ///< by maker
  std::vector<int64_t> makerCapacities;        ///< scaled costs
  double scaleFactor = 1;
  int64_t largestCapacity = 0; ///< of a free unit
  int64_t droppedCapacity = 0; ///< more than all costs and prices
  double best = 0, lastPrice = 0;
  double incumbent; ///< least cost of a whole solution so far
  bool exact = false;
  uint64_t opened = 0;
  std::priority_queue<OpenNode> nodes;
};

} // namespace reprise

#endif // REPRISE_PLANNER_MOMENTBOUND_H
