// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All arithmetic is on the decimal digits and exact: 60% of a peak must not
// come out a byte short because 0.6 has no binary form.

#include "reprise/io/ByteSize.h"

#include "reprise/graph/Error.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <optional>

namespace reprise {

namespace {
/// digits / 10^places, e.g. 1.5 as 15 / 10^1.
struct Decimal {
  uint64_t digits = 0;
  unsigned places = 0;
};
} // namespace

/// 10^19 is the largest power of ten in 64 bits; with it every product below
/// fits in 128 bits.
static constexpr size_t kMostDigits = 19;

int64_t ByteSize::resolve(int64_t peakBytes) const {
  if (!isShare())
    return bytes;
  unsigned __int128 share = static_cast<unsigned __int128>(numerator) *
                            static_cast<uint64_t>(peakBytes) / denominator;
  return static_cast<int64_t>(
      std::min<unsigned __int128>(share, static_cast<uint64_t>(INT64_MAX)));
}

static unsigned __int128 powerOfTen(unsigned exponent) {
  unsigned __int128 power = 1;
  while (exponent-- > 0)
    power *= 10;
  return power;
}

/// Takes a number off \p text: digits, and possibly a point and more digits.
static std::optional<Decimal> takeDecimal(llvm::StringRef &text) {
  llvm::StringRef whole = text.take_while(llvm::isDigit);
  text = text.drop_front(whole.size());
  llvm::StringRef fraction;
  if (text.consume_front(".")) {
    fraction = text.take_while(llvm::isDigit);
    text = text.drop_front(fraction.size());
    if (fraction.empty())
      return std::nullopt;
  }
  if (whole.empty())
    return std::nullopt;
  whole = whole.ltrim('0');
  fraction = fraction.rtrim('0');
  if (whole.size() + fraction.size() > kMostDigits)
    return std::nullopt;
  Decimal decimal;
  decimal.places = fraction.size();
  for (llvm::StringRef part : {whole, fraction})
    for (char c : part)
      decimal.digits = decimal.digits * 10 + static_cast<uint64_t>(c - '0');
  return decimal;
}

/// Bytes of one \p unit ("", "B", "KiB", "MB", ...), 0 for no unit of ours.
static uint64_t unitBytes(llvm::StringRef unit) {
  if (unit.empty() || unit.equals_insensitive("B"))
    return 1;
  uint64_t decimal = 1, binary = 1;
  for (char prefix : {'K', 'M', 'G', 'T', 'P'}) {
    decimal *= 1000;
    binary *= 1024;
    if (llvm::toUpper(unit.front()) != prefix)
      continue;
    if (unit.drop_front().equals_insensitive("B"))
      return decimal;
    return unit.drop_front().equals_insensitive("iB") ? binary : 0;
  }
  return 0;
}

llvm::Expected<ByteSize> parseByteSize(llvm::StringRef text) {
  auto refuse = [whole = text](llvm::StringRef why) {
    return makeInputError("'" + whole + "': " + why +
                          "; expected a size such as 8GiB, 1.5GB, 4096 "
                          "(bytes) or 60%");
  };
  if (text.empty())
    return refuse("empty");
  if (text.front() == '-')
    return refuse("negative");
  std::optional<Decimal> number = takeDecimal(text);
  if (!number)
    return refuse("not a number that can be read exactly");
  if (text == "%")
    return ByteSize::ofShare(number->digits, 100 * powerOfTen(number->places));
  text.consume_front(" ");
  uint64_t unit = unitBytes(text);
  if (unit == 0)
    return refuse("unknown unit");
  if (unit == 1 && number->places > 0)
    return refuse("not a whole number of bytes");
  unsigned __int128 bytes = static_cast<unsigned __int128>(number->digits) *
                            unit / powerOfTen(number->places);
  if (bytes > static_cast<uint64_t>(INT64_MAX))
    return refuse("more than 2^63-1 bytes");
  return ByteSize::ofBytes(static_cast<int64_t>(bytes));
}

std::string formatBytes(int64_t bytes) {
  if (bytes < 0)
    return std::string("-").append(
        formatBytes(bytes == INT64_MIN ? INT64_MAX : -bytes));
  if (bytes < 1024)
    return std::to_string(bytes) + " B";
  const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  unsigned __int128 unit = 1024, hundredths = 0;
  size_t at = 0;
  // Rounding can reach 1024.00 of a unit: then it is 1.00 of the next.
  for (;; ++at, unit *= 1024) {
    hundredths =
        (static_cast<unsigned __int128>(bytes) * 100 + unit / 2) / unit;
    if (hundredths < 102400 || at + 1 == std::size(units))
      break;
  }
  auto value = static_cast<uint64_t>(hundredths);
  std::string cents = std::to_string(value % 100);
  return std::to_string(value / 100) + (cents.size() == 1 ? ".0" : ".") +
         cents + " " + units[at];
}

} // namespace reprise
