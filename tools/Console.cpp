// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/Console.h"

#include "reprise/graph/Error.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include <unistd.h>

namespace reprise {

// Messages.

// NO_COLOR counts when it is set and not empty (no-color.org).
static llvm::ColorMode colorMode() {
  const char *noColor = std::getenv("NO_COLOR");
  if (noColor && *noColor)
    return llvm::ColorMode::Disable;
  return llvm::errs().is_displayed() ? llvm::ColorMode::Enable
                                     : llvm::ColorMode::Disable;
}

static void printMessage(llvm::HighlightColor color, llvm::StringRef kind,
                         const llvm::Twine &text) {
  llvm::errs() << "reprise: ";
  llvm::WithColor(llvm::errs(), color, colorMode()) << kind << ": ";
  llvm::errs() << text << '\n';
}

void printError(const llvm::Twine &text) {
  printMessage(llvm::HighlightColor::Error, "error", text);
}

void printWarning(const llvm::Twine &text) {
  printMessage(llvm::HighlightColor::Warning, "warning", text);
}

void printNote(const llvm::Twine &text) {
  printMessage(llvm::HighlightColor::Note, "note", text);
}

void printErrors(llvm::Error error) {
  llvm::handleAllErrors(std::move(error), [](const llvm::ErrorInfoBase &info) {
    printError(info.message());
  });
}

llvm::Error prefixError(llvm::StringRef prefix, llvm::Error error) {
  return llvm::handleErrors(
      std::move(error), [&](const InputError &inner) -> llvm::Error {
        return llvm::make_error<InputError>(inner.getFile(),
                                            (prefix + inner.getText()).str());
      });
}

llvm::Error finishOutput() {
  llvm::raw_fd_ostream &out = llvm::outs();
  out.flush();
  if (!out.has_error())
    return llvm::Error::success();
  std::string reason = out.error().message();
  // An error that is left set ends the process in the stream's destructor.
  out.clear_error();
  return llvm::make_error<InputError>(
      "<stdout>", llvm::formatv("cannot write: {0}", reason).str());
}

// Figures.

std::string formatCost(double cost, Objective objective) {
  struct Unit {
    double scale;
    const char *name;
  };
  static constexpr std::array<Unit, 6> kFlopUnits = {{{1e18, "EFLOP"},
                                                      {1e15, "PFLOP"},
                                                      {1e12, "TFLOP"},
                                                      {1e9, "GFLOP"},
                                                      {1e6, "MFLOP"},
                                                      {1, "FLOP"}}};
  static constexpr std::array<Unit, 4> kTimeUnits = {
      {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  llvm::ArrayRef<Unit> units = kTimeUnits;
  if (objective == Objective::Flops)
    units = kFlopUnits;
  const Unit *unit = units.begin();
  while (unit + 1 != units.end() && cost < unit->scale)
    ++unit;
  if (cost == 0)
    unit = objective == Objective::Flops ? units.end() - 1 : units.begin();
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.6g %s", cost / unit->scale,
                unit->name);
  return text.data();
}

std::string formatExcess(double cost, double base) {
  if (cost <= base)
    return "+0%";
  if (base <= 0)
    return "+inf%";
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "+%.3g%%",
                (cost - base) / base * 100);
  return text.data();
}

// Progress.

Progress::Progress(std::string activity) : activity(std::move(activity)) {
  if (llvm::errs().is_displayed())
    thread = std::thread(&Progress::show, this);
}

Progress::~Progress() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
  }
  wake.notify_one();
  thread.join();
}

void Progress::show() {
  std::unique_lock<std::mutex> lock(mutex);
  unsigned seconds = 0;
  while (!wake.wait_for(lock, std::chrono::seconds(1), [&] { return done; }))
    llvm::errs() << '\r' << activity << ": " << ++seconds
                 << " s (Ctrl-C: best plan so far)";
  // Erases the line: back to its start, then everything right of the cursor.
  if (seconds > 0)
    llvm::errs() << "\r\x1b[K";
}

// Ctrl-C.

static std::atomic<bool> interrupted{false};
static struct sigaction oldAction;

static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");

// Only what POSIX allows in a handler.
static void handleInterrupt(int) {
  static constexpr char kText[] =
      "\nreprise: stopping; Ctrl-C again to give up at once\n";
  int oldErrno = errno;
  interrupted.store(true);
  [[maybe_unused]] ssize_t written =
      ::write(STDERR_FILENO, kText, sizeof(kText) - 1);
  errno = oldErrno;
}

InterruptGuard::InterruptGuard() {
  struct sigaction action = {};
  action.sa_handler = handleInterrupt;
  // The first one puts the default back, so the second one kills.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  // A command started in the background by a script has Ctrl-C ignored.
  sigaction(SIGINT, nullptr, &oldAction);
  if (oldAction.sa_handler != SIG_IGN)
    sigaction(SIGINT, &action, nullptr);
}

InterruptGuard::~InterruptGuard() { sigaction(SIGINT, &oldAction, nullptr); }

const std::atomic<bool> &InterruptGuard::flag() const { return interrupted; }

} // namespace reprise
