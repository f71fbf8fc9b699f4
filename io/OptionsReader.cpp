// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All options are scalars or small values: each is collected whole, and a
// table says which function reads it.

#include "reprise/io/OptionsReader.h"

#include "reprise/graph/Error.h"
#include "reprise/io/ByteSize.h"
#include "reprise/io/Json.h"

#include <limits>

namespace reprise {

using ReadOption = llvm::Error (*)(JsonValue, llvm::StringRef, OptionsFile &);

/// \p value as an integer in \p least .. \p most.
static llvm::Error readWithin(JsonValue value, llvm::StringRef key,
                              int64_t least, int64_t most, int64_t &result) {
  llvm::Expected<int64_t> number = readInteger(value, key);
  if (!number)
    return number.takeError();
  if (*number < least || *number > most)
    return wrongValue(
        key,
        ("an integer in " + llvm::Twine(least) + " .. " + llvm::Twine(most))
            .str(),
        value);
  result = *number;
  return llvm::Error::success();
}

static llvm::Error readText(JsonValue value, llvm::StringRef key,
                            std::string &result) {
  llvm::Expected<llvm::StringRef> text = readString(value, key);
  if (!text)
    return text.takeError();
  result = text->str();
  return llvm::Error::success();
}

/// Bytes as a number, or a size as the command line takes it.
static llvm::Error readBudget(JsonValue value, llvm::StringRef key,
                              OptionsFile &options) {
  if (value.isString())
    return readText(value, key, options.budget);
  llvm::Expected<int64_t> bytes = readInteger(value, key);
  if (!bytes)
    return bytes.takeError();
  options.budget = std::to_string(*bytes);
  return llvm::Error::success();
}

static llvm::Error readStrategy(JsonValue value, llvm::StringRef key,
                                OptionsFile &options) {
  return readText(value, key, options.planning.strategy);
}

static llvm::Error readObjective(JsonValue value, llvm::StringRef key,
                                 OptionsFile &options) {
  return readText(value, key, options.objective);
}

static llvm::Error readDevice(JsonValue value, llvm::StringRef key,
                              OptionsFile &options) {
  if (value.isString()) {
    const Device *known = findDevice(value.text());
    if (!known)
      return wrongValue(key, "a known device, or an object", value);
    options.device = *known;
    return llvm::Error::success();
  }
  if (!value.isObject())
    return wrongValue(key, "a name or an object", value);
  Device device;
  for (JsonValue field : value) {
    std::string name = (key + ": " + field.key()).str();
    if (field.key() == "name") {
      if (llvm::Error e = readText(field, name, device.name))
        return e;
      continue;
    }
    if (field.key() != "peak_flops" && field.key() != "bandwidth")
      return makeInputError(name + ": unknown key");
    llvm::Expected<double> rate = readNumber(field, name);
    if (!rate)
      return rate.takeError();
    (field.key() == "bandwidth" ? device.bandwidth : device.peakFlops) = *rate;
  }
  if (device.peakFlops <= 0 || device.bandwidth <= 0)
    return makeInputError(key + ": needs peak_flops and bandwidth above 0");
  options.device = std::move(device);
  return llvm::Error::success();
}

static llvm::Error readTimeLimit(JsonValue value, llvm::StringRef key,
                                 OptionsFile &options) {
  llvm::Expected<double> seconds = readNumber(value, key);
  if (!seconds)
    return seconds.takeError();
  options.planning.timeLimitSeconds = *seconds;
  return llvm::Error::success();
}

static llvm::Error readEffort(JsonValue value, llvm::StringRef key,
                              OptionsFile &options) {
  int64_t effort = 0;
  llvm::Error e =
      readWithin(value, key, 0, std::numeric_limits<int64_t>::max(), effort);
  options.planning.effort = static_cast<uint64_t>(effort);
  return e;
}

static llvm::Error readSeed(JsonValue value, llvm::StringRef key,
                            OptionsFile &options) {
  int64_t seed = 0;
  llvm::Error e =
      readWithin(value, key, 0, std::numeric_limits<int64_t>::max(), seed);
  options.planning.seed = static_cast<uint64_t>(seed);
  return e;
}

static llvm::Error readThreads(JsonValue value, llvm::StringRef key,
                               OptionsFile &options) {
  int64_t threads = 0;
  constexpr int64_t most = 1024;
  llvm::Error e = readWithin(value, key, 1, most, threads);
  options.planning.threads = static_cast<unsigned>(threads);
  return e;
}

static llvm::Error readBound(JsonValue value, llvm::StringRef key,
                             OptionsFile &options) {
  if (!value.isString() || (value.text() != "fast" && value.text() != "lp"))
    return wrongValue(key, "\"fast\" or \"lp\"", value);
  options.planning.bound =
      value.text() == "lp" ? BoundEffort::Lp : BoundEffort::Fast;
  return llvm::Error::success();
}

static llvm::Error readDims(JsonValue value, llvm::StringRef key,
                            OptionsFile &options) {
  if (!value.isObject())
    return wrongValue(key, "an object", value);
  for (JsonValue dim : value) {
    std::string name = dim.key().str();
    llvm::Expected<int64_t> size = readInteger(dim, (key + ": " + name).str());
    if (!size)
      return size.takeError();
    if (!options.reading.dims.emplace(name, *size).second)
      return makeInputError(key + ": " + name + ": the key comes twice");
  }
  return llvm::Error::success();
}

static llvm::Error readBatch(JsonValue value, llvm::StringRef key,
                             OptionsFile &options) {
  int64_t batch = 0;
  if (llvm::Error e = readWithin(value, key, 1, int64_t(1) << 40, batch))
    return e;
  options.reading.batch = batch;
  return llvm::Error::success();
}

static llvm::Error readFrozen(JsonValue value, llvm::StringRef key,
                              OptionsFile &options) {
  std::vector<llvm::StringRef> patterns;
  if (llvm::Error e = readStrings(value, key, patterns))
    return e;
  for (llvm::StringRef pattern : patterns)
    options.training.frozen.push_back(pattern.str());
  return llvm::Error::success();
}

static llvm::Error readInference(JsonValue value, llvm::StringRef key,
                                 OptionsFile &options) {
  if (value.kind() != JsonKind::Bool)
    return wrongValue(key, "true or false", value);
  options.training.inference = value.boolean();
  return llvm::Error::success();
}

namespace {
struct OptionRow {
  llvm::StringLiteral key;
  ReadOption read;
};

constexpr OptionRow kOptions[] = {{"budget", readBudget},
                                  {"strategy", readStrategy},
                                  {"objective", readObjective},
                                  {"device", readDevice},
                                  {"time_limit", readTimeLimit},
                                  {"effort", readEffort},
                                  {"seed", readSeed},
                                  {"threads", readThreads},
                                  {"bound", readBound},
                                  {"dims", readDims},
                                  {"batch", readBatch},
                                  {"frozen", readFrozen},
                                  {"inference", readInference}};

class OptionsVisitor : public JsonVisitor {
public:
  JsonAction member(int, llvm::StringRef) override {
    return {JsonAction::Collect, 0};
  }
  JsonAction element(int) override { return {}; }
  llvm::Error value(int, llvm::StringRef key, size_t,
                    JsonValue value) override {
    for (const OptionRow &row : kOptions)
      if (key == row.key)
        return value.isPresent() ? row.read(value, key, options)
                                 : llvm::Error::success();
    return makeInputError(key + ": unknown key");
  }

