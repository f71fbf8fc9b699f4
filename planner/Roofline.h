// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimated times where none were measured: the roofline model (Williams,
// Waterman, Patterson 2009). A node takes as long as its arithmetic or its
// memory traffic, whichever is longer:
//
//   seconds = max(FLOPs / peak rate, bytes moved / bandwidth)
//
// so that pointwise operators, which hardly count by FLOPs, are not free.

#ifndef REPRISE_PLANNER_ROOFLINE_H
#define REPRISE_PLANNER_ROOFLINE_H

#include "reprise/graph/Graph.h"

#include <string>
#include <vector>

namespace reprise {

/// What a device reaches at best.
struct Device {
  std::string name;     ///< "a100-fp32"; empty for one that has no name
  double peakFlops = 0; ///< FLOP/s, > 0
  double bandwidth = 0; ///< bytes/s of its memory, > 0

  bool operator==(const Device &) const = default;
};

/// The devices that are known by name, with their vendors' figures.
llvm::ArrayRef<Device> knownDevices();

/// The device called \p name, or null.
const Device *findDevice(llvm::StringRef name);

/// Bytes that one run of \p n moves: the storages of its distinct inputs, and
/// of its outputs. A view counts as what it views when it is read, and as
/// nothing when it is made.
int64_t bytesMoved(const Graph &graph, NodeId n);

/// Seconds of one run of each node on \p device, indexed by NodeId.
std::vector<double> rooflineSeconds(const Graph &graph, const Device &device);

} // namespace reprise

#endif // REPRISE_PLANNER_ROOFLINE_H
