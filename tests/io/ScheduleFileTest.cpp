// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The writer and the reader of schedules.

#include "reprise/io/ScheduleReader.h"
#include "reprise/io/ScheduleWriter.h"

#include "reprise/graph/GraphBuilder.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace reprise;

/// x -> a: h -> b: y, names as given.
static Graph twoNodes(llvm::StringRef first, llvm::StringRef second) {
  GraphBuilder builder;
  builder.setName("two");
  NodeDescription a, b;
  llvm::StringRef x = "x", h = "h", y = "y";
  int64_t bytes = 4;
  a.name = first;
  b.name = second;
  a.opType = b.opType = "Op";
  a.inputs = x;
  a.outputs = b.inputs = h;
  b.outputs = y;
  a.bytes = b.bytes = bytes;
  llvm::cantFail(builder.addInput("x", 4));
  llvm::cantFail(builder.addNode(a));
  llvm::cantFail(builder.addNode(b));
  return llvm::cantFail(builder.build());
}

static llvm::Expected<ScheduleFile> read(const std::string &text) {
  return readScheduleBuffer(llvm::MemoryBufferRef(text, "test.json"));
}

/// The error of \p text; empty where it is read.
static std::string errorOf(const std::string &text) {
  llvm::Expected<ScheduleFile> file = read(text);
  return file ? std::string() : llvm::toString(file.takeError());
}

/// A schedule with \p rest after its head.
static std::string schedule(const std::string &rest) {
  return R"({"format": "reprise.schedule", "version": 1, )" + rest + "}";
}

TEST_CASE("ScheduleWriter: the text is exactly the format") {
  Graph graph = twoNodes("a", "b");
  ScheduleInfo info;
  info.graphName = "two";
  info.sha256 = "00ff";
  info.strategy = "keep-all";
  info.budgetBytes = 12;
  info.peakBytes = 12;
  info.cost = 1.25e9;
  info.baselinePeakBytes = 12;
  info.baselineCost = 0.1;
  Plan plan{{{Step::Compute, 0},
             {Step::Recompute, 0},
             {Step::Compute, 1},
             {Step::Free, 1}}};
  PlanArena arena;
  arena.bytes = 8;
  arena.alignment = 4;
  arena.buffers = {{1, 0, 3, 0, 4}, {2, 2, 3, 4, 4}};
  info.arena = arena;
  CHECK(writeSchedule(graph, info, plan) == R"({
  "format": "reprise.schedule",
  "version": 1,
  "graph": {"name": "two", "sha256": "00ff"},
  "strategy": "keep-all",
  "objective": "flops",
  "budget": 12,
  "peak_memory": 12,
  "cost": 1.25e+09,
  "baseline": {"peak_memory": 12, "cost": 0.1},
  "lower_bound": null,
  "steps": [
    {"compute": "a"},
    {"compute": "a", "recompute": true},
    {"compute": "b"},
    {"free": "h"}
  ],
  "nodes": {},
  "arena": {"size": 8, "alignment": 4, "buffers": [
    {"tensor": "h", "first_step": 0, "last_step": 3, "offset": 0, "bytes": 4},
    {"tensor": "y", "first_step": 2, "last_step": 3, "offset": 4, "bytes": 4}
  ]}
}
)");
}

TEST_CASE("ScheduleWriter: an empty plan, and no budget, are spelled out") {
  Graph graph = twoNodes("a", "b");
  std::string text = writeSchedule(graph, ScheduleInfo(), Plan());
  CHECK(text.find("\"steps\": [],") != std::string::npos);
  CHECK(text.find("\"budget\": null") != std::string::npos);
  CHECK(text.find("arena") == std::string::npos);
  CHECK(text.back() == '\n');
  CHECK(errorOf(text) == "");
}

TEST_CASE("ScheduleWriter: any name survives writing and reading") {
  std::string odd =
      std::string("q\"b\\s/\n\t\x01\x7f\0z", 13) + "\xc3\xa9\xf0\x9f\x98\x80";
  Graph graph = twoNodes(odd, "b");
  Plan plan{{{Step::Compute, 0}, {Step::Compute, 1}}};
  llvm::Expected<ScheduleFile> file =
      read(writeSchedule(graph, ScheduleInfo(), plan));
  REQUIRE(static_cast<bool>(file));
  CHECK(file->stepNames[0] == odd);
}

TEST_CASE("ScheduleWriter: bytes that are not UTF-8 are replaced") {
  std::string json;
  appendJsonString(json, "a\xff");
  CHECK(json == "\"a\xef\xbf\xbd\"");
}

TEST_CASE("ScheduleWriter: numbers are the shortest that read back") {
  auto show = [](double value) {
    std::string json;
    appendJsonNumber(json, value);
    return json;
  };
  CHECK(show(0) == "0");
  CHECK(show(144) == "144");
  CHECK(show(0.1) == "0.1");
  CHECK(show(1.0 / 3) == "0.3333333333333333");
  CHECK(show(5e-324) == "5e-324");
  CHECK(show(HUGE_VAL) == "null");
}

