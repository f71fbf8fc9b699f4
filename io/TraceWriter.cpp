// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is Chrome's Trace Event Format, in its JSON object form.

#include "reprise/io/TraceWriter.h"

#include "reprise/io/ScheduleWriter.h"

namespace reprise {

namespace {

/// The tracks, by their numbers in the file.
enum Track : uint8_t { Forward = 1, Backward, Again };

class TraceWriter {
public:
  explicit TraceWriter(const TraceInput &input) : input(input) {}

  std::string write();

private:
  void begin(const char *phase, llvm::StringRef name, int track);
  void writeTrackNames();
  void writeCounter(llvm::StringRef name, int64_t bytes);
  void writeRun(size_t step);

  const TraceInput &input;
  std::string json;
  double now = 0; ///< microseconds
};

} // namespace

/// Opens an event, up to where its arguments follow.
void TraceWriter::begin(const char *phase, llvm::StringRef name, int track) {
  json += json.back() == '[' ? "\n" : ",\n";
  json += "{\"ph\": \"";
  json += phase;
  json += "\", \"pid\": 1, \"tid\": " + std::to_string(track) + ", \"name\": ";
  appendJsonString(json, name);
}

void TraceWriter::writeTrackNames() {
  begin("M", "process_name", 0);
  json += ", \"args\": {\"name\": ";
  appendJsonString(json, input.graph.name());
  json += "}}";
  const char *names[] = {"forward", "backward", "recomputed"};
  for (int track = Forward; track <= Again; ++track) {
    begin("M", "thread_name", track);
    json += ", \"args\": {\"name\": ";
    appendJsonString(json, names[track - Forward]);
    json += "}}";
    begin("M", "thread_sort_index", track);
    json += ", \"args\": {\"sort_index\": " + std::to_string(track) + "}}";
  }
}

void TraceWriter::writeCounter(llvm::StringRef name, int64_t bytes) {
  begin("C", name, 0);
  json += ", \"ts\": ";
  appendJsonNumber(json, now);
  json += ", \"args\": {\"bytes\": " + std::to_string(bytes) + "}}";
}

void TraceWriter::writeRun(size_t step) {
  const Graph &graph = input.graph;
  NodeId n = input.plan.steps[step].id;
  double scale = input.objective == Objective::Seconds ? 1e6 : 1e-6;
  double duration = input.costs[n] * scale;
  writeCounter("memory", input.usageBytes[step]);
  bool isAgain = input.plan.steps[step].kind == Step::Recompute;
  begin("X", graph.nodeName(n),
        isAgain                            ? Again
        : graph.phase(n) == Phase::Forward ? Forward
                                           : Backward);
  json += ", \"ts\": ";
  appendJsonNumber(json, now);
  json += ", \"dur\": ";
  appendJsonNumber(json, duration);
  json += ", \"cat\": ";
  appendJsonString(json, graph.opType(n));
  json += ", \"args\": {\"step\": " + std::to_string(step) + ", \"" +
          objectiveName(input.objective).str() + "\": ";
  appendJsonNumber(json, input.costs[n]);
  json += ", \"memory\": " + std::to_string(input.usageBytes[step]) + "}}";
  now += duration;
}

std::string TraceWriter::write() {
  json = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [";
  writeTrackNames();
  auto writeBudget = [&] {
    if (input.budgetBytes)
      writeCounter("budget", *input.budgetBytes);
  };
  writeBudget();
  const std::vector<Step> &steps = input.plan.steps;
  for (size_t k = 0; k < steps.size(); ++k)
    if (steps[k].kind != Step::Free)
      writeRun(k);
  if (!steps.empty())
    writeCounter("memory", input.usageBytes.back());
  writeBudget();
  json += "\n]}\n";
  return std::move(json);
}

std::string writeTrace(const TraceInput &input) {
  return TraceWriter(input).write();
}

} // namespace reprise
