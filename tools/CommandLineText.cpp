// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/CommandLineText.h"

#include "reprise/planner/Strategies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace reprise {

/// CLI11 shows the values that IsMember() allows as "FORMAT:{schedule,graph}".
static void splitType(llvm::StringRef type, ArgumentText &argument) {
  auto [value, check] = type.split(':');
  argument.value = value.str();
  if (!check.consume_front("{") || !check.consume_back("}"))
    return;
  llvm::SmallVector<llvm::StringRef, 8> choices;
  check.split(choices, ',');
  for (llvm::StringRef choice : choices)
    argument.choices.push_back(choice.str());
}

std::vector<ArgumentText> argumentsOf(const CLI::App &app) {
  std::vector<ArgumentText> arguments;
  for (const CLI::Option *option : app.get_options()) {
    ArgumentText argument;
    for (const std::string &name : option->get_snames())
      argument.names.push_back("-" + name);
    for (const std::string &name : option->get_lnames())
      argument.names.push_back("--" + name);
    if (argument.names.empty())
      argument.place = option->get_name(/*positional=*/true);
    if (option->get_items_expected_max() > 0)
      splitType(option->get_type_name(), argument);
    argument.help = option->get_description();
    argument.defaultValue = option->get_default_str();
    argument.isFile = argument.names.empty() || argument.value == "FILE";
    if (argument.value == "STRATEGY")
      for (const Strategy &strategy : strategies())
        argument.choices.push_back(strategy.name.str());
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

std::vector<const CLI::App *> subcommandsOf(const CLI::App &app) {
  return app.get_subcommands(
      [](const CLI::App *sub) { return !sub->get_group().empty(); });
}

} // namespace reprise
