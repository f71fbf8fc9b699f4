// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/planner/Roofline.h"

#include "reprise/io/GraphReader.h"

#include <doctest/doctest.h>

#include <set>

using namespace reprise;

static Graph read(const std::string &text) {
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(llvm::MemoryBufferRef(text, "test.json"), {});
  REQUIRE_MESSAGE(loaded, llvm::toString(loaded.takeError()));
  return std::move(loaded->graph);
}

TEST_CASE("roofline: arithmetic or traffic, whichever takes longer") {
  Graph graph = read(R"({"graph": {
    "input": [{"name": "x", "memory": 100}], "node": [
    {"name": "mm", "opType": "A", "input": ["x", "x"], "output": ["h"],
     "flops": 1000, "memory": [20]},
    {"name": "act", "opType": "B", "input": ["h"], "output": ["a"],
     "flops": 5, "memory": [20]},
    {"name": "view", "opType": "C", "input": ["a"], "output": ["v"],
     "memory": [0], "alias": {"v": "a"}},
    {"name": "sum", "opType": "D", "input": ["v", "h"], "output": ["s"],
     "memory": [0], "inplace": {"s": "h"}}]}})");
  CHECK(bytesMoved(graph, 0) == 120); // x once
  CHECK(bytesMoved(graph, 1) == 40);
  CHECK(bytesMoved(graph, 2) == 0);  // making a view moves nothing
  CHECK(bytesMoved(graph, 3) == 60); // a and h read, h written
  std::vector<double> seconds =
      rooflineSeconds(graph, {"", /*peakFlops=*/100, /*bandwidth=*/20});
  CHECK(seconds == std::vector<double>{10, 2, 0, 3});
}

TEST_CASE("roofline: known devices have names and rates") {
  std::set<std::string> names;
  for (const Device &device : knownDevices()) {
    CHECK(names.insert(device.name).second);
    CHECK(findDevice(device.name) == &device);
    // Between a phone and a rack: a slip of a power of ten shows.
    CHECK(device.peakFlops > 1e12);
    CHECK(device.peakFlops < 1e16);
    CHECK(device.bandwidth > 1e11);
    CHECK(device.bandwidth < 1e13);
  }
  CHECK(findDevice("abacus") == nullptr);
}
