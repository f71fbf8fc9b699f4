// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/TorchPolicy.h"

#include "reprise/io/ScheduleWriter.h"

namespace reprise {

/// Counts the runs of each node of \p plan.
static std::vector<uint32_t> countRuns(const Graph &graph, const Plan &plan) {
  std::vector<uint32_t> runs(graph.numNodes(), 0);
  for (const Step &step : plan.steps)
    if (step.kind != Step::Free)
      ++runs[step.id];
  return runs;
}

/// The tensors that some late run of \p plan reads, or that are outputs; and
/// with a view all that it views.
static std::vector<uint8_t> lateTensors(const Graph &graph, const Plan &plan) {
  std::vector<uint8_t> isLate(graph.numTensors(), 0);
  for (TensorId t : graph.graphOutputs())
    isLate[t] = 1;
  for (const Step &step : plan.steps) {
    bool isLateRun =
        step.kind == Step::Recompute ||
        (step.kind == Step::Compute && graph.phase(step.id) == Phase::Backward);
    if (isLateRun)
      for (TensorId t : graph.reads(step.id))
        isLate[t] = 1;
  }
  // A view has a higher number than what it views: it is made later.
  for (TensorId t = graph.numTensors(); t-- > 0;)
    if (isLate[t] && graph.storageUse(t) == StorageUse::Alias)
      isLate[graph.base(t)] = 1;
  return isLate;
}

std::vector<NodeFate> nodeFates(const Graph &graph, const Plan &plan) {
  std::vector<uint32_t> runs = countRuns(graph, plan);
  std::vector<uint8_t> isLate = lateTensors(graph, plan);
  std::vector<NodeFate> fates(graph.numNodes(), NodeFate::Discard);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    if (runs[n] > 1) {
      fates[n] = NodeFate::Recompute;
      continue;
    }
    for (TensorId t : graph.outputs(n))
      if (t != kNone && isLate[t])
        fates[n] = NodeFate::Save;
  }
  return fates;
}

static void appendNodes(std::string &json, const Graph &graph,
                        llvm::ArrayRef<NodeFate> fates, const char *key,
                        NodeFate fate) {
  json += ",\n  \"";
  json += key;
  json += "\": [";
  const char *separator = "\n    ";
  bool isEmpty = true;
  for (NodeId n : graph.order()) {
    if (graph.phase(n) != Phase::Forward || fates[n] != fate)
      continue;
    json += separator;
    separator = ",\n    ";
    isEmpty = false;
    appendJsonString(json, graph.nodeName(n));
  }
  json += isEmpty ? "]" : "\n  ]";
}

std::string writeTorchPolicy(const Graph &graph, const Plan &plan) {
  std::vector<NodeFate> fates = nodeFates(graph, plan);
  std::string json = "{\n  \"format\": \"reprise.torch-policy\",\n"
                     "  \"version\": 1,\n  \"graph\": ";
  appendJsonString(json, graph.name());
  appendNodes(json, graph, fates, "save", NodeFate::Save);
  appendNodes(json, graph, fates, "recompute", NodeFate::Recompute);
  appendNodes(json, graph, fates, "discard", NodeFate::Discard);
  json += "\n}\n";
  return json;
}

} // namespace reprise