  OptionsFile options;
};
} // namespace

llvm::Expected<OptionsFile> readOptionsBuffer(llvm::MemoryBufferRef buffer) {
  OptionsVisitor visitor;
  if (llvm::Error e = parseJson(buffer, visitor))
    return e;
  return std::move(visitor.options);
}

static llvm::Error chooseCosts(const Graph &graph, const OptionsFile &options,
                               Problem &problem) {
  llvm::StringRef name = options.objective;
  if (name == "roofline" || (name.empty() && options.device)) {
    if (!options.device)
      return makeInputError("device: missing for the objective roofline");
    if (graph.isTimed())
      return makeInputError("objective: every node has a measured time, which "
                            "is better than a roofline");
    problem.objective = Objective::Seconds;
    problem.costs = rooflineSeconds(graph, *options.device);
    return llvm::Error::success();
  }
  if (options.device)
    return makeInputError("device: only of use for the objective roofline");
  if (name == "flops")
    problem.objective = Objective::Flops;
  else if (name == "time")
    problem.objective = Objective::Seconds;
  else if (!name.empty())
    return makeInputError("objective: expected \"flops\", \"time\" or "
                          "\"roofline\", got \"" +
                          name + "\"");
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (problem.objective == Objective::Seconds && graph.seconds(n) < 0)
      return makeInputError("objective: node " + graph.nodeName(n) +
                            " has no measured time");
  problem.costs = nodeCosts(graph, problem.objective);
  return llvm::Error::success();
}

llvm::Expected<Problem> makeProblem(const Graph &graph,
                                    const OptionsFile &options) {
  Problem problem = Problem::of(graph);
  if (llvm::Error e = chooseCosts(graph, options, problem))
    return e;
  if (options.budget.empty())
    return problem;
  llvm::Expected<ByteSize> size = parseByteSize(options.budget);
  if (!size)
    return inPlace("budget", size.takeError());
  int64_t baselinePeakBytes = peakOfRuns(graph, graph.order());
  problem.budgetBytes = size->resolve(baselinePeakBytes);
  if (problem.budgetBytes == 0 && baselinePeakBytes > 0)
    return makeInputError("budget: expected more than 0 bytes");
  return problem;
}

} // namespace reprise
