// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/ScheduleReader.h"

#include "reprise/graph/Error.h"
#include "reprise/io/InputFile.h"
#include "reprise/io/Json.h"
#include "reprise/io/NodeReader.h"

#include "llvm/ADT/StringSwitch.h"

namespace reprise {

namespace {

/// Places of a document, for JsonVisitor.
enum Place : int {
  Document,
  HeadField,
  Steps,
  DerivedNodes,
  Arena,
  ArenaField,
  Buffers
};

class ScheduleVisitor : public JsonVisitor {
public:
  JsonAction member(int place, llvm::StringRef key) override;
  JsonAction element(int place) override {
    return {JsonAction::Collect, place};
  }
  void enter(int place) override;
  bool wants(int place, llvm::StringRef top, llvm::StringRef key) override {
    return place != DerivedNodes || NodeReader::wants(top, key);
  }
  llvm::Error value(int place, llvm::StringRef key, size_t position,
                    JsonValue value) override;
  llvm::Expected<ScheduleFile> finish();

private:
  llvm::Error addHead(llvm::StringRef key, JsonValue value);
  llvm::Error addGraph(JsonValue value);
  llvm::Error addBaseline(JsonValue value);
  llvm::Error addDevice(JsonValue value);
  llvm::Error addStep(JsonValue value);
  llvm::Error addNode(llvm::StringRef name, JsonValue value);
  llvm::Error addBuffer(JsonValue value);

