// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/OutputFile.h"

#include "support/TemporaryFolder.h"

#include <doctest/doctest.h>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace reprise;

static std::string message(llvm::Error error) {
  return llvm::toString(std::move(error));
}

static mode_t modeOf(const std::string &path) {
  struct stat status = {};
  stat(path.c_str(), &status);
  return status.st_mode & 07777;
}

TEST_CASE("OutputFile: a new file has the text and the umask's permissions") {
  TemporaryFolder folder;
  mode_t old = umask(027);
  std::string text("a\0b\n", 4);
  CHECK(message(writeOutput(folder.path("out"), text)).empty());
  umask(old);
  CHECK(readText(folder.path("out")) == text);
  CHECK(modeOf(folder.path("out")) == 0640);
  CHECK(folder.numFiles() == 1); // no temporary is left
}

TEST_CASE(
    "OutputFile: an existing file is replaced and keeps its permissions") {
  TemporaryFolder folder;
  writeText(folder.path("out"), "a much longer old text");
  chmod(folder.path("out").c_str(), 0604);
  CHECK(message(writeOutput(folder.path("out"), "new")).empty());
  CHECK(readText(folder.path("out")) == "new");
  CHECK(modeOf(folder.path("out")) == 0604);
}

TEST_CASE("OutputFile: a link stays a link and its target is written") {
  TemporaryFolder folder;
  writeText(folder.path("target"), "old");
  std::filesystem::create_symlink("target", folder.path("link"));
  std::filesystem::create_symlink("missing", folder.path("dangling"));
  CHECK(message(writeOutput(folder.path("link"), "new")).empty());
  CHECK(message(writeOutput(folder.path("dangling"), "made")).empty());
  CHECK(std::filesystem::is_symlink(folder.path("link")));
  CHECK(readText(folder.path("target")) == "new");
  CHECK(readText(folder.path("missing")) == "made");
}

TEST_CASE("OutputFile: what cannot be written is an error with the path") {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("folder"));
  for (std::string path : {folder.path("none/out"), folder.path("folder"),
                           std::string(), folder.path("folder/")}) {
    CAPTURE(path);
    std::string early = message(checkWritable(path));
    std::string late = message(writeOutput(path, "text"));
    CHECK(early.find("cannot write") != std::string::npos);
    CHECK(late.find("cannot write") != std::string::npos);
    CHECK(late.find(path) != std::string::npos);
  }
  CHECK(folder.numFiles() == 1);
}

TEST_CASE("OutputFile: a full device is an error") {
  if (!std::filesystem::exists("/dev/full"))
    return;
  CHECK(message(checkWritable("/dev/full")).empty());
  CHECK(message(writeOutput("/dev/full", "text")) ==
        "/dev/full: cannot write: No space left on device");
}

TEST_CASE("OutputFile: devices are written to and not replaced") {
  CHECK(message(checkWritable("/dev/null")).empty());
  CHECK(message(writeOutput("/dev/null", "text")).empty());
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("OutputFile: a failure leaves the existing file as it was") {
  TemporaryFolder folder;
  std::string path = folder.path("out");
  writeText(path, "old");
  // A limit on the size of files stands in for a full disk.
  auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old = {}, small = {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  small = old;
  small.rlim_cur = 1000;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string text = message(writeOutput(path, std::string(5000, 'x')));
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, oldHandler);
  CHECK(text == path + ": cannot write: File too large");
  CHECK(folder.numFiles() == 1);
  CHECK(readText(path) == "old");
}

TEST_CASE("OutputFile: a closed pipe is an error for who ignores SIGPIPE") {
  auto oldHandler = std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  std::string path = "/dev/fd/" + std::to_string(ends[1]);
  std::string text = message(writeOutput(path, "text"));
  CHECK(text.find(path + ": cannot write: ") == 0);
  close(ends[1]);
  std::signal(SIGPIPE, oldHandler);
}

TEST_CASE("OutputFile: an open file is appended to under its /dev/fd name") {
  TemporaryFolder folder;
  writeText(folder.path("out"), "head ");
  int fd = open(folder.path("out").c_str(), O_WRONLY | O_APPEND);
  REQUIRE(fd >= 0);
  std::string path = "/dev/fd/" + std::to_string(fd);
  CHECK(message(checkWritable(path)).empty());
  CHECK(message(writeOutput(path, "tail")).empty());
  close(fd);
  CHECK(readText(folder.path("out")) == "head tail");
}
