// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph argument that all commands share.

#ifndef REPRISE_TOOLS_GRAPHINPUT_H
#define REPRISE_TOOLS_GRAPHINPUT_H

#include "reprise/io/GraphReader.h"
#include "reprise/io/TrainingGraph.h"

#include <string>
#include <vector>

namespace reprise {

/// How a graph is given on the command line.
struct GraphArguments {
  std::string path = "-";        ///< "-": standard input
  std::vector<std::string> dims; ///< "NAME=VALUE" for symbolic dimensions
  int64_t batch = 0; ///< first dimension of the inputs; 0: as in the file
  Completion completion = Completion::AsWritten; ///< of JSON files
  /// Patterns of initializers that get no gradient.
  std::vector<std::string> frozen;
  bool inference = false;   ///< derive no backward pass
  bool poolIndices = false; ///< of a forward graph: withPoolIndices()
};

/// A graph that is ready to be planned.
using GraphInput = TrainingGraph;

/// Reads the graph of \p arguments as it is, and adds the nodes
/// \p derivedNodes of a schedule to it, if any. Fails with an InputError.
llvm::Expected<LoadedGraph>
loadGraph(const GraphArguments &arguments,
          const std::vector<NodeRecord> *derivedNodes = nullptr);

/// Reads the graph of \p arguments and, where it is a forward graph, derives
/// its backward pass, unless the arguments say otherwise. Tells on the
/// standard error what the user should know of it.
llvm::Expected<GraphInput> loadTrainingGraph(const GraphArguments &arguments);

} // namespace reprise

#endif // REPRISE_TOOLS_GRAPHINPUT_H
