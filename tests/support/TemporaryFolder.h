// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder for the files of one test case.

#ifndef REPRISE_TESTS_SUPPORT_TEMPORARYFOLDER_H
#define REPRISE_TESTS_SUPPORT_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/// An empty folder that goes away with its files.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "reprise-XXXXXX").string();
    if (char *made = mkdtemp(pattern.data()))
      folder = made;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  std::string path(const std::string &name) const {
    return (folder / name).string();
  }
  size_t numFiles() const {
    size_t count = 0;
    for ([[maybe_unused]] auto &entry :
         std::filesystem::directory_iterator(folder))
      ++count;
    return count;
  }

private:
  std::filesystem::path folder;
};

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline std::string readText(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

#endif // REPRISE_TESTS_SUPPORT_TEMPORARYFOLDER_H