  ScheduleFile file;
  NodeReader nodeReader;
  bool sawFormat = false, sawVersion = false, sawSteps = false;
  bool sawBuffers = false;
};

} // namespace

JsonAction ScheduleVisitor::member(int place, llvm::StringRef key) {
  switch (place) {
  case Document:
    if (key == "steps")
      return {JsonAction::DescendList, Steps};
    if (key == "nodes")
      return {JsonAction::DescendObject, DerivedNodes};
    if (key == "arena")
      return {JsonAction::DescendObject, Arena};
    if (llvm::StringSwitch<bool>(key)
            .Cases("format", "version", "graph", "strategy", true)
            .Cases("objective", "budget", "peak_memory", "cost", true)
            .Cases("baseline", "lower_bound", "device", true)
            .Default(false))
      return {JsonAction::Collect, HeadField};
    return {};
  case DerivedNodes:
    return {JsonAction::Collect, DerivedNodes};
  case Arena:
    if (key == "buffers")
      return {JsonAction::DescendList, Buffers};
    if (key == "size" || key == "alignment")
      return {JsonAction::Collect, ArenaField};
    return {};
  default:
    return {};
  }
}

void ScheduleVisitor::enter(int place) {
  sawSteps |= place == Steps;
  sawBuffers |= place == Buffers;
  if (place == Arena)
    file.arena.emplace();
}

llvm::Error ScheduleVisitor::value(int place, llvm::StringRef key,
                                   size_t position, JsonValue value) {
  switch (place) {
  case HeadField:
    return addHead(key, value);
  case Steps:
    if (llvm::Error e = addStep(value))
      return inPlace("step " + llvm::Twine(position), std::move(e));
    return llvm::Error::success();
  case DerivedNodes:
    return addNode(key, value);
  case Buffers:
    if (llvm::Error e = addBuffer(value))
      return inPlace("arena: buffer " + llvm::Twine(position), std::move(e));
    return llvm::Error::success();
  default: {
    llvm::Expected<int64_t> bytes = readInteger(value, ("arena: " + key).str());
    if (!bytes)
      return bytes.takeError();
    (key == "size" ? file.arena->bytes : file.arena->alignment) = *bytes;
    return llvm::Error::success();
  }
  }
}

/// Reads \p value into \p result; null leaves it absent.
template <typename Number>
static llvm::Error
readUnlessNull(JsonValue value, llvm::StringRef field,
               llvm::Expected<Number> (*read)(JsonValue, llvm::StringRef),
               std::optional<Number> &result) {
  if (!value.isPresent())
    return llvm::Error::success();
  llvm::Expected<Number> number = read(value, field);
  if (!number)
    return number.takeError();
  result = *number;
  return llvm::Error::success();
}

static llvm::Error checkVersion(JsonValue value) {
  constexpr int64_t newest = 1;
  llvm::Expected<int64_t> version = readInteger(value, "version");
  if (!version)
    return version.takeError();
  if (*version > newest)
    return makeInputError("version: this program reads version 1, got " +
                          llvm::Twine(*version));
  return *version == newest ? llvm::Error::success()
                            : wrongValue("version", "1", value);
}

llvm::Error ScheduleVisitor::addHead(llvm::StringRef key, JsonValue value) {
  if (key == "format") {
    sawFormat = true;
    if (!value.isString() || value.text() != "reprise.schedule")
      return wrongValue(key, "\"reprise.schedule\"", value);
    return llvm::Error::success();
  }
  if (key == "version") {
    sawVersion = true;
    return checkVersion(value);
  }
  if (key == "graph")
    return addGraph(value);
  if (key == "baseline")
    return addBaseline(value);
  if (key == "device")
    return addDevice(value);
  if (key == "budget")
    return readUnlessNull<int64_t>(value, key, readInteger, file.budgetBytes);
  if (key == "peak_memory")
    return readUnlessNull<int64_t>(value, key, readInteger, file.peakBytes);
  if (key == "cost")
    return readUnlessNull<double>(value, key, readNumber, file.cost);
  if (key == "lower_bound")
    return readUnlessNull<double>(value, key, readNumber, file.lowerBound);
  if (!value.isPresent())
    return llvm::Error::success();
  llvm::Expected<llvm::StringRef> text = readString(value, key);
  if (!text)
    return text.takeError();
  if (key == "objective" && *text != "flops" && *text != "seconds")
    return wrongValue(key, "\"flops\" or \"seconds\"", value);
  (key == "strategy" ? file.strategy : file.objective) = text->str();
  return llvm::Error::success();
}

llvm::Error ScheduleVisitor::addGraph(JsonValue value) {
  if (!value.isPresent())
    return llvm::Error::success();
  if (!value.isObject())
    return wrongValue("graph", "an object", value);
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError("graph: " + twice + ": the key comes twice");
  for (auto [key, result] : {std::pair("name", &file.graphName),
                             std::pair("sha256", &file.sha256)}) {
    JsonValue text = value.member(key);
    if (!text.isPresent())
      continue;
    if (!text.isString())
      return wrongValue(llvm::Twine("graph: ").concat(key).str(), "a string",
                        text);
    *result = text.text().str();
  }
  return llvm::Error::success();
}

llvm::Error ScheduleVisitor::addDevice(JsonValue value) {
  if (!value.isPresent())
    return llvm::Error::success();
  if (!value.isObject())
    return wrongValue("device", "an object", value);
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError("device: " + twice + ": the key comes twice");
  Device device;
  if (value.member("name").isString())
    device.name = value.member("name").text().str();
  for (auto [key, result] : {std::pair("peak_flops", &device.peakFlops),
                             std::pair("bandwidth", &device.bandwidth)}) {
    std::string field = std::string("device: ") + key;
    llvm::Expected<double> number = readNumber(value.member(key), field);
    if (!number)
      return number.takeError();
    if (*number == 0)
      return wrongValue(field, "a number above 0", value.member(key));
    *result = *number;
  }
  file.device = std::move(device);
  return llvm::Error::success();
}

llvm::Error ScheduleVisitor::addBaseline(JsonValue value) {
  if (!value.isPresent())
    return llvm::Error::success();
  if (!value.isObject())
    return wrongValue("baseline", "an object", value);
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError("baseline: " + twice + ": the key comes twice");
  if (llvm::Error e = readUnlessNull<int64_t>(
          value.member("peak_memory"), "baseline: peak_memory", readInteger,
          file.baselinePeakBytes))
    return e;
  return readUnlessNull<double>(value.member("cost"), "baseline: cost",
                                readNumber, file.baselineCost);
}

llvm::Error ScheduleVisitor::addStep(JsonValue value) {
  if (!value.isObject())
    return makeInputError("expected an object, got " + value.describe());
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError(twice + ": the key comes twice");
  JsonValue compute = value.member("compute"), free = value.member("free");
  bool isCompute = compute.kind() != JsonKind::Absent;
  if (isCompute == (free.kind() != JsonKind::Absent)) {
    if (isCompute)
      return makeInputError("expected compute or free, got both");
    JsonValue first =
        value.begin() != value.end() ? *value.begin() : JsonValue();
    std::string kind = first.kind() == JsonKind::Absent
                           ? std::string("an empty object")
                           : first.key().str();
    return makeInputError("unknown kind of step: expected compute or free, "
                          "got " +
                          kind);
  }
  llvm::Expected<llvm::StringRef> name =
      isCompute ? readString(compute, "compute") : readString(free, "free");
  if (!name)
    return name.takeError();
  JsonValue again = value.member("recompute");
  bool isAgain = false;
  if (again.kind() != JsonKind::Absent) {
    if (again.kind() != JsonKind::Bool)
      return wrongValue("recompute", "true or false", again);
    isAgain = isCompute && again.boolean();
  }
  file.steps.push_back(
      {isCompute ? ScheduleStep::Compute : ScheduleStep::Free, isAgain});
  file.stepNames.push(*name);
  return llvm::Error::success();
}

llvm::Error ScheduleVisitor::addNode(llvm::StringRef name, JsonValue value) {
  NodeDescription node;
  if (llvm::Error e = nodeReader.readDerived(name, value, node))
    return inPlace("nodes", std::move(e));
  file.nodes.emplace_back(node);
  return llvm::Error::success();
}

llvm::Error ScheduleVisitor::addBuffer(JsonValue value) {
  if (!value.isObject())
    return makeInputError("expected an object, got " + value.describe());
  std::string twice = value.duplicateKey();
  if (!twice.empty())
    return makeInputError(twice + ": the key comes twice");
  llvm::Expected<llvm::StringRef> tensor =
      readString(value.member("tensor"), "tensor");
  if (!tensor)
    return tensor.takeError();
  ArenaFile::Buffer buffer;
  buffer.tensor = tensor->str();
  for (auto [key, result] : {std::pair("first_step", &buffer.firstStep),
                             std::pair("last_step", &buffer.lastStep),
                             std::pair("offset", &buffer.offset),
                             std::pair("bytes", &buffer.bytes)}) {
    llvm::Expected<int64_t> number = readInteger(value.member(key), key);
    if (!number)
      return number.takeError();
    *result = *number;
  }
  file.arena->buffers.push_back(std::move(buffer));
  return llvm::Error::success();
}

llvm::Expected<ScheduleFile> ScheduleVisitor::finish() {
  if (!sawFormat)
    return makeInputError("format: expected \"reprise.schedule\", got nothing");
  if (!sawVersion)
    return makeInputError("version: expected 1, got nothing");
  if (!sawSteps)
    return makeInputError("steps: expected a list, got nothing");
  if (file.arena && !sawBuffers)
    return makeInputError("arena: buffers: expected a list, got nothing");
  return std::move(file);
}

llvm::Expected<ScheduleFile> readScheduleBuffer(llvm::MemoryBufferRef buffer) {
  ScheduleVisitor visitor;
  if (llvm::Error e = parseJson(buffer, visitor))
    return e;
  llvm::Expected<ScheduleFile> file = visitor.finish();
  if (!file)
    return inInput(buffer.getBufferIdentifier(), file.takeError());
  return file;
}

llvm::Expected<ScheduleFile> readSchedule(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = openInput(path);
  if (!buffer)
    return buffer.takeError();
  return readScheduleBuffer(**buffer);
}

} // namespace reprise
