// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of `reprise`. Each is a file *Command.cpp that declares its
// arguments and does its work.

#ifndef REPRISE_TOOLS_COMMANDS_H
#define REPRISE_TOOLS_COMMANDS_H

#include "llvm/Support/Error.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace reprise {

/// A subcommand whose arguments are parsed: returns the exit code, or an
/// InputError.
using Command = std::function<llvm::Expected<int>()>;

/// `reprise plan`: a graph and a budget in, a schedule out.
void addPlanCommand(CLI::App &app, Command &chosen);
/// `reprise check`: is a schedule valid, and are its figures true?
void addCheckCommand(CLI::App &app, Command &chosen);
/// `reprise curve`: a graph in, the costs of many budgets out.
void addCurveCommand(CLI::App &app, Command &chosen);
/// `reprise explain`: why a schedule takes what it takes.
void addExplainCommand(CLI::App &app, Command &chosen);
/// `reprise compare`: what each strategy makes of a budget.
void addCompareCommand(CLI::App &app, Command &chosen);
/// `reprise report`: a page with pictures of a schedule.
void addReportCommand(CLI::App &app, Command &chosen);
/// `reprise info`: what is in a graph, and what it takes to run it.
void addInfoCommand(CLI::App &app, Command &chosen);
/// `reprise import`: a model in, a graph file with all costs out.
void addImportCommand(CLI::App &app, Command &chosen);
/// `reprise alloc`: buffers in, offsets in one block of memory out.
void addAllocCommand(CLI::App &app, Command &chosen);
/// `reprise generate`: the manual page and completions, for packages.
void addGenerateCommand(CLI::App &app, Command &chosen);

} // namespace reprise

#endif // REPRISE_TOOLS_COMMANDS_H
