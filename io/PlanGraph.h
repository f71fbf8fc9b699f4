// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan as a graph of its own, for compilers and for runtimes that execute a
// list of nodes: every run is a node, and what a run reads is named for the
// run that made it.
//
//   runs   f1  f2  f3  b3  f1            b2
//   nodes  f1  f2  f3  b3  f1.recompute1 b2
//   makes  a1              a1.recompute1
//   reads      a1                        a1.recompute1

#ifndef REPRISE_IO_PLANGRAPH_H
#define REPRISE_IO_PLANGRAPH_H

#include "reprise/io/GraphReader.h"
#include "reprise/planner/Plan.h"

namespace reprise {

/// The graph of the runs of \p plan, a legal plan of \p loaded, in their order.
/// The k-th recomputation of node N is `N.recompute<k>`, and so are its outputs
/// called; a name that is taken gets `_` behind it. The outputs of the graph
/// are the versions that are there at the end. Keeping everything until its
/// last use, in file order, takes the peak and the cost of \p plan if that
/// frees every tensor right after its last use.
llvm::Expected<LoadedGraph> graphOfPlan(const LoadedGraph &loaded,
                                        const Plan &plan);

} // namespace reprise

#endif // REPRISE_IO_PLANGRAPH_H
