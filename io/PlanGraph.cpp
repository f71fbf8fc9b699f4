// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the steps and keeps, for each tensor, the name of the version that is
// resident. A run that makes a tensor which is resident already makes a version
// that nobody reads: it takes its bytes during the step and is gone after it,
// as the memory model wants it.

#include "reprise/io/PlanGraph.h"

#include "reprise/graph/GraphCopy.h"

#include "llvm/ADT/StringSet.h"

namespace reprise {

namespace {
class PlanGraphMaker {
public:
  PlanGraphMaker(const LoadedGraph &loaded, const Plan &plan);
  llvm::Expected<LoadedGraph> make();

private:
  std::string freeName(llvm::StringRef name, uint32_t times,
                       llvm::StringSet<> &taken);
  NodeRecord rename(NodeId n);
  llvm::Error addRun(NodeId n);
  void makeFacts(LoadedGraph &made) const;

  const LoadedGraph &loaded;
  const Graph &graph;
  const Plan &plan;
  NodeDescriber describer;
  GraphBuilder builder;
  llvm::StringSet<> nodeNames, tensorNames;
  std::vector<uint32_t> runsOf;       ///< by node, so far
  std::vector<std::string> version;   ///< by tensor: the name to read
  std::vector<uint8_t> isResident;    ///< by tensor
  std::vector<NodeId> nodeOf;         ///< by new node
  llvm::StringMap<TensorId> tensorOf; ///< by new name
};
} // namespace

PlanGraphMaker::PlanGraphMaker(const LoadedGraph &loaded, const Plan &plan)
    : loaded(loaded), graph(loaded.graph), plan(plan), describer(graph),
      runsOf(graph.numNodes(), 0), version(graph.numTensors()),
      isResident(graph.numTensors(), 0) {
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    nodeNames.insert(graph.nodeName(n));
  for (TensorId t = 0; t < graph.numTensors(); ++t) {
    version[t] = graph.tensorName(t).str();
    tensorNames.insert(version[t]);
    tensorOf[version[t]] = t;
  }
}

std::string PlanGraphMaker::freeName(llvm::StringRef name, uint32_t times,
                                     llvm::StringSet<> &taken) {
  if (times == 0)
    return name.str();
  std::string free = (name + ".recompute" + llvm::Twine(times)).str();
  while (!taken.insert(free).second)
    free += '_';
  return free;
}

/// The record of the next run of \p n; its outputs become resident.
NodeRecord PlanGraphMaker::rename(NodeId n) {
  NodeRecord node(describer.describe(n));
  uint32_t times = runsOf[n]++;
  node.name = freeName(node.name, times, nodeNames);
  llvm::ArrayRef<TensorId> inputs = graph.inputs(n), outputs = graph.outputs(n);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != kNone)
      node.inputs[i] = version[inputs[i]];
  node.alias.clear();
  node.inplace.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    TensorId t = outputs[i];
    if (t == kNone)
      continue;
    std::string &name = node.outputs[i];
    name = freeName(name, times, tensorNames);
    tensorOf[name] = t;
    TensorId base = graph.base(t);
    if (graph.storageUse(t) == StorageUse::Alias)
      node.alias.push_back({name, version[base]});
    if (graph.storageUse(t) == StorageUse::InPlace) {
      node.inplace.push_back({name, version[base]});
      isResident[base] = 0;
    }
    if (!isResident[t]) {
      isResident[t] = 1;
      version[t] = name;
    }
  }
  return node;
}

llvm::Error PlanGraphMaker::addRun(NodeId n) {
  nodeOf.push_back(n);
  return rename(n).addTo(builder);
}

/// The facts of \p loaded, by the numbers of \p made.
void PlanGraphMaker::makeFacts(LoadedGraph &made) const {
  for (TensorId t = 0; t < made.graph.numTensors(); ++t)
    made.facts.types.push(
        loaded.facts.types[tensorOf.lookup(made.graph.tensorName(t))]);
  made.facts.foreign.resize(made.graph.numNodes());
  for (NodeId n = 0; n < made.graph.numNodes(); ++n) {
    auto found = loaded.facts.attributes.find(nodeOf[n]);
    if (found != loaded.facts.attributes.end())
      made.facts.attributes[n] = found->second;
    if (loaded.facts.isForeign(nodeOf[n]))
      made.facts.foreign.set(n);
  }
}

llvm::Expected<LoadedGraph> PlanGraphMaker::make() {
  if (llvm::Error e = copyConstants(graph, builder))
    return e;
  for (const Step &step : plan.steps)
    if (step.kind == Step::Free)
      isResident[step.id] = 0;
    else if (llvm::Error e = addRun(step.id))
      return e;
  for (TensorId t : graph.graphOutputs())
    if (llvm::Error e = builder.addOutput(version[t]))
      return e;
  llvm::Expected<Graph> made = builder.build();
  if (!made)
    return made.takeError();
  LoadedGraph result{std::move(*made), "", {}, {}};
  makeFacts(result);
  return result;
}

llvm::Expected<LoadedGraph> graphOfPlan(const LoadedGraph &loaded,
                                        const Plan &plan) {
  return PlanGraphMaker(loaded, plan).make();
}

} // namespace reprise
