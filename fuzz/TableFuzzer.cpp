// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers as comma-separated values; what is read is written and reads back.

#include "Roundtrip.h"

#include "reprise/io/BufferTable.h"

using namespace reprise;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::Expected<BufferTable> table =
      parseBufferTable(bufferOf(data, size).getBuffer());
  if (!table) {
    promiseOneLine(table.takeError());
    return 0;
  }
  std::vector<int64_t> offsets(table->buffers.size());
  std::string text = writeBufferTable(*table, offsets);
  llvm::Expected<BufferTable> again = parseBufferTable(text);
  if (!again) {
    llvm::errs() << llvm::toString(again.takeError()) << '\n' << text;
    std::abort();
  }
  promise(writeBufferTable(*again, offsets) == text,
          "a written table reads back");
  return 0;
}
