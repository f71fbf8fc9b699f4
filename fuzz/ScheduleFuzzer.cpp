// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules, read and then checked on a graph of four nodes.

#include "Roundtrip.h"

#include "reprise/io/ScheduleChecker.h"
#include "reprise/io/ScheduleReader.h"

using namespace reprise;

/// x -> a: h -> b: y (a view of h) -> c: z, and d, which overwrites z.
static constexpr llvm::StringLiteral kGraph = R"({"graph": {
  "name": "g", "input": [{"name": "x", "memory": 4}],
  "output": [{"name": "w"}], "node": [
  {"name": "a", "opType": "A", "input": ["x"], "output": ["h"], "memory": [8],
   "flops": 1},
  {"name": "b", "opType": "B", "input": ["h"], "output": ["y"], "memory": [8],
   "flops": 2, "alias": {"y": "h"}},
  {"name": "c", "opType": "C", "input": ["y"], "output": ["z"], "memory": [8],
   "flops": 4, "workspace": 2},
  {"name": "d", "opType": "D", "input": ["z", "h"], "output": ["w"],
   "memory": [8], "flops": 8, "inplace": {"w": "z"}, "phase": "backward"}]}})";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<ScheduleFile> file = readScheduleBuffer(bufferOf(data, size));
  if (!file) {
    promiseOneLine(file.takeError());
    return 0;
  }
  GraphReadOptions options;
  options.derivedNodes = &file->nodes;
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(llvm::MemoryBufferRef(kGraph, "graph"), options);
  if (!loaded) {
    promiseOneLine(loaded.takeError());
    return 0;
  }
  ScheduleCheck check =
      checkSchedule(*loaded, *file, {.allowOtherGraph = true});
  for (const std::string &error : check.errors)
    promise(error.find('\n') == std::string::npos, "a fault of one line");
  return 0;
}
