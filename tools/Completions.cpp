// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/CommandLineText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace reprise {

/// The first line of \p text in single quotes, for a POSIX shell or fish.
static std::string singleQuoted(llvm::StringRef text) {
  std::string result = "'";
  for (char c : text.split('\n').first)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

static std::string commandNames(const CLI::App &app) {
  std::string names;
  for (const CLI::App *sub : subcommandsOf(app))
    names += (names.empty() ? "" : " ") + sub->get_name();
  return names;
}

/// A `case` arm for what may follow \p argument, if that is known.
static std::string bashValues(const ArgumentText &argument) {
  if (argument.names.empty() || argument.value.empty())
    return "";
  std::string arm = "    " + llvm::join(argument.names, "|") + ")\n      ";
  if (!argument.choices.empty())
    arm += "COMPREPLY=($(compgen -W '" + llvm::join(argument.choices, " ") +
           "' -- \"$current\"))\n      ";
  else if (argument.isFile)
    arm += "COMPREPLY=($(compgen -f -- \"$current\"))\n      ";
  return arm + "return ;;\n";
}

std::string bashCompletion(const CLI::App &app) {
  std::string text = "# bash completion for reprise\n\n"
                     "_reprise() {\n"
                     "  local current=${COMP_WORDS[COMP_CWORD]}\n"
                     "  local previous=${COMP_WORDS[COMP_CWORD-1]}\n"
                     "  COMPREPLY=()\n"
                     "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                     "    COMPREPLY=($(compgen -W '" +
                     commandNames(app) +
                     " --help --version' -- \"$current\"))\n"
                     "    return\n"
                     "  fi\n"
                     "  local options=\n"
                     "  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App *sub : subcommandsOf(app)) {
    std::string values, names;
    for (const ArgumentText &argument : argumentsOf(*sub)) {
      values += bashValues(argument);
      for (const std::string &name : argument.names)
        names += (names.empty() ? "" : " ") + name;
    }
    text += "  " + sub->get_name() + ")\n";
    if (!values.empty())
      text += "    case $previous in\n" + values + "    esac\n";
    text += "    options='" + names + "' ;;\n";
  }
  return text + "  esac\n"
                "  if [[ $current == -* ]]; then\n"
                "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
                "  else\n"
                "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
                "  fi\n"
                "}\n\n"
                "complete -o filenames -F _reprise reprise\n";
}

/// \p text within the brackets of a zsh specification.
static std::string bracketed(llvm::StringRef text) {
  std::string result;
  for (char c : text.split('\n').first) {
    if (c == '[' || c == ']' || c == ':')
      result += '\\';
    result += c;
  }
  return result;
}

static std::string zshSpecification(const ArgumentText &argument) {
  std::string action = argument.isFile ? "_files" : "";
  if (!argument.choices.empty())
    action = "(" + llvm::join(argument.choices, " ") + ")";
  if (argument.names.empty())
    return singleQuoted(":" + argument.place + ":" + action);
  // Either name excludes the other.
  std::string text;
  if (argument.names.size() > 1)
    text = singleQuoted("(" + llvm::join(argument.names, " ") + ")") + "{" +
           llvm::join(argument.names, ",") + "}";
  else
    text = argument.names.front();
  std::string rest = "[" + bracketed(argument.help) + "]";
  if (!argument.value.empty())
    rest += ":" + argument.value + ":" + action;
  return text + singleQuoted(rest);
}

std::string zshCompletion(const CLI::App &app) {
  std::string text = "#compdef reprise\n\n"
                     "_reprise() {\n"
                     "  local -a commands=(\n";
  for (const CLI::App *sub : subcommandsOf(app))
    text += "    " +
            singleQuoted(sub->get_name() + ":" + sub->get_description()) + "\n";
  text += "  )\n"
          "  if (( CURRENT == 2 )); then\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  local command=${words[2]}\n"
          "  shift words\n"
          "  (( CURRENT-- ))\n"
          "  case $command in\n";
  for (const CLI::App *sub : subcommandsOf(app)) {
    text += "  " + sub->get_name() + ")\n    _arguments";
    for (const ArgumentText &argument : argumentsOf(*sub))
      text += " \\\n      " + zshSpecification(argument);
    text += " ;;\n";
  }
  return text + "  esac\n}\n\n_reprise \"$@\"\n";
}

static std::string fishOption(llvm::StringRef command,
                              const ArgumentText &argument) {
  std::string text =
      ("complete -c reprise -n '__fish_seen_subcommand_from " + command + "'")
          .str();
  for (llvm::StringRef name : argument.names)
    text += name.take_front(2) == "--" ? (" -l " + name.drop_front(2)).str()
                                       : (" -s " + name.drop_front(1)).str();
  if (!argument.choices.empty())
    text += " -x -a " + singleQuoted(llvm::join(argument.choices, " "));
  else if (!argument.value.empty())
    text += argument.isFile ? " -r -F" : " -x";
  return text + " -d " + singleQuoted(argument.help) + "\n";
}

std::string fishCompletion(const CLI::App &app) {
  std::string text = "# fish completion for reprise\n\n";
  for (const CLI::App *sub : subcommandsOf(app)) {
    text += "complete -c reprise -f -n __fish_use_subcommand -a " +
            sub->get_name() + " -d " + singleQuoted(sub->get_description()) +
            "\n";
    for (const ArgumentText &argument : argumentsOf(*sub))
      if (!argument.names.empty())
        text += fishOption(sub->get_name(), argument);
  }
  return text;
}

} // namespace reprise
