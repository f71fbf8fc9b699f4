// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/ByteSize.h"
#include "reprise/planner/Floor.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/Objective.h"
#include "reprise/planner/Simulator.h"
#include "reprise/tools/Arguments.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace reprise {

namespace {

/// The arguments of `reprise info`, as written.
struct InfoCommandOptions {
  GraphArguments graph;
  unsigned top = 5; ///< how many of the largest tensors to list
  bool json = false;
};

/// What the command prints.
struct GraphInfo {
  size_t forwardNodes = 0;
  size_t backwardNodes = 0;
  size_t neverNodes = 0;
  size_t viewTensors = 0;
  size_t inplaceTensors = 0;
  Objective objective = Objective::Flops;
  int64_t baselinePeakBytes = 0;
  NodeId baselineNode = kNone; ///< where the baseline peaks
  double baselineCost = 0;
  Floor floor;
  std::vector<StorageId> largest; ///< made by nodes, largest first
  /// Of a derived backward pass; 0 where there is none.
  size_t gradientNodes = 0;
  size_t seedNodes = 0;
  size_t weightGradients = 0;
  int64_t weightGradientBytes = 0;
};

} // namespace

static void countKinds(const Graph &graph, GraphInfo &info) {
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    if (graph.phase(n) == Phase::Forward)
      ++info.forwardNodes;
    else
      ++info.backwardNodes;
    info.neverNodes += graph.isNever(n);
  }
  for (TensorId t = 0; t < graph.numTensors(); ++t) {
    info.viewTensors += graph.storageUse(t) == StorageUse::Alias;
    info.inplaceTensors += graph.storageUse(t) == StorageUse::InPlace;
  }
}

static std::vector<StorageId> largestStorages(const Graph &graph,
                                              unsigned top) {
  std::vector<StorageId> storages;
  for (StorageId s = 0; s < graph.numStorages(); ++s)
    if (!graph.isConstantStorage(s))
      storages.push_back(s);
  llvm::sort(storages, [&](StorageId a, StorageId b) {
    int64_t left = graph.storageBytes(a), right = graph.storageBytes(b);
    return left != right ? left > right : a < b;
  });
  if (storages.size() > top)
    storages.resize(top);
  return storages;
}

static void countDerived(const GraphInput &input, GraphInfo &info) {
  for (const NodeRecord &node : input.derived.nodes)
    ++(node.opType == kSeedOperator ? info.seedNodes : info.gradientNodes);
  info.weightGradients = input.derived.outputs.size();
  llvm::StringSet<> names;
  for (const std::string &name : input.derived.outputs)
    names.insert(name);
  for (const NodeRecord &node : input.derived.nodes)
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (names.contains(node.outputs[i]))
        info.weightGradientBytes += node.bytes[i];
}

static llvm::Expected<GraphInfo> collect(const GraphInput &input,
                                         unsigned top) {
  const Graph &graph = input.loaded.graph;
  GraphInfo info;
  countKinds(graph, info);
  countDerived(input, info);
  info.objective = defaultObjective(graph);
  Plan baseline = planFromRuns(graph, graph.order());
  llvm::Expected<Simulation> simulation =
      simulate(graph, nodeCosts(graph, info.objective), baseline);
  if (!simulation)
    return simulation.takeError();
  info.baselinePeakBytes = simulation->peakBytes;
  info.baselineCost = simulation->cost;
  if (!baseline.steps.empty())
    info.baselineNode = baseline.steps[simulation->peakStep].id;
  info.floor = peakFloor(graph);
  info.largest = largestStorages(graph, top);
  return info;
}

static std::string atNode(const Graph &graph, NodeId n) {
  if (n == kNone)
    return "";
  llvm::StringRef name = graph.nodeName(n), opType = graph.opType(n);
  std::string text = (" at " + name).str();
  if (!name.contains(opType))
    text += (" (" + opType + ")").str();
  return text;
}

static std::string counted(size_t count, llvm::StringRef what) {
  return (llvm::Twine(count) + " " + what + (count == 1 ? "" : "s")).str();
}

