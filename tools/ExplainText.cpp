// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/ExplainText.h"

#include "reprise/io/ByteSize.h"
#include "reprise/tools/Console.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace reprise {

// Text.

static std::string percent(double part, double whole) {
  return llvm::formatv("{0:f1}%", whole > 0 ? 100 * part / whole : 0.0).str();
}

static std::string nodeAndOperator(const Graph &graph, NodeId n) {
  llvm::StringRef name = graph.nodeName(n), opType = graph.opType(n);
  return name.contains(opType) ? name.str()
                               : (name + " (" + opType + ")").str();
}

namespace {

/// Prints the first rows of a table and how many there are beyond them.
class TopRows {
public:
  TopRows(llvm::raw_ostream &os, size_t top, size_t count)
      : os(os), top(top), count(count) {}
  bool wants(size_t i) const { return i < top; }
  ~TopRows() {
    if (count > top)
      os << "  ... and " << count - top << " more\n";
  }

private:
  llvm::raw_ostream &os;
  size_t top, count;
};

} // namespace

static void printStays(llvm::raw_ostream &os, const ExplainOutput &output,
                       llvm::ArrayRef<Stay> stays, int64_t wholeBytes) {
  const Graph &graph = output.graph;
  TopRows rows(os, output.top, stays.size());
  for (size_t i = 0; i < stays.size() && rows.wants(i); ++i) {
    int64_t bytes = graph.storageBytes(graph.storage(stays[i].owner));
    os << llvm::formatv("  {0,12}  {1,6}  {2}, made by {3}, steps {4} to {5}\n",
                        formatBytes(bytes), percent(bytes, wholeBytes),
                        graph.tensorName(stays[i].owner),
                        nodeAndOperator(graph, graph.producer(stays[i].owner)),
                        std::to_string(stays[i].begin),
                        std::to_string(stays[i].end));
  }
}

static void printPeak(llvm::raw_ostream &os, const ExplainOutput &output) {
  const Explanation &e = output.explanation;
  const Graph &graph = output.graph;
  int64_t peak = e.simulation.peakBytes;
  os << "peak         " << formatBytes(peak) << " (of "
     << formatBytes(output.baselinePeakBytes) << " without recomputation)";
  if (output.budgetBytes)
    os << ", budget " << formatBytes(*output.budgetBytes);
  os << '\n';
  if (e.peakNode == kNone)
    return;
  os << "at step      " << e.simulation.peakStep << " of "
     << output.plan.steps.size() << ", the run of "
     << nodeAndOperator(graph, e.peakNode) << '\n';
  auto part = [&](int64_t bytes, llvm::StringRef what) {
    if (bytes > 0)
      os << llvm::formatv("  {0,12}  {1,6}  {2}\n", formatBytes(bytes),
                          percent(bytes, peak), what);
  };
  os << "\nin memory at the peak\n";
  part(graph.constantBytes(), "graph inputs and initializers");
  part(graph.workspaceBytes(e.peakNode), "workspace of the node");
  part(e.secondCopyBytes, "second copies, dropped when the node ends");
  printStays(os, output, e.atPeak, peak);
}

static void printTurn(llvm::raw_ostream &os, const ExplainOutput &output) {
  const Explanation &e = output.explanation;
  if (e.turnStep >= output.plan.steps.size())
    return;
  os << "\nheld from the forward to the backward pass (step " << e.turnStep
     << "): " << e.acrossTurn.size()
     << (e.acrossTurn.size() == 1 ? " tensor, " : " tensors, ")
     << formatBytes(e.turnBytes) << '\n';
  printStays(os, output, e.acrossTurn, e.turnBytes);
}

static void printRecomputed(llvm::raw_ostream &os,
                            const ExplainOutput &output) {
  const Explanation &e = output.explanation;
  if (e.recomputed.empty())
    return;
  double extra = 0;
  for (const RecomputedNode &row : e.recomputed)
    extra += row.cost;
  os << "\nrecomputed: " << e.simulation.recomputedRuns
     << (e.simulation.recomputedRuns == 1 ? " run, " : " runs, ")
     << formatCost(extra, output.objective) << ", "
     << formatExcess(e.simulation.cost, output.baselineCost) << '\n';
  TopRows rows(os, output.top, e.recomputed.size());
  for (size_t i = 0; i < e.recomputed.size() && rows.wants(i); ++i) {
    const RecomputedNode &row = e.recomputed[i];
    os << llvm::formatv(
        "  {0,12}  {1,6}  {2}, {3}: frees {4}; kept, the "
        "peak would be {5}\n",
        formatCost(row.cost, output.objective), percent(row.cost, extra),
        nodeAndOperator(output.graph, row.node),
        row.runs == 1 ? std::string("once")
                      : std::to_string(row.runs) + " times",
        formatBytes(row.freedBytes), formatBytes(row.peakIfKeptBytes));
  }
}

