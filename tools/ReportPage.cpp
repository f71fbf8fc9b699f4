// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/ReportPage.h"

#include "reprise/io/ByteSize.h"
#include "reprise/tools/Charts.h"
#include "reprise/tools/Console.h"
#include "reprise/tools/ReportScript.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace reprise {

/// Tensors that the page names for each column of the chart.
static constexpr size_t kHeldNamed = 8;
/// Rows of the chart of lifetimes.
static constexpr size_t kLifetimes = 40;

namespace {

class ReportWriter {
public:
  explicit ReportWriter(const ReportInput &input)
      : input(input), output(input.explained), graph(output.graph),
        e(output.explanation) {}

  std::string write();

private:
  void writeHead();
  void writeCard(llvm::StringRef value, llvm::StringRef words,
                 llvm::StringRef tooltip = "");
  void writeCards();
  void writeMemory();
  void writeData(const MemoryChart &chart);
  void writeCurve();
  void writeStays(llvm::StringRef title, llvm::StringRef words,
                  llvm::ArrayRef<Stay> stays, int64_t wholeBytes);
  void writeRecomputed();
  void writeGroups(llvm::StringRef title, llvm::ArrayRef<NodeGroup> groups);
  /// A table of \p count rows, of which the first are shown; \p rowOf gives the
  /// cells of one, escaped. Columns whose head begins with # are numbers.
  void writeTable(llvm::ArrayRef<llvm::StringRef> heads, size_t count,
                  llvm::function_ref<std::vector<std::string>(size_t)> rowOf);
  int64_t bytesOf(const Stay &stay) const {
    return graph.storageBytes(graph.storage(stay.owner));
  }

  const ReportInput &input;
  const ExplainOutput &output;
  const Graph &graph;
  const Explanation &e;
  std::string page;
};

} // namespace

void ReportWriter::writeHead() {
  std::string title = escapeMarkup(graph.name());
  page += "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>" +
          title + ": Reprise</title>\n<style>" + kReportStyle +
          chartStyle().str() + "</style></head><body>\n<h1>" + title +
          "</h1>\n<p>" + std::to_string(graph.numNodes()) + " nodes, " +
          std::to_string(output.plan.steps.size()) +
          " steps; a plan of Reprise by " + escapeMarkup(input.strategy) +
          "</p>\n";
}

void ReportWriter::writeCard(llvm::StringRef value, llvm::StringRef words,
                             llvm::StringRef tooltip) {
  page += "<div class=\"card\" title=\"" + escapeMarkup(tooltip) + "\"><b>" +
          escapeMarkup(value) + "</b><span>" + escapeMarkup(words) +
          "</span></div>\n";
}

void ReportWriter::writeCards() {
  auto exact = [](int64_t bytes) { return std::to_string(bytes) + " bytes"; };
  int64_t peak = e.simulation.peakBytes;
  page += "<div class=\"cards\">\n";
  writeCard(formatBytes(peak), "peak", exact(peak));
  if (output.budgetBytes)
    writeCard(formatBytes(*output.budgetBytes), "budget",
              exact(*output.budgetBytes));
  writeCard(formatBytes(output.baselinePeakBytes),
            "peak with nothing recomputed", exact(output.baselinePeakBytes));
  writeCard(formatExcess(e.simulation.cost, output.baselineCost),
            "cost: " + formatCost(e.simulation.cost, output.objective));
  writeCard(std::to_string(e.simulation.recomputedRuns), "runs of nodes again");
  if (input.lowerBound && *input.lowerBound > 0)
    writeCard(formatExcess(e.simulation.cost, *input.lowerBound).substr(1),
              "gap to the proven bound of " +
                  formatCost(*input.lowerBound, output.objective));
  page += "</div>\n";
}

void ReportWriter::writeMemory() {
  MemoryChart chart =
      memoryChartOf(graph, output.plan, e.simulation, output.budgetBytes);
  page += "<h2>Memory over the training step</h2>\n<p>The pointer shows what "
          "is in memory, largest first.</p>\n<div id=\"memory\">\n" +
          drawMemory(chart).fragment() +
          "<div id=\"hair\"></div><div id=\"tip\"></div></div>\n";
  writeData(chart);
}

