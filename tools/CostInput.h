// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What costs are: the arguments that choose between FLOPs, measured times and
// a device's roofline.

#ifndef REPRISE_TOOLS_COSTINPUT_H
#define REPRISE_TOOLS_COSTINPUT_H

#include "reprise/planner/Objective.h"
#include "reprise/planner/Roofline.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// The arguments, as written; empty: not given.
struct CostArguments {
  std::string objective; ///< "flops", "time" or "roofline"
  std::string device;    ///< a name of knownDevices()
  std::string peakFlops; ///< FLOP/s, "19.5T"
  std::string bandwidth; ///< bytes/s, "2039GB"
};

/// What runs cost.
struct CostInput {
  Objective objective = Objective::Flops;
  std::vector<double> costs;    ///< per node, in the objective's unit
  std::optional<Device> device; ///< whose roofline the costs are
};

/// The costs of \p graph that \p arguments ask for; by default measured times
/// where every node has one, else FLOPs. Fails with an InputError that names
/// the option.
llvm::Expected<CostInput> chooseCosts(const Graph &graph,
                                      const CostArguments &arguments);

} // namespace reprise

#endif // REPRISE_TOOLS_COSTINPUT_H
