// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A regular file is written under a temporary name in its own folder (a rename
// works only within one file system) and then renamed over the target.

#include "reprise/io/OutputFile.h"

#include "reprise/graph/Error.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace reprise {

namespace {
/// Where a path leads to.
struct Target {
  std::string path; ///< symbolic links followed
  bool exists = false;
  bool isDirect = false; ///< not a regular file: write to it as it is
  struct stat status = {};
};
} // namespace

static llvm::Error failed(llvm::StringRef path, int code) {
  return inFile(
      path == "-" ? "<stdout>" : path,
      makeInputError(llvm::Twine("cannot write: ") + std::strerror(code)));
}

/// Is \p path a name of one of the process's open files?
static bool namesOpenFile(llvm::StringRef path) {
  return path == "/dev/stdout" || path == "/dev/stderr" ||
         path.take_front(8) == "/dev/fd/" ||
         (path.take_front(6) == "/proc/" && path.contains("/fd/"));
}

static llvm::Expected<Target> findTarget(llvm::StringRef path) {
  Target target;
  target.path = path.str();
  if (path.empty())
    return inFile("''", makeInputError("cannot write: the path is empty"));
  if (stat(target.path.c_str(), &target.status) == 0) {
    target.exists = true;
    if (S_ISDIR(target.status.st_mode))
      return failed(path, EISDIR);
    target.isDirect =
        !S_ISREG(target.status.st_mode) || namesOpenFile(target.path);
  } else if (errno != ENOENT) {
    return failed(path, errno);
  }
  if (target.isDirect)
    return target;
  // Replace the file that a link leads to, not the link.
  std::error_code noLink;
  constexpr int mostLinks = 40; // as the kernel's own limit
  for (int i = 0; i < mostLinks; ++i) {
    std::filesystem::path at(target.path);
    std::filesystem::path next = std::filesystem::read_symlink(at, noLink);
    if (noLink)
      break;
    target.path = (at.parent_path() / next).string();
  }
  return target;
}

static std::string folderOf(const std::string &path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Writes all of \p text; 0 or an errno.
static int writeAll(int fd, llvm::StringRef text) {
  while (!text.empty()) {
    ssize_t count = write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    text = text.drop_front(static_cast<size_t>(count));
  }
  return 0;
}

static llvm::Error writeDirectly(const Target &target, llvm::StringRef text) {
  // Appending leaves alone what a redirected output holds already.
  int fd = open(target.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0)
    return failed(target.path, errno);
  int code = writeAll(fd, text);
  if (close(fd) != 0 && code == 0)
    code = errno;
  return code ? failed(target.path, code) : llvm::Error::success();
}

/// The name of the temporary file that is being written; the flag says whether
/// there is one. Plain memory, for signal handlers.
static std::array<char, PATH_MAX> unfinishedName;
static std::atomic<bool> isUnfinished{false};

static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");

/// One file at a time: another thread's write goes unprotected.
static bool protectFromSignals(const std::string &name) {
  if (name.size() >= unfinishedName.size() || isUnfinished)
    return false;
  std::memcpy(unfinishedName.data(), name.c_str(), name.size() + 1);
  isUnfinished = true;
  return true;
}

void removeUnfinishedOutput() {
  if (isUnfinished)
    unlink(unfinishedName.data());
}

/// Creates a file of its own in \p folder, with the permissions that the
/// umask leaves; -1 and errno where that fails.
static int createTemporary(const std::string &folder, std::string &name) {
  constexpr int attempts = 1000;
  for (int i = 0; i < attempts; ++i) {
    name = folder + "/.reprise-" + std::to_string(getpid()) + "-" +
           std::to_string(i) + ".tmp";
    int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0 || errno != EEXIST)
      return fd;
  }
  return -1;
}

static llvm::Error replaceFile(const Target &target, llvm::StringRef text,
                               llvm::StringRef path) {
  if (target.exists && access(target.path.c_str(), W_OK) != 0)
    return failed(path, errno);
  std::string temporary;
  int fd = createTemporary(folderOf(target.path), temporary);
  if (fd < 0)
    return failed(path, errno);
  bool isProtected = protectFromSignals(temporary);
  int code = 0;
  if (target.exists) {
    // Only a privileged user can keep a foreign owner; losing it is no error.
    bool kept = fchown(fd, target.status.st_uid, target.status.st_gid) == 0;
    mode_t mode = target.status.st_mode & (kept ? 07777 : 0777);
    if (fchmod(fd, mode) != 0)
      code = errno;
  }
  if (code == 0)
    code = writeAll(fd, text);
  if (close(fd) != 0 && code == 0)
    code = errno;
  if (code == 0 && rename(temporary.c_str(), target.path.c_str()) != 0)
    code = errno;
  if (code != 0)
    unlink(temporary.c_str());
  if (isProtected)
    isUnfinished = false;
  return code ? failed(path, code) : llvm::Error::success();
}

llvm::Error writeOutput(llvm::StringRef path, llvm::StringRef text) {
  if (path == "-") {
    int code = writeAll(STDOUT_FILENO, text);
    return code ? failed(path, code) : llvm::Error::success();
  }
  llvm::Expected<Target> target = findTarget(path);
  if (!target)
    return target.takeError();
  if (target->isDirect)
    return writeDirectly(*target, text);
  return replaceFile(*target, text, path);
}

llvm::Error checkWritable(llvm::StringRef path) {
  if (path == "-") {
    int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
      return failed(path, EBADF);
    return llvm::Error::success();
  }
  llvm::Expected<Target> target = findTarget(path);
  if (!target)
    return target.takeError();
  if (target->exists && access(target->path.c_str(), W_OK) != 0)
    return failed(path, errno);
  if (!target->isDirect &&
      access(folderOf(target->path).c_str(), W_OK | X_OK) != 0)
    return failed(path, errno);
  return llvm::Error::success();
}

} // namespace reprise
