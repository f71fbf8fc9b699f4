// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/Console.h"

#include "reprise/graph/Error.h"
#include "reprise/io/OutputFile.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/WithColor.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include <fcntl.h>
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

static llvm::Error finishStream(llvm::raw_fd_ostream &stream,
                                llvm::StringRef name) {
  stream.flush();
  if (!stream.has_error())
    return llvm::Error::success();
  std::string reason = stream.error().message();
  // An error that is left set ends the process in the stream's destructor.
  stream.clear_error();
  return llvm::make_error<InputError>(
      name.str(), llvm::formatv("cannot write: {0}", reason).str());
}

llvm::Error finishOutput() { return finishStream(llvm::outs(), "<stdout>"); }

llvm::Error finishErrorOutput() {
  return finishStream(llvm::errs(), "<stderr>");
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

// Signals. The handlers do only what POSIX allows in them.

static std::atomic<bool> interrupted{false};

static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");

template <size_t N> static void writeText(const char (&text)[N]) {
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, text, N - 1);
}

static void setHandler(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

/// A command started in the background by a script has Ctrl-C ignored, and one
/// started by nohup SIGHUP: that stays so.
static bool isIgnored(int signal) {
  struct sigaction action = {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

static void endByTermination(int) {
  removeUnfinishedOutput();
  writeText("reprise: error: ended by a signal\n");
  ::_exit(kExitError);
}

/// Ends by the signal itself, which shells want to see.
static void endByInterrupt(int signal) {
  removeUnfinishedOutput();
  setHandler(signal, SIG_DFL);
  ::raise(signal);
}

static void handleInterrupt(int signal) {
  int oldErrno = errno;
  interrupted.store(true);
  setHandler(signal, endByInterrupt);
  writeText("\nreprise: stopping; Ctrl-C again to give up at once\n");
  errno = oldErrno;
}

void openStandardStreams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1)
      continue;
    // In the wrong direction, so that use of it fails as use of a closed one.
    [[maybe_unused]] int opened =
        open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void installTerminationHandlers() {
  for (int signal : {SIGTERM, SIGHUP})
    if (!isIgnored(signal))
      setHandler(signal, endByTermination);
  if (!isIgnored(SIGINT))
    setHandler(SIGINT, endByInterrupt);
}

InterruptGuard::InterruptGuard() {
  if (!isIgnored(SIGINT))
    setHandler(SIGINT, handleInterrupt);
}

InterruptGuard::~InterruptGuard() {
  if (!isIgnored(SIGINT))
    setHandler(SIGINT, endByInterrupt);
}

const std::atomic<bool> &InterruptGuard::flag() const { return interrupted; }

} // namespace reprise
