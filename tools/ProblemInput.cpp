// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/ProblemInput.h"

#include "reprise/graph/Error.h"
#include "reprise/io/ByteSize.h"
#include "reprise/planner/SmallestBudget.h"
#include "reprise/tools/Console.h"

namespace reprise {

llvm::Expected<int64_t> chooseBudget(const Graph &graph, llvm::StringRef text) {
  if (text.empty())
    return kNoBudget;
  llvm::Expected<ByteSize> size = parseByteSize(text);
  if (!size)
    return prefixError("--budget: ", size.takeError());
  int64_t baselinePeakBytes = peakOfRuns(graph, graph.order());
  int64_t bytes = size->resolve(baselinePeakBytes);
  // Nobody has no memory at all: such a budget is a slip.
  if (bytes == 0 && baselinePeakBytes > 0)
    return makeInputError("--budget: expected more than 0 bytes, got '" + text +
                          "'");
  return bytes;
}

llvm::Expected<int64_t> chooseReserve(const Graph &graph, int64_t budgetBytes,
                                      llvm::StringRef text) {
  if (text.empty())
    return 0;
  llvm::Expected<ByteSize> size = parseByteSize(text);
  if (!size)
    return prefixError("--reserve: ", size.takeError());
  int64_t bytes = size->resolve(
      size->isShare() ? peakOfRuns(graph, graph.order()) : int64_t(0));
  if (bytes >= budgetBytes)
    return makeInputError("--reserve: " + formatBytes(bytes) +
                          " leave nothing of the budget of " +
                          formatBytes(budgetBytes));
  return bytes;
}

llvm::Expected<double> parseOverhead(llvm::StringRef text) {
  if (text.empty())
    return kNoOverheadLimit;
  llvm::StringRef number = text;
  double percent = 0;
  if (!number.consume_back("%") || number.trim().getAsDouble(percent) ||
      !(percent >= 0 && percent <= 1e6))
    return makeInputError("--max-overhead: expected a percentage such as "
                          "20%, got '" +
                          text + "'");
  return percent / 100;
}

llvm::Expected<Problem> makeProblem(const Graph &graph, const CostInput &costs,
                                    llvm::StringRef budget) {
  llvm::Expected<int64_t> budgetBytes = chooseBudget(graph, budget);
  if (!budgetBytes)
    return budgetBytes.takeError();
  return Problem{.graph = graph,
                 .objective = costs.objective,
                 .costs = costs.costs,
                 .budgetBytes = *budgetBytes};
}

} // namespace reprise
