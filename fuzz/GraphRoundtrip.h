// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef REPRISE_FUZZ_GRAPHROUNDTRIP_H
#define REPRISE_FUZZ_GRAPHROUNDTRIP_H

#include "Roundtrip.h"

#include "reprise/io/GraphWriter.h"
#include "reprise/io/TrainingGraph.h"
#include "reprise/planner/Simulator.h"

namespace reprise {

/// A graph that is read can be differentiated or says why not, runs in its own
/// order, and is written as a file that reads back and is written the same.
inline int roundtripGraph(llvm::MemoryBufferRef input) {
  llvm::Expected<LoadedGraph> loaded = readGraphBuffer(input, {});
  if (!loaded) {
    promiseOneLine(loaded.takeError());
    return 0;
  }
  std::string text = writeGraph(*loaded);
  llvm::Expected<LoadedGraph> again =
      readGraphBuffer(llvm::MemoryBufferRef(text, "written"), {});
  if (!again) {
    llvm::errs() << llvm::toString(again.takeError()) << '\n' << text;
    std::abort();
  }
  promise(writeGraph(*again) == text, "a written graph reads back");
  llvm::Expected<TrainingGraph> training =
      makeTrainingGraph(std::move(*again), {});
  if (!training) {
    promiseOneLine(training.takeError());
    return 0;
  }
  const Graph &graph = training->loaded.graph;
  promise(peakOfRuns(graph, graph.order()) >= graph.constantBytes(),
          "a peak that holds the constants");
  return 0;
}

} // namespace reprise

#endif // REPRISE_FUZZ_GRAPHROUNDTRIP_H
