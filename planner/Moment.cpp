// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Moment.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace reprise {

MomentAnalysis::MomentAnalysis(const Problem &problem)
    : problem(problem), graph(problem.graph), owner(graph.numTensors()) {
  for (TensorId t = 0; t < owner.size(); ++t)
    owner[t] = graph.storageUse(t) == StorageUse::Alias ? owner[graph.base(t)]
                                                        : t;
}

void MomentAnalysis::markRelatives(NodeId x) {
  isAncestor.assign(graph.numNodes(), 0);
  isDescendant.assign(graph.numNodes(), 0);
  isAncestor[x] = isDescendant[x] = 1;
  llvm::ArrayRef<NodeId> order = graph.order();
  uint32_t position = graph.position(x);
  for (uint32_t k = position + 1; k-- > 0;)
    if (isAncestor[order[k]])
      for (TensorId t : graph.reads(order[k]))
        isAncestor[graph.producer(t)] = 1;
  for (uint32_t k = position + 1; k < order.size(); ++k)
    for (TensorId t : graph.reads(order[k]))
      isDescendant[order[k]] |= isDescendant[graph.producer(t)];
  isAncestor[x] = isDescendant[x] = 0;
}

/// Only descendants that have run for certain by the end of the first run of
/// \p last stay.
void MomentAnalysis::endWith(NodeId last) {
  isToEnd = last == kNone;
  if (isToEnd)
    return;
  std::vector<uint8_t> isInside(graph.numNodes(), 0);
  isInside[last] = 1;
  for (NodeId n : llvm::reverse(graph.order())) {
    isDescendant[n] &= isInside[n];
    if (!isInside[n])
      continue;
    for (TensorId t : graph.reads(n))
      isInside[graph.producer(t)] = 1;
  }
}

bool MomentAnalysis::isReadLater(TensorId t) const {
  return (isToEnd && graph.isOutput(t)) || llvm::any_of(graph.users(t), [&](NodeId y) {
           return isDescendant[y] != 0;
         });
}

/// What is needed, and what is resident in every plan.
void MomentAnalysis::markCertain(NodeId x, Moment &moment) {
  isNeeded.assign(graph.numTensors(), 0);
  isCertain.assign(graph.numTensors(), 0);
  for (TensorId t : graph.reads(x))
    isCertain[owner[t]] = 1;
  for (TensorId t = graph.numConstants(); t < owner.size(); ++t) {
    // A view may well be made later: what it views is needed all the same.
    TensorId o = owner[t];
    if (graph.isConstant(o) || !isAncestor[graph.producer(o)] ||
        !isReadLater(t))
      continue;
    isNeeded[o] = 1;
    if (!graph.mayRecompute(graph.producer(o)) ||
        (isAncestor[graph.producer(t)] &&
         !graph.mayRecompute(graph.producer(t))))
      isCertain[o] = 1;
  }
  for (TensorId t = graph.numConstants(); t < owner.size(); ++t)
    if (isCertain[t] && !graph.isConstantStorage(graph.storage(t)))
      moment.capacityBytes -= graph.storageBytes(graph.storage(t));
}

/// The number of the unit that \p t is part of, a new one if need be; kNone
/// for what is resident for certain.
uint32_t MomentAnalysis::unitOf(TensorId t, Moment &moment) {
  TensorId o = owner[t];
  if (graph.isConstant(o) || isCertain[o])
    return kNone;
  if (unitNumbers[o] != kNone)
    return unitNumbers[o];
  unitNumbers[o] = moment.units.size();
  unitOwners.push_back(o);
  MomentUnit &unit = moment.units.emplace_back();
  StorageId s = graph.storage(o);
  unit.bytes = graph.isConstantStorage(s) ? 0 : graph.storageBytes(s);
  unit.isNeeded = isNeeded[o];
  return unitNumbers[o];
}

Moment MomentAnalysis::at(NodeId x, NodeId last) {
  Moment moment;
  moment.capacityBytes = problem.budgetBytes - graph.constantBytes() -
                         graph.ownedBytes(x) - graph.workspaceBytes(x);
  markRelatives(x);
  endWith(last);
  markCertain(x, moment);
  unitNumbers.assign(graph.numTensors(), kNone);
  makerNumbers.assign(graph.numNodes(), kNone);
  unitOwners.clear();
  for (TensorId t = graph.numConstants(); t < owner.size(); ++t)
    if (isNeeded[t])
      unitOf(t, moment);
  llvm::SmallVector<uint32_t, 8> reads;
  // Grows while it is walked: what a maker reads is a unit as well.
  for (uint32_t u = 0; u < unitOwners.size(); ++u) {
    NodeId maker = graph.producer(unitOwners[u]);
    if (!graph.mayRecompute(maker))
      continue;
    if (makerNumbers[maker] == kNone) {
      makerNumbers[maker] = moment.makerCosts.size();
      moment.makerCosts.push_back(problem.costs[maker]);
      reads.clear();
      for (TensorId t : graph.reads(maker))
        if (uint32_t r = unitOf(t, moment); r != kNone)
          reads.push_back(r);
      moment.makerReads.push(reads);
    }
    moment.units[u].maker = makerNumbers[maker];
  }
  return moment;
}

} // namespace reprise
