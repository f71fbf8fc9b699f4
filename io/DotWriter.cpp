// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/DotWriter.h"

#include "reprise/io/ByteSize.h"
#include "reprise/planner/Residencies.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

/// \p text as the inside of a quoted string of the DOT language.
static std::string escaped(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return result;
}

namespace {

class DotWriter {
public:
  DotWriter(const Graph &graph, const Plan &plan)
      : graph(graph), plan(plan), madeAt(graph.numTensors(), 0),
        runCounts(graph.numNodes(), 0), isHeld(plan.steps.size(), 0) {}

  std::string write();

private:
  void findHeld();
  void writeRun(size_t step, NodeId n);

  const Graph &graph;
  const Plan &plan;
  std::string text;
  std::vector<size_t> madeAt; ///< by tensor: the step that made it last
  std::vector<uint32_t> runCounts;
  std::vector<uint8_t> isHeld; ///< by step: makes what is held over the turn
};

} // namespace

void DotWriter::findHeld() {
  TurnSteps turn = turnOf(graph, plan);
  for (const Stay &stay : staysOf(graph, plan))
    if (turn.isSpannedBy(stay))
      isHeld[stay.begin] = 1;
}

void DotWriter::writeRun(size_t step, NodeId n) {
  bool isAgain = runCounts[n]++ > 0;
  std::string id = "s" + std::to_string(step);
  llvm::StringRef colour = isAgain                            ? "#f6b26b"
                           : graph.phase(n) == Phase::Forward ? "#9fc5e8"
                                                              : "#b6d7a8";
  text += "  " + id + " [label=\"" + escaped(graph.nodeName(n));
  if (isAgain)
    text += " (run " + std::to_string(runCounts[n]) + ")";
  text += "\\n" + escaped(graph.opType(n)) + ", " +
          formatBytes(graph.ownedBytes(n)) + "\", fillcolor=\"" + colour.str() +
          "\"";
  if (isHeld[step])
    text += ", penwidth=3";
  text += "];\n";
  llvm::SmallVector<size_t, 8> makers;
  for (TensorId t : graph.reads(n))
    makers.push_back(madeAt[t]);
  llvm::sort(makers);
  makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
  for (size_t maker : makers)
    text += "  s" + std::to_string(maker) + " -> " + id + ";\n";
  for (TensorId t : graph.outputs(n))
    if (t != kNone)
      madeAt[t] = step;
}

std::string DotWriter::write() {
  findHeld();
  text = "// Blue: forward, green: backward, orange: recomputed; thick: its "
         "output is held\n// from the forward to the backward pass.\n"
         "digraph \"" +
         escaped(graph.name()) +
         "\" {\n"
         "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n";
  for (size_t k = 0; k < plan.steps.size(); ++k)
    if (plan.steps[k].kind != Step::Free)
      writeRun(k, plan.steps[k].id);
  text += "}\n";
  return std::move(text);
}

std::string writeDot(const Graph &graph, const Plan &plan) {
  return DotWriter(graph, plan).write();
}

} // namespace reprise
