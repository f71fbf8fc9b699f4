// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a plan as a drawing for Graphviz.

#ifndef REPRISE_IO_DOTWRITER_H
#define REPRISE_IO_DOTWRITER_H

#include "reprise/planner/Plan.h"

#include <string>

namespace reprise {

/// The runs of \p plan, which must be executable, as boxes from top to bottom,
/// with an arrow from the run that makes a value to each that reads it. Forward
/// and backward runs and recomputations differ in colour; thick are those whose
/// outputs are held from the forward to the backward pass. The same text for
/// the same arguments.
std::string writeDot(const Graph &graph, const Plan &plan);

} // namespace reprise

#endif // REPRISE_IO_DOTWRITER_H
