// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command line options that several commands share.

#ifndef REPRISE_TOOLS_ARGUMENTS_H
#define REPRISE_TOOLS_ARGUMENTS_H

#include "reprise/planner/Planner.h"
#include "reprise/tools/ControlInput.h"
#include "reprise/tools/CostInput.h"
#include "reprise/tools/GraphInput.h"
#include "reprise/tools/PlanningInput.h"

#include <CLI/CLI.hpp>

namespace reprise {

/// How long and how hard to plan, as written.
struct SearchArguments {
  double timeLimitSeconds = -1; ///< negative: by the size of the graph
  uint64_t effort = 0;          ///< search iterations; 0: by the clock
  uint64_t seed = 1;
  unsigned threads = 2;
  std::string bound = "fast"; ///< "fast" or "lp"

  PlanOptions planOptions() const;
};

/// The positional GRAPH.
CLI::Option *addGraph(CLI::App &app, GraphArguments &graph);
/// How the file of a graph is read.
void addReading(CLI::App &app, GraphArguments &graph);
/// Which initializers of a forward graph are not trained.
void addFrozen(CLI::App &app, GraphArguments &graph);
/// How the backward pass of a forward graph is derived.
void addDerivation(CLI::App &app, GraphArguments &graph);
/// What runs cost.
void addCosts(CLI::App &app, CostArguments &costs);
/// Which nodes may run again although their operators should not.
void addAllow(CLI::App &app, ControlArguments &control);
/// Which nodes must not run again.
void addControl(CLI::App &app, ControlArguments &control);
/// -b, --budget and --reserve.
void addBudget(CLI::App &app, PlanningArguments &planning);
/// -s, --strategy.
void addStrategy(CLI::App &app, std::string &strategy);
/// How long and how hard to plan. Returns the option of the time limit.
CLI::Option *addSearch(CLI::App &app, SearchArguments &search);

} // namespace reprise

#endif // REPRISE_TOOLS_ARGUMENTS_H
