// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stretch of a plan as a problem of its own for the exact method. The runs
// before and after it stay as they are:
//
//   ... runs before ...  [ window )  ... runs after ...
//               resident ^        ^ must be resident
//
// What is resident throughout and not touched takes its bytes off the budget.

#ifndef REPRISE_PLANNER_WINDOWMODEL_H
#define REPRISE_PLANNER_WINDOWMODEL_H

#include "reprise/planner/ExactSearch.h"

#include "llvm/ADT/DenseMap.h"

namespace reprise {

/// See the head of the file.
class WindowModel {
public:
  /// The window [\p from, \p to) of \p runs, a plan that fits.
  WindowModel(const Problem &problem, llvm::ArrayRef<NodeId> runs, size_t from,
              size_t to);

  /// False for a window that cannot be put into sets of 128, or that
  /// overwrites something in place.
  bool isUsable() const { return usable; }
  /// The cheapest runs, if they are cheaper than those of the window; the
  /// work of finding them is added to \p work.
  std::optional<RunSequence> solve(const OptimalLimits &limits,
                                   uint64_t &work) const;

private:
  enum : uint8_t { Neither, ReadNext, MadeNext };

  void findResidents();
  bool addTensor(TensorId t);
  bool addTouched();
  bool addProducers();
  bool addNode(NodeId n, bool isRunnable);
  void addGroups();
  void closeModel();
  bool isResident(TensorId t) const { return resident[t]; }
  TensorId rootOf(TensorId t) const;
  bool isMade(TensorId t) const { return t >= graph.numConstants(); }

  const Problem &problem;
  const Graph &graph;
  llvm::ArrayRef<NodeId> runs, window;
  size_t from, to;
  bool usable = false;

  std::vector<uint8_t> ranBefore; ///< by node: runs before the window
  std::vector<uint8_t> resident;  ///< by tensor: when the window begins
  std::vector<uint8_t> wanted;    ///< by tensor: by the runs behind it

  ExactModel model;
  ExactStart start;
  ExtraCost upper;                 ///< of the window as it is
  std::vector<NodeId> nodeIds;     ///< by node of the model
  std::vector<TensorId> tensorIds; ///< by tensor of the model
  llvm::DenseMap<NodeId, unsigned> nodeIndex;
  llvm::DenseMap<TensorId, unsigned> tensorIndex;
};

} // namespace reprise

#endif // REPRISE_PLANNER_WINDOWMODEL_H