TEST_CASE("ScheduleReader: every field comes back") {
  llvm::Expected<ScheduleFile> file = read(schedule(R"(
    "graph": {"name": "g", "sha256": "ab"}, "strategy": "chain",
    "objective": "seconds", "budget": "100", "peak_memory": 90, "cost": 2.5,
    "baseline": {"peak_memory": 120, "cost": 2}, "lower_bound": 1.5,
    "steps": [{"compute": "a"}, {"free": "h"},
              {"compute": "a", "recompute": true}],
    "nodes": {"a.grad": {"opType": "AGrad", "input": ["d:h"],
              "output": ["d:x", "d:w"], "memory": [4, 8], "flops": 3,
              "workspace": 5, "inplace": {"d:x": "d:h"}}},
    "arena": {"size": 64, "alignment": 32, "buffers": [
      {"tensor": "h", "first_step": 0, "last_step": 1, "offset": 32,
       "bytes": 8}]}, "later": {"a": [1, {}]})"));
  REQUIRE(static_cast<bool>(file));
  CHECK(*file->graphName == "g");
  CHECK(*file->sha256 == "ab");
  CHECK(file->strategy == "chain");
  CHECK(file->objective == "seconds");
  CHECK(*file->budgetBytes == 100);
  CHECK(*file->peakBytes == 90);
  CHECK(*file->cost == 2.5);
  CHECK(*file->baselinePeakBytes == 120);
  CHECK(*file->baselineCost == 2);
  CHECK(*file->lowerBound == 1.5);
  REQUIRE(file->steps.size() == 3);
  CHECK(file->steps[1].kind == ScheduleStep::Free);
  CHECK(file->stepNames[1] == "h");
  CHECK(file->steps[2].isRecompute);
  CHECK_FALSE(file->steps[0].isRecompute);
  REQUIRE(file->nodes.size() == 1);
  const NodeRecord &node = file->nodes[0];
  CHECK(node.name == "a.grad");
  CHECK(node.outputs == std::vector<std::string>{"d:x", "d:w"});
  CHECK(node.bytes == std::vector<int64_t>{4, 8});
  CHECK(node.phase == Phase::Backward);
  CHECK(node.inplace.size() == 1);
  REQUIRE(file->arena);
  CHECK(file->arena->bytes == 64);
  CHECK(file->arena->alignment == 32);
  CHECK(file->arena->buffers.at(0).offset == 32);
}

TEST_CASE("ScheduleReader: null stands for absent") {
  llvm::Expected<ScheduleFile> file = read(schedule(
      R"("budget": null, "lower_bound": null, "arena": null, "steps": [])"));
  REQUIRE(static_cast<bool>(file));
  CHECK_FALSE(file->budgetBytes);
  CHECK_FALSE(file->lowerBound);
  CHECK_FALSE(file->arena);
}

TEST_CASE("ScheduleReader: what is no schedule of ours is refused") {
  CHECK(errorOf("{}") ==
        "test.json: format: expected \"reprise.schedule\", got nothing");
  CHECK(errorOf(R"({"format": "onnx"})") ==
        "test.json: format: expected \"reprise.schedule\", got \"onnx\"");
  CHECK(errorOf(R"({"format": "reprise.schedule", "version": 2})") ==
        "test.json: version: this program reads version 1, got 2");
  CHECK(errorOf(R"({"format": "reprise.schedule", "version": 0})") ==
        "test.json: version: expected 1, got 0");
  CHECK(errorOf(R"({"format": "reprise.schedule", "steps": []})") ==
        "test.json: version: expected 1, got nothing");
  CHECK(errorOf(schedule(R"("cost": 1)")) ==
        "test.json: steps: expected a list, got nothing");
  CHECK(errorOf(schedule(R"("steps": [], "arena": {})")) ==
        "test.json: arena: buffers: expected a list, got nothing");
}

TEST_CASE("ScheduleReader: an unknown kind of step is refused") {
  auto step = [](const std::string &text) {
    return errorOf(schedule("\"steps\": [{\"compute\": \"a\"}, " + text + "]"));
  };
  CHECK(step(R"({"offload": "h"})") ==
        "test.json: step 1: unknown kind of step: expected compute or free, "
        "got offload");
  CHECK(step("{}") == "test.json: step 1: unknown kind of step: expected "
                      "compute or free, got an empty object");
  CHECK(step(R"({"compute": "a", "free": "h"})") ==
        "test.json: step 1: expected compute or free, got both");
  CHECK(step(R"({"compute": 4})") ==
        "test.json: step 1: compute: expected a string, got 4");
  CHECK(step(R"({"compute": "a", "recompute": 1})") ==
        "test.json: step 1: recompute: expected true or false, got 1");
  CHECK(step("null") == "test.json: step 1: expected an object, got null");
}

TEST_CASE("ScheduleReader: wrong types are told with their place") {
  auto error = [](const std::string &text) {
    return errorOf(schedule(text + ", \"steps\": []"));
  };
  CHECK(error(R"("peak_memory": -1)") ==
        "test.json: peak_memory: expected an integer in 0 .. 2^63-1, got -1");
  CHECK(error(R"("objective": "joules")") ==
        "test.json: objective: expected \"flops\" or \"seconds\", got "
        "\"joules\"");
  CHECK(error(R"("graph": {"sha256": 4})") ==
        "test.json: graph: sha256: expected a string, got 4");
  CHECK(error(R"("nodes": {"n": {"flops": 1}})") ==
        "test.json: nodes: node n: opType: expected a non-empty string, got "
        "nothing");
  CHECK(error(R"("nodes": {"n": {"opType": "A"}, "n": {"opType": "A"}})") ==
        "test.json: nodes: n: the key comes twice");
  CHECK(error(R"("device": 4)") ==
        "test.json: device: expected an object, got 4");
  CHECK(error(R"("device": {"peak_flops": 0, "bandwidth": 1})") ==
        "test.json: device: peak_flops: expected a number above 0, got 0");
  CHECK(error(R"("device": {"peak_flops": 1})") ==
        "test.json: device: bandwidth: expected a finite number >= 0, got "
        "nothing");
  CHECK(error(R"("arena": {"buffers": [{"tensor": "h"}]})") ==
        "test.json: arena: buffer 0: first_step: expected an integer in 0 .. "
        "2^63-1, got nothing");
}
