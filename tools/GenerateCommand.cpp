// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/CommandLineText.h"
#include "reprise/tools/Commands.h"
#include "reprise/tools/Console.h"

namespace reprise {

namespace {
struct GeneratedText {
  const char *name;
  std::string (*write)(const CLI::App &app);
};
} // namespace

static constexpr GeneratedText kTexts[] = {{"man", manPage},
                                           {"bash", bashCompletion},
                                           {"zsh", zshCompletion},
                                           {"fish", fishCompletion}};

void addGenerateCommand(CLI::App &app, Command &chosen) {
  CLI::App &command = *app.add_subcommand(
      "generate", "Write the manual page or a shell's completions");
  auto name = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const GeneratedText &text : kTexts)
    names.push_back(text.name);
  command
      .add_option("WHAT", *name,
                  "man, or completions for a shell: bash, "
                  "zsh, fish")
      ->type_name("")
      ->check(CLI::IsMember(names))
      ->required();
  command.callback([&app, &chosen, name] {
    chosen = [&app, name]() -> llvm::Expected<int> {
      for (const GeneratedText &text : kTexts)
        if (*name == text.name)
          llvm::outs() << text.write(app);
      if (llvm::Error e = finishOutput())
        return e;
      return kExitYes;
    };
  });
}

} // namespace reprise
