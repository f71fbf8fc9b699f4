// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The faults that a check finds, private to io/.

#ifndef REPRISE_IO_FINDINGS_H
#define REPRISE_IO_FINDINGS_H

#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace reprise {

/// A list of messages, one line each, that stops growing: a schedule for
/// another graph can have a fault in every step.
class Findings {
public:
  void add(const llvm::Twine &message) {
    if (messages.size() < kMost)
      messages.push_back(message.str());
    else
      ++suppressed;
  }
  bool empty() const { return messages.empty(); }
  /// The messages, and last how many more there were.
  std::vector<std::string> take();

private:
  static constexpr size_t kMost = 40;
  std::vector<std::string> messages;
  size_t suppressed = 0;
};

} // namespace reprise

#endif // REPRISE_IO_FINDINGS_H
