// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is counted. A Buffer is one storage of the memory model. Every
// tensor on it holds a reference: the last one that lets go gives the bytes
// back, which is all that views and in-place sums need.

#ifndef REPRISE_EXAMPLES_RUNTIME_MEMORY_H
#define REPRISE_EXAMPLES_RUNTIME_MEMORY_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace example {

class Memory {
public:
  using Buffer = std::shared_ptr<std::byte>;

  /// All bits set, which are NaNs: who reads what nobody wrote, or what was
  /// given back, spoils its results.
  static constexpr int kPoison = 0xff;

  Buffer allocate(size_t bytes) {
    inUse += bytes;
    peak = std::max(peak, inUse);
    auto *data = new std::byte[bytes];
    std::memset(data, kPoison, bytes);
    return Buffer(data, [this, bytes](std::byte *freed) {
      inUse -= bytes;
      std::memset(freed, kPoison, bytes);
      delete[] freed;
    });
  }

  size_t bytesInUse() const { return inUse; }
  /// The high-water mark.
  size_t peakBytes() const { return peak; }

private:
  size_t inUse = 0, peak = 0;
};

} // namespace example

#endif // REPRISE_EXAMPLES_RUNTIME_MEMORY_H
