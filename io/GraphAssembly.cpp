// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/GraphAssembly.h"

#include "reprise/graph/Error.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SHA256.h"

namespace reprise {

/// The derived nodes of \p options, as a part to be added to \p graph.
static llvm::Expected<Derivation> derivedPart(const Graph &graph,
                                              const GraphReadOptions &options) {
  Derivation derived;
  if (!options.derivedNodes || options.derivedNodes->empty())
    return derived;
  if (graph.isTraining())
    return makeInputError("graph: it has a backward pass, so that a schedule "
                          "of it can hold no derived nodes");
  llvm::StringSet<> initializers;
  for (TensorId t = 0; t < graph.numConstants(); ++t)
    if (graph.isInitializer(t))
      initializers.insert(graph.tensorName(t));
  derived.nodes = *options.derivedNodes;
  for (const NodeRecord &node : derived.nodes)
    for (llvm::StringRef output : node.outputs)
      if (output.consume_front("d:") && initializers.contains(output))
        derived.outputs.push_back(("d:" + output).str());
  return derived;
}

llvm::Expected<LoadedGraph> assembleGraph(LoadedGraph loaded,
                                          const GraphReadOptions &options,
                                          Completion extent) {
  llvm::Expected<Derivation> derived = derivedPart(loaded.graph, options);
  if (!derived)
    return derived.takeError();
  llvm::Expected<Graph> complete =
      completeGraph(std::move(loaded.graph), loaded.facts, extent, *derived);
  if (!complete)
    return complete.takeError();
  loaded.graph = std::move(*complete);
  return loaded;
}

std::string hashBytes(llvm::StringRef bytes) {
  llvm::SHA256 hash;
  hash.update(bytes);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

} // namespace reprise
