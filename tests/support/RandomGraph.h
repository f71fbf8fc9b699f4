// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small random training graphs for property tests, with everything the graph
// format allows: skips, several outputs, omitted ones, views, in-place sums,
// nodes that run once, workspaces, zero costs and zero bytes.

#ifndef REPRISE_TESTS_SUPPORT_RANDOMGRAPH_H
#define REPRISE_TESTS_SUPPORT_RANDOMGRAPH_H

#include "reprise/graph/Graph.h"

#include <cstdint>

namespace reprise {

/// What a random graph may hold. Shares are percents of the nodes.
struct RandomGraphOptions {
  unsigned forwardNodes = 5; ///< about as many backward nodes again
  unsigned neverShare = 8;
  unsigned aliasShare = 10;
  unsigned inplaceShare = 6;
  unsigned workspaceShare = 25;
  unsigned secondOutputShare = 20;
  unsigned skipShare = 30;
  int64_t largestBytes = 8; ///< of one tensor
};

/// The training graph of \p seed; the same one on every machine.
Graph randomGraph(uint64_t seed, const RandomGraphOptions &options = {});

} // namespace reprise

#endif // REPRISE_TESTS_SUPPORT_RANDOMGRAPH_H