static void printText(const Graph &graph, const GraphInfo &info) {
  llvm::raw_ostream &os = llvm::outs();
  os << "graph      " << graph.name() << '\n';
  os << "nodes      " << graph.numNodes() << ": " << info.forwardNodes
     << " forward, " << info.backwardNodes << " backward; " << info.neverNodes
     << " never recomputed\n";
  if (info.gradientNodes > 0)
    os << "derived    " << counted(info.gradientNodes, "gradient") << ", "
       << counted(info.seedNodes, "seed") << "; "
       << counted(info.weightGradients, "weight gradient") << ", "
       << formatBytes(info.weightGradientBytes) << '\n';
  os << "edges      " << graph.numEdges() << '\n';
  os << "tensors    " << graph.numTensors() << " on " << graph.numStorages()
     << " storages; " << info.viewTensors << " views, " << info.inplaceTensors
     << " in place\n";
  os << "constants  " << graph.numConstants() << ", "
     << formatBytes(graph.constantBytes()) << '\n';
  os << "baseline   peak " << formatBytes(info.baselinePeakBytes)
     << atNode(graph, info.baselineNode) << '\n';
  os << "floor      peak " << formatBytes(info.floor.bytes)
     << (info.floor.node == kNone && graph.numNodes() > 0
             ? std::string(" at the end")
             : atNode(graph, info.floor.node))
     << '\n';
  os << "cost       " << formatCost(info.baselineCost, info.objective) << '\n';
  if (!info.largest.empty())
    os << "largest tensors\n";
  for (StorageId s : info.largest) {
    TensorId owner = graph.tensorsOn(s).front();
    os << llvm::formatv(
        "  {0,12}  {1}{2}\n", formatBytes(graph.storageBytes(s)),
        graph.tensorName(owner), atNode(graph, graph.producer(owner)));
  }
}

static llvm::json::Value nodeOrNull(const Graph &graph, NodeId n) {
  if (n == kNone)
    return nullptr;
  return graph.nodeName(n);
}

static void printJson(const Graph &graph, const GraphInfo &info) {
  llvm::json::OStream json(llvm::outs(), 2);
  json.object([&] {
    json.attribute("graph", graph.name());
    json.attribute("nodes", int64_t(graph.numNodes()));
    json.attribute("forward_nodes", int64_t(info.forwardNodes));
    json.attribute("backward_nodes", int64_t(info.backwardNodes));
    json.attribute("never_nodes", int64_t(info.neverNodes));
    json.attribute("derived_nodes",
                   int64_t(info.gradientNodes + info.seedNodes));
    json.attribute("weight_gradients", int64_t(info.weightGradients));
    json.attribute("weight_gradient_memory", info.weightGradientBytes);
    json.attribute("edges", int64_t(graph.numEdges()));
    json.attribute("tensors", int64_t(graph.numTensors()));
    json.attribute("storages", int64_t(graph.numStorages()));
    json.attribute("view_tensors", int64_t(info.viewTensors));
    json.attribute("inplace_tensors", int64_t(info.inplaceTensors));
    json.attribute("constants", int64_t(graph.numConstants()));
    json.attribute("constant_memory", graph.constantBytes());
    json.attribute("baseline_peak_memory", info.baselinePeakBytes);
    json.attribute("baseline_peak_node", nodeOrNull(graph, info.baselineNode));
    json.attribute("floor_memory", info.floor.bytes);
    json.attribute("floor_node", nodeOrNull(graph, info.floor.node));
    json.attribute("objective", objectiveName(info.objective));
    json.attribute("cost", info.baselineCost);
    json.attributeArray("largest_tensors", [&] {
      for (StorageId s : info.largest) {
        TensorId owner = graph.tensorsOn(s).front();
        json.object([&] {
          json.attribute("tensor", graph.tensorName(owner));
          json.attribute("memory", graph.storageBytes(s));
          json.attribute("node", nodeOrNull(graph, graph.producer(owner)));
        });
      }
    });
  });
  llvm::outs() << '\n';
}

/// Prints counts, the baseline, the floor and the largest tensors of a graph.
/// Returns the exit code.
static llvm::Expected<int> runInfo(const InfoCommandOptions &options) {
  llvm::Expected<GraphInput> input = loadTrainingGraph(options.graph);
  if (!input)
    return input.takeError();
  const Graph &graph = input->loaded.graph;
  llvm::Expected<GraphInfo> info = collect(*input, options.top);
  if (!info)
    return info.takeError();
  if (options.json)
    printJson(graph, *info);
  else
    printText(graph, *info);
  if (llvm::Error e = finishOutput())
    return e;
  return kExitYes;
}

void addInfoCommand(CLI::App &app, Command &chosen) {
  CLI::App &command =
      *app.add_subcommand("info", "Show what a graph holds and needs");
  auto options = std::make_shared<InfoCommandOptions>();
  addGraph(command, options->graph)->capture_default_str();
  command
      .add_option("--top", options->top,
                  "How many of the largest tensors to list")
      ->type_name("N")
      ->capture_default_str();
  addReading(command, options->graph);
  addDerivation(command, options->graph);
  command.add_flag("--json", options->json, "Figures as JSON");
  command.callback(
      [&chosen, options] { chosen = [options] { return runInfo(*options); }; });
}

} // namespace reprise
