// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a graph, costs and a budget as written to a planning problem.

#ifndef REPRISE_TOOLS_PROBLEMINPUT_H
#define REPRISE_TOOLS_PROBLEMINPUT_H

#include "reprise/planner/Planner.h"
#include "reprise/tools/CostInput.h"

namespace reprise {

/// The bytes of `--budget TEXT`: see parseByteSize(); shares are of the peak
/// without recomputation; kNoBudget where the text is empty.
llvm::Expected<int64_t> chooseBudget(const Graph &graph, llvm::StringRef text);

/// The bytes of `--reserve TEXT`, less than \p budgetBytes: what the graph does
/// not hold and the plan must leave free; 0 where the text is empty.
llvm::Expected<int64_t> chooseReserve(const Graph &graph, int64_t budgetBytes,
                                      llvm::StringRef text);

/// The share in `--max-overhead 20%`; kNoOverheadLimit where \p text is empty.
llvm::Expected<double> parseOverhead(llvm::StringRef text);

/// The problem of \p graph, which must outlive it, within `--budget TEXT`.
llvm::Expected<Problem> makeProblem(const Graph &graph, const CostInput &costs,
                                    llvm::StringRef budget);

} // namespace reprise

#endif // REPRISE_TOOLS_PROBLEMINPUT_H