namespace {

/// Names, each once, by number.
class NameTable {
public:
  int64_t operator()(llvm::StringRef name) {
    auto [entry, isNew] = numbers.try_emplace(name, names.size());
    if (isNew)
      names.push_back(llvm::json::fixUTF8(name));
    return entry->second;
  }
  llvm::json::Array take() { return std::move(names); }

private:
  llvm::StringMap<int64_t> numbers;
  llvm::json::Array names;
};

} // namespace

/// What the script needs, bounded by the columns whatever the graph.
void ReportWriter::writeData(const MemoryChart &chart) {
  NameTable names;
  llvm::json::Array columns, baseline;
  std::vector<const Stay *> held;
  for (const ProfileColumn &column : chart.plan) {
    held.clear();
    for (const Stay &stay : e.stays)
      if (stay.covers(column.step) && bytesOf(stay) > 0)
        held.push_back(&stay);
    size_t shown = std::min(held.size(), kHeldNamed);
    std::partial_sort(held.begin(), held.begin() + shown, held.end(),
                      [&](const Stay *a, const Stay *b) {
                        return std::make_pair(-bytesOf(*a), a) <
                               std::make_pair(-bytesOf(*b), b);
                      });
    llvm::json::Array list;
    for (const Stay *stay : llvm::makeArrayRef(held).take_front(shown))
      list.push_back(llvm::json::Array{names(graph.tensorName(stay->owner)),
                                       bytesOf(*stay)});
    NodeId n = output.plan.steps[column.step].id;
    columns.push_back(llvm::json::Array{
        int64_t(column.step), names(graph.nodeName(n)), column.mostBytes,
        std::move(list), int64_t(held.size() - shown)});
  }
  for (const ProfileColumn &column : chart.baseline)
    baseline.push_back(column.mostBytes);
  llvm::json::Object data{
      {"width", kChartWidth},
      {"left", kMemoryLeft},
      {"right", kMemoryRight},
      {"top", kMemoryTop},
      {"bottom", kMemoryBottom},
      {"runs", int64_t(std::max(chart.planRuns, chart.baselineRuns))},
      {"planRuns", int64_t(chart.planRuns)},
      {"baselineRuns", int64_t(chart.baselineRuns)},
      {"columns", std::move(columns)},
      {"baseline", std::move(baseline)},
      {"names", names.take()}};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(data));
  page += "<script type=\"application/json\" id=\"data\">";
  // A name must not end the script.
  for (char c : text)
    page += c == '<' ? std::string("\\u003c") : std::string(1, c);
  page += "</script>\n";
}

void ReportWriter::writeCurve() {
  if (!input.curve)
    return;
  std::optional<double> overhead;
  if (output.baselineCost > 0)
    overhead = std::max(0.0, e.simulation.cost / output.baselineCost - 1);
  page +=
      "<h2>What memory costs</h2>\n<p>Quick plans of budgets from the "
      "smallest to the peak with nothing recomputed; the filled mark is "
      "this plan.</p>\n" +
      drawCurve(graph.name(), *input.curve, e.simulation.peakBytes, overhead)
          .fragment();
}

void ReportWriter::writeTable(
    llvm::ArrayRef<llvm::StringRef> heads, size_t count,
    llvm::function_ref<std::vector<std::string>(size_t)> rowOf) {
  auto cell = [&](size_t column, llvm::StringRef tag, llvm::StringRef text) {
    bool isNumber = heads[column].startswith("#");
    return ("<" + tag + (isNumber ? " class=\"n\">" : ">") + text + "</" + tag +
            ">")
        .str();
  };
  page += "<div class=\"wide\"><table><tr>";
  for (size_t i = 0; i < heads.size(); ++i) {
    llvm::StringRef head = heads[i];
    head.consume_front("#");
    page += cell(i, "th", head);
  }
  page += "</tr>\n";
  for (size_t row = 0; row < std::min(count, output.top); ++row) {
    page += "<tr>";
    std::vector<std::string> cells = rowOf(row);
    for (size_t i = 0; i < cells.size(); ++i)
      page += cell(i, "td", cells[i]);
    page += "</tr>\n";
  }
  page += "</table></div>\n";
  if (count > output.top)
    page += "<p>... and " + std::to_string(count - output.top) + " more</p>\n";
}