static void printGroups(llvm::raw_ostream &os, const ExplainOutput &output,
                        llvm::StringRef title,
                        llvm::ArrayRef<NodeGroup> groups) {
  os << "\n"
     << title << '\n'
     << "       at peak    over turn     recomputed  runs again  nodes\n";
  TopRows rows(os, output.top, groups.size());
  for (size_t i = 0; i < groups.size() && rows.wants(i); ++i)
    os << llvm::formatv("  {0,12} {1,12} {2,14} {3,11} {4,6}  {5}\n",
                        formatBytes(groups[i].peakBytes),
                        formatBytes(groups[i].turnBytes),
                        formatCost(groups[i].recomputedCost, output.objective),
                        std::to_string(groups[i].recomputedRuns),
                        std::to_string(groups[i].nodes),
                        groups[i].name.empty() ? "(no name)" : groups[i].name);
}

void writeExplanationText(llvm::raw_ostream &os, const ExplainOutput &output) {
  os << "graph        " << output.graph.name() << ", "
     << output.graph.numNodes() << " nodes\n";
  printPeak(os, output);
  printTurn(os, output);
  printRecomputed(os, output);
  if (output.graph.numNodes() == 0)
    return;
  printGroups(os, output, "by operator", output.explanation.byOperator);
  printGroups(os, output, "by the beginning of the name",
              output.explanation.byPrefix);
}

// JSON.

static void writeStays(llvm::json::OStream &json, llvm::StringRef key,
                       const Graph &graph, llvm::ArrayRef<Stay> stays) {
  json.attributeArray(key, [&] {
    for (const Stay &stay : stays)
      json.object([&] {
        json.attribute("tensor", graph.tensorName(stay.owner));
        json.attribute("memory", graph.storageBytes(graph.storage(stay.owner)));
        json.attribute("node", graph.nodeName(graph.producer(stay.owner)));
        json.attribute("first_step", int64_t(stay.begin));
        json.attribute("end_step", int64_t(stay.end));
      });
  });
}

static void writePeak(llvm::json::OStream &json, const ExplainOutput &output) {
  const Explanation &e = output.explanation;
  const Graph &graph = output.graph;
  json.attributeObject("peak", [&] {
    json.attribute("memory", e.simulation.peakBytes);
    json.attribute("step", int64_t(e.simulation.peakStep));
    bool isRun = e.peakNode != kNone;
    json.attribute("node", isRun ? llvm::json::Value(graph.nodeName(e.peakNode))
                                 : llvm::json::Value(nullptr));
    json.attribute("constant_memory", graph.constantBytes());
    json.attribute("workspace",
                   isRun ? graph.workspaceBytes(e.peakNode) : int64_t(0));
    json.attribute("second_copies", e.secondCopyBytes);
    writeStays(json, "tensors", graph, e.atPeak);
  });
}

static void writeGroups(llvm::json::OStream &json, llvm::StringRef key,
                        llvm::ArrayRef<NodeGroup> groups) {
  json.attributeArray(key, [&] {
    for (const NodeGroup &group : groups)
      json.object([&] {
        json.attribute("name", group.name);
        json.attribute("nodes", int64_t(group.nodes));
        json.attribute("cost", group.cost);
        json.attribute("recomputed_runs", int64_t(group.recomputedRuns));
        json.attribute("recomputed_cost", group.recomputedCost);
        json.attribute("peak_memory", group.peakBytes);
        json.attribute("turn_memory", group.turnBytes);
      });
  });
}

void writeExplanationJson(llvm::raw_ostream &os, const ExplainOutput &output) {
  const Explanation &e = output.explanation;
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attribute("graph", output.graph.name());
    json.attribute("objective", objectiveName(output.objective));
    json.attribute("steps", int64_t(output.plan.steps.size()));
    json.attribute("budget", output.budgetBytes
                                 ? llvm::json::Value(*output.budgetBytes)
                                 : llvm::json::Value(nullptr));
    json.attribute("cost", e.simulation.cost);
    json.attributeObject("baseline", [&] {
      json.attribute("peak_memory", output.baselinePeakBytes);
      json.attribute("cost", output.baselineCost);
    });
    writePeak(json, output);
    json.attributeObject("turn", [&] {
      bool hasTurn = e.turnStep < output.plan.steps.size();
      json.attribute("step", hasTurn ? llvm::json::Value(int64_t(e.turnStep))
                                     : llvm::json::Value(nullptr));
      json.attribute("memory", e.turnBytes);
      writeStays(json, "tensors", output.graph, e.acrossTurn);
    });
    json.attributeArray("recomputed", [&] {
      for (const RecomputedNode &row : e.recomputed)
        json.object([&] {
          json.attribute("node", output.graph.nodeName(row.node));
          json.attribute("op_type", output.graph.opType(row.node));
          json.attribute("runs", int64_t(row.runs));
          json.attribute("cost", row.cost);
          json.attribute("freed_memory", row.freedBytes);
          json.attribute("peak_if_kept", row.peakIfKeptBytes);
        });
    });
    writeGroups(json, "by_operator", e.byOperator);
    writeGroups(json, "by_prefix", e.byPrefix);
  });
  os << '\n';
}

} // namespace reprise
