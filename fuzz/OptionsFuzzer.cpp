// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a plan, and the problem that they make of a graph.

#include "Roundtrip.h"

#include "reprise/io/OptionsReader.h"

using namespace reprise;

static constexpr llvm::StringLiteral kGraph = R"({"graph": {
  "input": [{"name": "x", "memory": 4}], "node": [
  {"opType": "A", "input": ["x"], "output": ["h"], "memory": [8]}]}})";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const LoadedGraph graph = llvm::cantFail(
      readGraphBuffer(llvm::MemoryBufferRef(kGraph, "graph"), {}));
  llvm::Expected<OptionsFile> options = readOptionsBuffer(bufferOf(data, size));
  if (!options) {
    promiseOneLine(options.takeError());
    return 0;
  }
  llvm::Expected<Problem> problem = makeProblem(graph.graph, *options);
  if (!problem)
    promiseOneLine(problem.takeError());
  return 0;
}