static std::string share(double part, double whole) {
  return llvm::formatv("{0:f1}%", whole > 0 ? 100 * part / whole : 0.0).str();
}

void ReportWriter::writeStays(llvm::StringRef title, llvm::StringRef words,
                              llvm::ArrayRef<Stay> stays, int64_t wholeBytes) {
  page += "<h2>" + escapeMarkup(title) + "</h2>\n<p>" + escapeMarkup(words) +
          "</p>\n";
  writeTable({"#bytes", "#share", "tensor", "made by", "operator", "#steps"},
             stays.size(), [&](size_t i) -> std::vector<std::string> {
               const Stay &stay = stays[i];
               NodeId n = graph.producer(stay.owner);
               return {formatBytes(bytesOf(stay)),
                       share(double(bytesOf(stay)), double(wholeBytes)),
                       escapeMarkup(graph.tensorName(stay.owner)),
                       escapeMarkup(graph.nodeName(n)),
                       escapeMarkup(graph.opType(n)),
                       std::to_string(stay.begin) + " to " +
                           std::to_string(stay.end)};
             });
}

void ReportWriter::writeRecomputed() {
  if (e.recomputed.empty())
    return;
  page += "<h2>What runs again</h2>\n<p>What it costs, what it frees between "
          "the runs, and the peak if that stayed.</p>\n";
  writeTable({"node", "operator", "#again", "#cost", "#frees", "#peak if kept"},
             e.recomputed.size(), [&](size_t i) -> std::vector<std::string> {
               const RecomputedNode &row = e.recomputed[i];
               return {escapeMarkup(graph.nodeName(row.node)),
                       escapeMarkup(graph.opType(row.node)),
                       std::to_string(row.runs),
                       formatCost(row.cost, output.objective),
                       formatBytes(row.freedBytes),
                       formatBytes(row.peakIfKeptBytes)};
             });
}

void ReportWriter::writeGroups(llvm::StringRef title,
                               llvm::ArrayRef<NodeGroup> groups) {
  page += "<h2>" + escapeMarkup(title) + "</h2>\n";
  writeTable({"nodes", "#number", "#at the peak", "#held to backward",
              "#runs again", "#cost of these", "#cost of all"},
             groups.size(), [&](size_t i) -> std::vector<std::string> {
               const NodeGroup &group = groups[i];
               return {escapeMarkup(group.name),
                       std::to_string(group.nodes),
                       formatBytes(group.peakBytes),
                       formatBytes(group.turnBytes),
                       std::to_string(group.recomputedRuns),
                       formatCost(group.recomputedCost, output.objective),
                       formatCost(group.cost, output.objective)};
             });
}

std::string ReportWriter::write() {
  writeHead();
  writeCards();
  if (!output.plan.steps.empty()) {
    writeMemory();
    writeCurve();
    page += "<h2>When the largest tensors are in memory</h2>\n" +
            drawLifetimes(graph, output.plan, e.stays, kLifetimes).fragment();
    writeStays("In memory at the peak",
               "Step " + std::to_string(e.simulation.peakStep) +
                   ", the run of " + graph.nodeName(e.peakNode).str() +
                   "; besides, graph inputs and initializers: " +
                   formatBytes(graph.constantBytes()) + ", workspace: " +
                   formatBytes(graph.workspaceBytes(e.peakNode)) + ".",
               e.atPeak, e.simulation.peakBytes);
    if (!e.acrossTurn.empty())
      writeStays("Held from the forward to the backward pass",
                 formatBytes(e.turnBytes) + " at step " +
                     std::to_string(e.turnStep) + ".",
                 e.acrossTurn, e.turnBytes);
    writeRecomputed();
    writeGroups("By operator", e.byOperator);
    writeGroups("By the beginning of the name", e.byPrefix);
    page += std::string("<script>") + kReportScript + "</script>\n";
  }
  page += "</body></html>\n";
  return std::move(page);
}

std::string writeReport(const ReportInput &input) {
  return ReportWriter(input).write();
}

} // namespace reprise
