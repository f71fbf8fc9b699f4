// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/RulesReader.h"

#include "reprise/graph/Error.h"
#include "reprise/io/InputFile.h"
#include "reprise/io/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace reprise {

namespace {

class RulesVisitor : public JsonVisitor {
public:
  explicit RulesVisitor(llvm::ArrayRef<llvm::StringRef> keys) : keys(keys) {}

  JsonAction member(int, llvm::StringRef) override {
    return {JsonAction::Collect};
  }
  JsonAction element(int) override { return {}; }
  llvm::Error value(int, llvm::StringRef key, size_t,
                    JsonValue value) override {
    if (!llvm::is_contained(keys, key))
      return makeInputError("unknown option '" + key + "': there are " +
                            llvm::join(keys.begin(), keys.end(), ", "));
    std::vector<llvm::StringRef> patterns;
    if (llvm::Error e = readStrings(value, key, patterns))
      return e;
    for (llvm::StringRef pattern : patterns)
      rules.push_back({key.str(), pattern.str()});
    return llvm::Error::success();
  }

  std::vector<FileRule> rules;

private:
  llvm::ArrayRef<llvm::StringRef> keys;
};

} // namespace

llvm::Expected<std::vector<FileRule>>
readRules(llvm::StringRef path, llvm::ArrayRef<llvm::StringRef> keys) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = openInput(path);
  if (!buffer)
    return buffer.takeError();
  RulesVisitor visitor(keys);
  if (llvm::Error e = parseJson((*buffer)->getMemBufferRef(), visitor))
    return e;
  return std::move(visitor.rules);
}

} // namespace reprise
