// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `reprise generate` writes: the manual page and the completions of
// shells, from the same declarations that the arguments are parsed by.

#ifndef REPRISE_TOOLS_COMMANDLINETEXT_H
#define REPRISE_TOOLS_COMMANDLINETEXT_H

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace reprise {

/// One option or positional argument, in plain words.
struct ArgumentText {
  std::vector<std::string> names; ///< "-b", "--budget"; empty: positional
  std::string place;              ///< of a positional: "GRAPH"
  std::string value;              ///< "SIZE"; empty: a flag
  std::string help;               ///< may have several lines
  std::string defaultValue;
  std::vector<std::string> choices; ///< the only values, if any
  bool isFile = false;              ///< the value is a path
};

/// The arguments of \p app, in the order of their declaration.
std::vector<ArgumentText> argumentsOf(const CLI::App &app);

/// The subcommands of \p app that help lists.
std::vector<const CLI::App *> subcommandsOf(const CLI::App &app);

/// A page of section 1, in roff.
std::string manPage(const CLI::App &app);
std::string bashCompletion(const CLI::App &app);
std::string zshCompletion(const CLI::App &app);
std::string fishCompletion(const CLI::App &app);

} // namespace reprise

#endif // REPRISE_TOOLS_COMMANDLINETEXT_H
