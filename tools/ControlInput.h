// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What users say of single nodes: the patterns of --keep, --recompute, --never
// and --allow.

#ifndef REPRISE_TOOLS_CONTROLINPUT_H
#define REPRISE_TOOLS_CONTROLINPUT_H

#include "reprise/tools/GraphInput.h"

#include <optional>
#include <string>
#include <vector>

namespace reprise {

/// The patterns, as written: globs on the name of a node, or on its operator
/// after `op:`.
struct ControlArguments {
  std::vector<std::string> keep;      ///< run once, anywhere in the order
  std::vector<std::string> recompute; ///< not kept for the backward pass
  std::vector<std::string> never;     ///< as `recompute: never` in the file
  std::vector<std::string> allow;     ///< lifts the built-in list
  std::string optionsPath;            ///< a file with more of them; empty: none
  bool verbose = false;               ///< say what the built-in list is and did
};

/// The graph of \p loaded with the rules of \p arguments, and with those of the
/// built-in list (see mustRunOnce()) where the file leaves it open; the same
/// ids. None where nothing changes. Says on the standard error what the list
/// did. Fails with an InputError for a pattern that is none, that matches
/// nothing, or that contradicts another, and for a faulty file of options.
llvm::Expected<std::optional<Graph>>
applyControl(const LoadedGraph &loaded, const ControlArguments &arguments);

/// Lets the nodes that \p arguments allow run again in the graph of \p loaded
/// and changes nothing else: for schedules that were planned like that. Fails
/// as applyControl() does.
llvm::Error liftRules(LoadedGraph &loaded, const ControlArguments &arguments);

} // namespace reprise

#endif // REPRISE_TOOLS_CONTROLINPUT_H
