// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node description that owns its strings.

#ifndef REPRISE_GRAPH_NODERECORD_H
#define REPRISE_GRAPH_NODERECORD_H

#include "reprise/graph/GraphBuilder.h"

#include <string>
#include <utility>
#include <vector>

namespace reprise {

/// What a NodeDescription says, to be kept: the fields are the same.
struct NodeRecord {
  std::string name, opType;
  std::vector<std::string> inputs, outputs;
  std::vector<int64_t> bytes; ///< of each output; empty: not given
  std::optional<double> flops, seconds;
  int64_t workspaceBytes = 0;
  Phase phase = Phase::Forward;
  RecomputeRule recompute = RecomputeRule::Allow;
  std::vector<std::pair<std::string, std::string>> alias, inplace;

  NodeRecord() = default;
  explicit NodeRecord(const NodeDescription &node);

  /// Adds the node to \p builder.
  llvm::Error addTo(GraphBuilder &builder) const;
};

} // namespace reprise

#endif // REPRISE_GRAPH_NODERECORD_H
