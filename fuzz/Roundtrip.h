// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must hold for whatever a fuzzer makes of a file. A broken promise ends
// the process, which is how a fuzzer notices.

#ifndef REPRISE_FUZZ_ROUNDTRIP_H
#define REPRISE_FUZZ_ROUNDTRIP_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdint>
#include <cstdlib>

namespace reprise {

/// Ends the process unless \p holds.
inline void promise(bool holds, const llvm::Twine &what) {
  if (holds)
    return;
  llvm::errs() << "broken promise: " << what << '\n';
  std::abort();
}

/// An error must be one line of text.
inline void promiseOneLine(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  promise(!text.empty() && text.find('\n') == std::string::npos,
          "an error of one line, got: " + text);
}

inline llvm::MemoryBufferRef bufferOf(const uint8_t *data, size_t size) {
  // The first character of nothing must not be a null pointer's.
  return {
      llvm::StringRef(size ? reinterpret_cast<const char *>(data) : "", size),
      "input"};
}

} // namespace reprise

#endif // REPRISE_FUZZ_ROUNDTRIP_H
