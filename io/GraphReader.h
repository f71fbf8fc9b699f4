// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the graph format (docs/formats.md): ONNX's JSON form, in either of its
// two dialects, with cost fields; and ONNX models in protobuf.

#ifndef REPRISE_IO_GRAPHREADER_H
#define REPRISE_IO_GRAPHREADER_H

#include "reprise/graph/Graph.h"
#include "reprise/graph/NodeRecord.h"
#include "reprise/operators/Completion.h"
#include "reprise/operators/ModelFacts.h"

#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// How to read a graph.
struct GraphReadOptions {
  /// Values for symbolic dimensions of shapes ("N" to 8), each >= 0.
  std::map<std::string, int64_t> dims;
  /// First dimension of the graph's inputs; of ONNX models in protobuf only,
  /// whose shapes can be inferred anew.
  std::optional<int64_t> batch;
  /// How much the operator table adds to a JSON file. ONNX models in protobuf,
  /// which can say none of it, are always completed as for import.
  Completion completion = Completion::AsWritten;
  /// Nodes to add behind those of the file: the backward pass that a schedule
  /// of this forward graph holds. The gradients of initializers that they make
  /// (`d:<initializer>`) become outputs. Null, or owned by the caller.
  const std::vector<NodeRecord> *derivedNodes = nullptr;
};

/// A graph, with what its file leaves to the operator table filled in (see
/// completeGraph()), and what the file says beyond it.
struct LoadedGraph {
  Graph graph;
  std::string sha256; ///< of the file's bytes, 64 lower-case hex digits
  std::vector<BackwardOverride> overrides; ///< in file order
  ModelFacts facts;
};

/// Reads the graph file \p path ("-": standard input), whose contents tell
/// which of the formats it is in. Fails with an
/// InputError of one line: "FILE: node NAME: FIELD: expected ..., got ...".
llvm::Expected<LoadedGraph> readGraph(llvm::StringRef path,
                                      const GraphReadOptions &options);

/// The same for text in memory; the buffer's identifier names it in errors.
llvm::Expected<LoadedGraph> readGraphBuffer(llvm::MemoryBufferRef buffer,
                                            const GraphReadOptions &options);

} // namespace reprise

#endif // REPRISE_IO_GRAPHREADER_H
