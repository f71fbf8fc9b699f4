// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading files, and the bytes that are no UTF-8.

#include "reprise/io/InputFile.h"
#include "reprise/io/Utf8.h"

#include "support/TemporaryFolder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <thread>

using namespace reprise;

/// The bytes of \p path, or the error in brackets.
static std::string read(const std::string &path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = openInput(path);
  if (!buffer)
    return "[" + llvm::toString(buffer.takeError()) + "]";
  CHECK((*buffer)->getBufferIdentifier() == path);
  return (*buffer)->getBuffer().str();
}

TEST_CASE("InputFile: every byte of a file arrives") {
  TemporaryFolder folder;
  for (size_t size : {0, 1, 65535, 65536, 65537, 1000000}) {
    std::string text(size, '\0');
    for (size_t i = 0; i < size; ++i)
      text[i] = static_cast<char>(i * 7);
    writeText(folder.path("file"), text);
    CHECK(read(folder.path("file")) == text);
  }
}

TEST_CASE("InputFile: a pipe is read to its end") {
  TemporaryFolder folder;
  std::string pipe = folder.path("pipe"), text(300000, 'x');
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { writeText(pipe, text); });
  CHECK(read(pipe) == text);
  writer.join();
}

TEST_CASE("InputFile: what is no file is an error with its name") {
  TemporaryFolder folder;
  std::string missing = folder.path("missing");
  CHECK(read(missing) ==
        "[" + missing + ": cannot read: No such file or directory]");
  std::string path = folder.path("");
  CHECK(read(path) == "[" + path + ": cannot read: Is a directory]");
}

TEST_CASE("Utf8: only whole characters are UTF-8") {
  for (const char *good : {"", "a", "\xc3\xa9", "\xe2\x82\xac",
                           "\xf0\x9f\x98"
                           "\x80"}) {
    CHECK(isUtf8(good));
    CHECK(fixUtf8(good) == good);
  }
  // Cut off, a lone continuation, overlong, a surrogate, beyond U+10FFFF.
  for (const char *bad : {"\xc3", "\xa9", "\xc0\x80", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xff"}) {
    CHECK_FALSE(isUtf8(bad));
    CHECK(isUtf8(fixUtf8(bad)));
  }
  CHECK(fixUtf8("a\xff"
                "b\xc3") == "a\xef\xbf\xbd"
                            "b\xef\xbf\xbd");
}
