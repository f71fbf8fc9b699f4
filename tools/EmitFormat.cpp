// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/EmitFormat.h"

#include "reprise/graph/Error.h"
#include "reprise/io/DotWriter.h"
#include "reprise/io/GraphWriter.h"
#include "reprise/io/PlanGraph.h"
#include "reprise/io/TorchPolicy.h"
#include "reprise/io/TraceWriter.h"
#include "reprise/tools/Charts.h"

namespace reprise {

namespace {
/// One value of `--emit`.
struct EmitFormat {
  const char *name;
  const char *help;
  llvm::Expected<std::string> (*write)(const EmitInput &input);
};
} // namespace

static llvm::Expected<std::string> emitSchedule(const EmitInput &input) {
  return writeSchedule(input.loaded.graph, input.info, input.result.plan);
}

static llvm::Expected<std::string> emitGraph(const EmitInput &input) {
  llvm::Expected<LoadedGraph> graph =
      graphOfPlan(input.loaded, input.result.plan);
  if (!graph)
    return graph.takeError();
  return writeGraph(*graph);
}

static llvm::Expected<std::string> emitTorchPolicy(const EmitInput &input) {
  return writeTorchPolicy(input.loaded.graph, input.result.plan);
}

static llvm::Expected<std::string> emitDot(const EmitInput &input) {
  return writeDot(input.loaded.graph, input.result.plan);
}

static llvm::Expected<std::string> emitTrace(const EmitInput &input) {
  return writeTrace({input.loaded.graph, input.result.plan,
                     input.result.simulation.usageBytes, input.costs,
                     input.info.objective, input.info.budgetBytes});
}

static llvm::Expected<std::string> emitSvg(const EmitInput &input) {
  return drawMemory(memoryChartOf(input.loaded.graph, input.result.plan,
                                  input.result.simulation,
                                  input.info.budgetBytes))
      .document();
}

/// A new format is a function above and a row here.
static constexpr EmitFormat kFormats[] = {
    {"schedule", "the steps", emitSchedule},
    {"graph", "the graph of all runs, each a node", emitGraph},
    {"torch-policy", "which forward nodes to save and which to recompute",
     emitTorchPolicy},
    {"dot", "a drawing for Graphviz", emitDot},
    {"trace", "a timeline for Perfetto or Chrome", emitTrace},
    {"svg", "a picture of the memory in use", emitSvg},
};

std::vector<std::string> emitFormatNames() {
  std::vector<std::string> names;
  for (const EmitFormat &format : kFormats)
    names.push_back(format.name);
  return names;
}

std::string emitFormatHelp() {
  std::string help;
  for (const EmitFormat &format : kFormats) {
    if (!help.empty())
      help += "; ";
    help += std::string(format.name) + ": " + format.help;
  }
  return help;
}

llvm::Expected<std::string> emitPlan(llvm::StringRef format,
                                     const EmitInput &input) {
  for (const EmitFormat &entry : kFormats)
    if (format == entry.name)
      return entry.write(input);
  return makeInputError("--emit: unknown format '" + format + "'");
}

} // namespace reprise
