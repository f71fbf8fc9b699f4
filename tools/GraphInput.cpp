// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/GraphInput.h"

#include "reprise/graph/Error.h"

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
loadGraph(llvm::StringRef path, llvm::ArrayRef<std::string> dims,
          const std::vector<NodeRecord> *derivedNodes) {
  GraphReadOptions options;
  options.derivedNodes = derivedNodes;
  for (const std::string &dim : dims)
    if (llvm::Error e = bindDim(dim, options))
      return e;
  return readGraph(path, options);
}

} // namespace reprise
