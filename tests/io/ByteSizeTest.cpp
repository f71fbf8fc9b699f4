// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/ByteSize.h"

#include <doctest/doctest.h>

using namespace reprise;

/// The bytes that \p text means for a peak; -1 where it is refused.
static int64_t parsed(llvm::StringRef text, int64_t peakBytes = 0) {
  llvm::Expected<ByteSize> size = parseByteSize(text);
  if (!size) {
    llvm::consumeError(size.takeError());
    return -1;
  }
  return size->resolve(peakBytes);
}

TEST_CASE("ByteSize: units are binary with an i and decimal without") {
  CHECK(parsed("4096") == 4096);
  CHECK(parsed("0") == 0);
  CHECK(parsed("7B") == 7);
  CHECK(parsed("8GiB") == 8589934592);
  CHECK(parsed("8GB") == 8000000000);
  CHECK(parsed("512KiB") == 524288);
  CHECK(parsed("512kib") == 524288);
  CHECK(parsed("1.5GiB") == 1610612736); // 3/2 * 2^30
  CHECK(parsed("1.5 GiB") == 1610612736);
  CHECK(parsed("2TiB") == 2199023255552);
  CHECK(parsed("9223372036854775807") == INT64_MAX);
}

TEST_CASE("ByteSize: a fraction of a byte is dropped where there is a unit") {
  CHECK(parsed("0.3KiB") == 307); // 307.2
  CHECK(parsed("1.0KB") == 1000);
  CHECK(parsed("1.5") == -1);
  CHECK(parsed("2.0") == 2);
}

TEST_CASE("ByteSize: a percentage of a peak is rounded down exactly") {
  CHECK(parsed("60%", 1000) == 600);
  CHECK(parsed("62.5%", 1000) == 625);
  CHECK(parsed("62.5%", 999) == 624); // 624.375
  CHECK(parsed("100%", INT64_MAX) == INT64_MAX);
  CHECK(parsed("200%", INT64_MAX) == INT64_MAX);
  CHECK(parsed("0%", 1000) == 0);
  // 0.07 * 100 is 7.000000000000001 in doubles and 0.29 * 100 is 28.999...
  for (int64_t percent = 1; percent <= 100; ++percent)
    CHECK(parsed(std::to_string(percent) + "%", 100) == percent);
  // 2^53 + 1 has no double.
  CHECK(parsed("100.0%", 9007199254740993) == 9007199254740993);
  CHECK(parsed("33.3333333333333333%", 3000000000000000000) ==
        999999999999999999); // 3e18 * 0.333333333333333333, exactly
}

TEST_CASE("ByteSize: a percentage says that it is one") {
  CHECK(parseByteSize("60%")->isShare());
  CHECK_FALSE(parseByteSize("60")->isShare());
}

TEST_CASE("ByteSize: everything else is refused and the forms are told") {
  for (const char *text : {"",
                           " ",
                           "-1",
                           "-1GiB",
                           "nan",
                           "NaN",
                           "inf",
                           "1e400",
                           "1e3",
                           "0x10",
                           "GiB",
                           "%",
                           ".5GiB",
                           "5.GiB",
                           "8G",
                           "8Gi",
                           "8XiB",
                           "8GiBs",
                           "60%%",
                           "60 %x",
                           "1,5GiB",
                           "9223372036854775808",
                           "8388608PiB",
                           "10000000000PB",
                           "99999999999999999999999999",
                           "1.23456789012345678901GiB",
                           "+4"}) {
    CAPTURE(text);
    llvm::Expected<ByteSize> size = parseByteSize(text);
    REQUIRE_FALSE(static_cast<bool>(size));
    std::string message = llvm::toString(size.takeError());
    CHECK(message.find("expected a size such as 8GiB") != std::string::npos);
  }
}

TEST_CASE("ByteSize: sizes are shown in the largest unit that they reach") {
  CHECK(formatBytes(0) == "0 B");
  CHECK(formatBytes(1023) == "1023 B");
  CHECK(formatBytes(1024) == "1.00 KiB");
  CHECK(formatBytes(1449551462) == "1.35 GiB"); // 1.35 * 2^30 = 1449551462.4
  CHECK(formatBytes(1048575) == "1.00 MiB");    // would be 1024.00 KiB
  CHECK(formatBytes(INT64_MAX) == "8.00 EiB");
  CHECK(formatBytes(-2048) == "-2.00 KiB");
}
