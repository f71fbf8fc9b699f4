// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/InputFile.h"

#include "reprise/graph/Error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace reprise {

namespace {

struct Freed {
  void operator()(char *bytes) const { std::free(bytes); }
};

/// Bytes that can grow without a second copy of them: large blocks are moved by
/// the page table.
class GrowingBytes {
public:
  size_t size() const { return used; }
  size_t room() const { return capacity - used; }
  char *end() { return bytes.get() + used; }
  void add(size_t count) { used += count; }
  /// False for want of memory.
  bool grow(size_t newCapacity) {
    char *moved = static_cast<char *>(std::realloc(bytes.get(), newCapacity));
    if (!moved)
      return false;
    (void)bytes.release();
    bytes.reset(moved);
    capacity = newCapacity;
    return true;
  }
  std::unique_ptr<char, Freed> take() { return std::move(bytes); }

private:
  std::unique_ptr<char, Freed> bytes;
  size_t used = 0, capacity = 0;
};

class InputBuffer : public llvm::MemoryBuffer {
public:
  InputBuffer(GrowingBytes source, llvm::StringRef name)
      : name(name.str()), size(source.size()), bytes(source.take()) {
    init(bytes.get(), bytes.get() + size, /*RequiresNullTerminator=*/false);
  }
  llvm::StringRef getBufferIdentifier() const override { return name; }
  BufferKind getBufferKind() const override { return MemoryBuffer_Malloc; }

private:
  std::string name;
  size_t size;
  std::unique_ptr<char, Freed> bytes;
};

} // namespace

/// Reads \p fd to its end; 0 or an errno.
static int readAll(int fd, GrowingBytes &bytes) {
  struct stat status = {};
  if (fstat(fd, &status) != 0)
    return errno;
  if (S_ISDIR(status.st_mode))
    return EISDIR;
  bool isFile = S_ISREG(status.st_mode);
  // One byte more than a file has shows its end without growing.
  constexpr size_t leastBytes = 1 << 16;
  size_t expected = isFile ? static_cast<size_t>(status.st_size) + 1 : 0;
  if (!bytes.grow(std::max(leastBytes, expected)))
    return ENOMEM;
  for (;;) {
    if (bytes.room() == 0 && !bytes.grow(2 * bytes.size()))
      return ENOMEM;
    ssize_t count = read(fd, bytes.end(), bytes.room());
    if (count == 0)
      return 0;
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    bytes.add(static_cast<size_t>(count));
    if (!isFile && bytes.size() > kMostStreamBytes)
      return EFBIG;
  }
}

static llvm::Error failed(llvm::StringRef name, int code) {
  std::string reason = std::strerror(code);
  if (code == EFBIG)
    reason = "more than 4 GiB from a pipe or a device; give a file";
  return inFile(name, makeInputError("cannot read: " + reason));
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openInput(llvm::StringRef path) {
  llvm::StringRef name = path == "-" ? "<stdin>" : path;
  int fd = STDIN_FILENO;
  if (path != "-")
    fd = open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return failed(name, errno);
  GrowingBytes bytes;
  int code = readAll(fd, bytes);
  if (fd != STDIN_FILENO)
    close(fd);
  if (code)
    return failed(name, code);
  return std::make_unique<InputBuffer>(std::move(bytes), name);
}

} // namespace reprise
