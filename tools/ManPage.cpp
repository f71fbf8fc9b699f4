// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/CommandLineText.h"

#include "reprise/Version.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace reprise {

/// \p text for roff: no line of it is a request, and no character of it an
/// escape or a typographic hyphen.
static std::string escaped(llvm::StringRef text) {
  std::string roff;
  bool atStart = true;
  for (char c : text) {
    if (atStart && (c == '.' || c == '\''))
      roff += "\\&";
    if (c == '\\')
      roff += "\\e";
    else if (c == '-')
      roff += "\\-";
    else
      roff += c;
    atStart = c == '\n';
  }
  return roff;
}

static std::string bold(llvm::StringRef text) {
  return "\\fB" + escaped(text) + "\\fR";
}

static std::string italic(llvm::StringRef text) {
  return "\\fI" + escaped(text) + "\\fR";
}

/// The lines of \p text; the first is a sentence, the others stand alone.
static std::string paragraph(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 8> lines;
  text.split(lines, '\n');
  std::string roff = escaped(lines.front()) + "\n";
  for (llvm::StringRef line : llvm::drop_begin(lines))
    roff += ".br\n" + escaped(line.trim()) + "\n";
  return roff;
}

static std::string describe(const ArgumentText &argument) {
  std::string roff = ".TP\n";
  if (argument.names.empty())
    roff += italic(argument.place);
  for (size_t i = 0; i < argument.names.size(); ++i)
    roff += (i > 0 ? ", " : "") + bold(argument.names[i]);
  if (!argument.value.empty() && !argument.names.empty())
    roff += " " + italic(argument.value);
  roff += "\n" + paragraph(argument.help);
  if (!argument.choices.empty() && argument.value != "STRATEGY")
    roff +=
        ".br\nOne of " + escaped(llvm::join(argument.choices, ", ")) + ".\n";
  if (!argument.defaultValue.empty())
    roff += ".br\nDefault: " + escaped(argument.defaultValue) + ".\n";
  return roff;
}

static std::string synopsis(const CLI::App &app, const CLI::App &sub) {
  std::string roff = bold(app.get_name() + " " + sub.get_name());
  roff += " [" + italic("OPTION") + "]...";
  for (const ArgumentText &argument : argumentsOf(sub))
    if (argument.names.empty())
      roff += " " + italic(argument.place);
  return roff + "\n";
}

/// "Examples:" and the like become headings, their lines are kept as they are.
static std::string footer(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 16> lines;
  text.trim('\n').split(lines, '\n');
  std::string roff;
  for (llvm::StringRef line : lines) {
    if (line.take_back() == ":")
      roff += ".SH " + line.drop_back().upper() + "\n";
    else if (!line.empty())
      roff += escaped(line.ltrim()) + "\n.br\n";
  }
  return roff;
}

std::string manPage(const CLI::App &app) {
  std::string name = app.get_name();
  std::string roff = ".TH " + llvm::StringRef(name).upper() + " 1 \"\" \"" +
                     name + " " REPRISE_VERSION "\"\n";
  roff += ".SH NAME\n" + name +
          " \\- plan recomputation for training within "
          "a memory budget\n.SH SYNOPSIS\n";
  for (const CLI::App *sub : subcommandsOf(app))
    roff += synopsis(app, *sub) + ".br\n";
  roff += ".SH DESCRIPTION\n" + paragraph(app.get_description());
  for (const CLI::App *sub : subcommandsOf(app)) {
    roff += ".SH " + llvm::StringRef(name + " " + sub->get_name()).upper() +
            "\n" + paragraph(sub->get_description());
    for (const ArgumentText &argument : argumentsOf(*sub))
      roff += describe(argument);
  }
  return roff + footer(app.get_footer());
}

} // namespace reprise
