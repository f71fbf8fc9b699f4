// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command: arguments in, exit code out. Parsing is here, work is in the
// *Command files.

#include "reprise/Version.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"

#include "llvm/Config/llvm-config.h"

#include <csignal>
#include <sstream>

using namespace reprise;

static constexpr const char *kFooter = R"(
Examples:
  reprise plan examples/resnet50.json -b 50% -o schedule.json
  reprise check examples/resnet50.json schedule.json

Exit codes:
  0  planned within the budget; the schedule is valid
  1  no plan fits the budget; the schedule is not valid
  2  wrong usage, a faulty input file, a failed read or write
  3  interrupted (Ctrl-C); the best plan found by then, if any, was written
)";

// CLI11 misses a subcommand where a wrong one was given.
static std::string usageMessage(const CLI::App &app,
                                const CLI::ParseError &error) {
  std::vector<std::string> extra = app.remaining();
  std::string text = error.what();
  if (app.get_subcommands().empty() && !extra.empty())
    text = "unknown command or option '" + extra.front() + "'";
  return text + "; reprise --help shows what there is";
}

static int run(int argc, char **argv) {
  CLI::App app("Plans recomputation: trains in less memory for a little more "
               "work.",
               "reprise");
  app.set_version_flag("--version", "reprise " REPRISE_VERSION
                                    " (LLVM " LLVM_VERSION_STRING ")");
  app.require_subcommand(1);
  app.footer(kFooter);
  Command command;
  addPlanCommand(app, command);
  addCheckCommand(app, command);
  addExplainCommand(app, command);
  addCompareCommand(app, command);
  addReportCommand(app, command);
  addCurveCommand(app, command);
  addInfoCommand(app, command);
  addImportCommand(app, command);
  addAllocCommand(app, command);
  addGenerateCommand(app, command);
  for (CLI::App *subcommand : app.get_subcommands({}))
    subcommand->footer(kFooter);

  llvm::Expected<int> code = kExitYes;
  try {
    app.parse(argc, argv);
    code = command();
  } catch (const CLI::ParseError &error) {
    std::ostringstream text;
    if (app.exit(error, text, text) != 0) {
      printError(usageMessage(app, error));
      return kExitError;
    }
    llvm::outs() << text.str();
    if (llvm::Error e = finishOutput())
      code = std::move(e);
  }
  if (code)
    return *code;
  printErrors(code.takeError());
  return kExitError;
}

int main(int argc, char **argv) {
  openStandardStreams();
  // A reader that went away shows as a failed write, which is told and fails,
  // rather than as a silent death with half a schedule written.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // the limit on a file's size, likewise
  installTerminationHandlers();
  int code = kExitError;
  try {
    code = run(argc, argv);
  } catch (const std::exception &error) {
    printError(error.what());
  }
  // What could not be told on the standard error cannot be told at all; left
  // set, it would abort in the stream's destructor.
  llvm::errs().clear_error();
  return code;
}
