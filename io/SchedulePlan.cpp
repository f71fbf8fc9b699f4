// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/SchedulePlan.h"

#include "reprise/graph/Error.h"

#include "llvm/ADT/StringMap.h"

namespace reprise {

llvm::Expected<Plan> planOfSchedule(const Graph &graph,
                                    const ScheduleFile &file) {
  llvm::StringMap<NodeId> nodes;
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    nodes[graph.nodeName(n)] = n;
  llvm::StringMap<TensorId> tensors;
  for (TensorId t = graph.numConstants(); t < graph.numTensors(); ++t)
    tensors[graph.tensorName(t)] = t;
  Plan plan;
  plan.steps.reserve(file.steps.size());
  for (size_t k = 0; k < file.steps.size(); ++k) {
    bool isFree = file.steps[k].kind == ScheduleStep::Free;
    llvm::StringRef name = file.stepNames[k];
    const llvm::StringMap<uint32_t> &ids = isFree ? tensors : nodes;
    auto found = ids.find(name);
    if (found == ids.end())
      return makeInputError("step " + llvm::Twine(k) + ": the graph has no " +
                            (isFree ? "tensor " : "node ") + name);
    plan.steps.push_back({isFree                      ? Step::Free
                          : file.steps[k].isRecompute ? Step::Recompute
                                                      : Step::Compute,
                          found->second});
  }
  return plan;
}

} // namespace reprise
