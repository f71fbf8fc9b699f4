// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes as people write them: 8GiB, 1.5GB, 4096, 60%.

#ifndef REPRISE_IO_BYTESIZE_H
#define REPRISE_IO_BYTESIZE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace reprise {

/// A number of bytes, or a share of a peak that is not known yet.
class ByteSize {
public:
  static ByteSize ofBytes(int64_t bytes) { return ByteSize(bytes, 0, 0); }
  /// \p numerator / \p denominator of the peak.
  static ByteSize ofShare(uint64_t numerator, unsigned __int128 denominator) {
    return ByteSize(0, numerator, denominator);
  }

  /// Was it written as a percentage?
  bool isShare() const { return denominator != 0; }
  /// The bytes, given the peak that a percentage refers to: rounded down, in
  /// exact arithmetic; at most 2^63-1.
  int64_t resolve(int64_t peakBytes) const;

private:
  ByteSize(int64_t bytes, uint64_t numerator, unsigned __int128 denominator)
      : bytes(bytes), numerator(numerator), denominator(denominator) {}

  int64_t bytes;
  uint64_t numerator;
  unsigned __int128 denominator; ///< 0: not a share
};

/// Reads `4096`, `8GiB`, `1.5GiB`, `8GB` (10^9 bytes each), `512KiB` or
/// `62.5%`; a fraction of a byte is dropped where there is a unit. Fails with
/// an InputError that says the forms.
llvm::Expected<ByteSize> parseByteSize(llvm::StringRef text);

/// `1.35 GiB`; `512 B` below 1 KiB.
std::string formatBytes(int64_t bytes);

} // namespace reprise

#endif // REPRISE_IO_BYTESIZE_H
