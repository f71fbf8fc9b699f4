// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/GraphInput.h"

#include "reprise/graph/Error.h"
#include "reprise/operators/PoolIndices.h"
#include "reprise/tools/Console.h"

#include "llvm/ADT/StringExtras.h"

namespace reprise {

static llvm::Error bindDim(llvm::StringRef text, GraphReadOptions &options) {
  auto [name, digits] = text.split('=');
  int64_t value = 0;
  // getAsInteger() is true when the text is no integer.
  if (name.empty() || digits.getAsInteger(10, value) || value < 0)
    return makeInputError("--dim: expected NAME=VALUE with a value >= 0, got " +
                          text);
  if (!options.dims.emplace(name.str(), value).second)
    return makeInputError("--dim: " + name + " is given twice");
  return llvm::Error::success();
}

llvm::Expected<LoadedGraph>
loadGraph(const GraphArguments &arguments,
          const std::vector<NodeRecord> *derivedNodes) {
  GraphReadOptions options;
  options.derivedNodes = derivedNodes;
  options.completion = arguments.completion;
  if (arguments.batch > 0)
    options.batch = arguments.batch;
  for (const std::string &dim : arguments.dims)
    if (llvm::Error e = bindDim(dim, options))
      return e;
  return readGraph(arguments.path, options);
}

static void warnOfUnknown(llvm::ArrayRef<std::string> operators) {
  if (!operators.empty())
    printWarning("no gradient rule for " + llvm::join(operators, ", ") +
                 ": taken to read all inputs and outputs of the operator");
}

llvm::Expected<GraphInput> loadTrainingGraph(const GraphArguments &arguments) {
  llvm::Expected<LoadedGraph> loaded = loadGraph(arguments);
  if (!loaded)
    return loaded.takeError();
  if (arguments.poolIndices && !loaded->graph.isTraining()) {
    llvm::Expected<Graph> pooled =
        withPoolIndices(loaded->graph, loaded->facts);
    if (!pooled)
      return inFile(arguments.path, pooled.takeError());
    loaded->graph = std::move(*pooled);
  }
  bool isForward = !loaded->graph.isTraining() &&
                   loaded->graph.numNodes() != 0 && !arguments.inference;
  if (!isForward && !arguments.frozen.empty())
    return makeInputError("--frozen: only where a backward pass is derived");
  llvm::Expected<GraphInput> input = makeTrainingGraph(
      std::move(*loaded), {arguments.frozen, arguments.inference});
  if (!input)
    return inFile(arguments.path, input.takeError());
  warnOfUnknown(input->derived.unknownOperators);
  if (isForward && input->derived.nodes.empty())
    printNote("nothing in this graph has a gradient: planned as it stands");
  return input;
}

} // namespace reprise
