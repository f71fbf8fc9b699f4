// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the command speaks to people: messages, figures, progress, Ctrl-C. All
// of it goes to the standard error; the standard output is for results.

#ifndef REPRISE_TOOLS_CONSOLE_H
#define REPRISE_TOOLS_CONSOLE_H

#include "reprise/planner/Objective.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace reprise {

/// Exit codes of the command, in the words of the help text.
enum ExitCode : int {
  kExitYes = 0,        ///< planned within the budget, or valid
  kExitNo = 1,         ///< a sound no: infeasible, or an invalid schedule
  kExitError = 2,      ///< usage, input or I/O
  kExitInterrupted = 3 ///< Ctrl-C: the best plan so far was written, if any
};

/// "reprise: error: TEXT" on the standard error, in colour on a terminal
/// unless NO_COLOR is set.
void printError(const llvm::Twine &text);
/// "reprise: warning: TEXT".
void printWarning(const llvm::Twine &text);
/// "reprise: note: TEXT".
void printNote(const llvm::Twine &text);
/// Prints every error of \p error on a line of its own.
void printErrors(llvm::Error error);

/// Puts \p prefix in front of the text of every InputError in \p error.
llvm::Error prefixError(llvm::StringRef prefix, llvm::Error error);

/// Flushes the standard output. Fails with an InputError when anything that
/// was written to it got lost (a full disk, a closed pipe).
llvm::Error finishOutput();
/// The same for the standard error, where that carries more than messages.
llvm::Error finishErrorOutput();

/// "12.4 TFLOP" or "1.25 ms".
std::string formatCost(double cost, Objective objective);
/// "+12.3%" of \p cost over \p base; "+0%" where both are 0.
std::string formatExcess(double cost, double base);

/// While it lives: after a second, a line on the standard error that says what
/// takes so long; erased at the end. Silent unless that is a terminal.
class Progress {
public:
  explicit Progress(std::string activity);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  void show();

  std::string activity;
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  std::thread thread;
};

/// Sees to it that the process has its three standard streams: a file that it
/// opens must not become one of them.
void openStandardStreams();

/// From now on SIGTERM and SIGHUP end the process with one line of error and
/// exit code 2, and Ctrl-C by its signal; no half-written file is left.
void installTerminationHandlers();

/// While it lives: the first Ctrl-C sets flag() and says so, the second ends
/// the process.
class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

  const std::atomic<bool> &flag() const;
};

} // namespace reprise

#endif // REPRISE_TOOLS_CONSOLE_H
