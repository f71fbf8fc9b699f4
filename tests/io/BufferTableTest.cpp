// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/BufferTable.h"

#include <doctest/doctest.h>

using namespace reprise;

static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<BufferTable> table = parseBufferTable(text);
  return table ? "" : llvm::toString(table.takeError());
}

TEST_CASE("buffers are read by the names of the columns, and written back") {
  llvm::Expected<BufferTable> table = parseBufferTable(
      "size,id, upper ,lower\r\n64,a,3,-1\r\n\r\n0,b 2,5,5\r\n");
  REQUIRE(table);
  REQUIRE(table->buffers.size() == 2);
  CHECK(table->buffers[0].lower == -1);
  CHECK(table->buffers[0].upper == 3);
  CHECK(table->buffers[0].bytes == 64);
  std::string text = writeBufferTable(*table, {128, 0});
  CHECK(text == "id,lower,upper,size,offset\na,-1,3,64,128\nb 2,5,5,0,0\n");
  CHECK(errorOf(text) == "");
  CHECK(errorOf("id,lower,upper,size") == "");
}

TEST_CASE("a fault in a table of buffers is one line with its place") {
  std::pair<const char *, const char *> cases[] = {
      {"", "line 1: expected a header with the columns id, lower, upper and "
           "size; id is missing"},
      {"id,lower,size\n", "line 1: expected a header with the columns id, "
                          "lower, upper and size; upper is missing"},
      {"id,lower,upper,size,gaps\n", "line 1: column 'gaps' is not supported"},
      {"id,lower,upper,size,id\n", "line 1: column 'id' comes twice"},
      {"id,lower,upper,size\na,1,2\n", "line 2: expected 4 values, got 3"},
      {"id,lower,upper,size\na,1,2,x\n",
       "line 2: size: expected a whole number, got 'x'"},
      {"id,lower,upper,size\na,1,2,1.5\n",
       "line 2: size: expected a whole number, got '1.5'"},
      {"id,lower,upper,size\na,1,2,99999999999999999999\n",
       "line 2: size: expected a whole number, got '99999999999999999999'"},
      {"id,lower,upper,size\na,1,,4\n",
       "line 2: upper: expected a whole number, got ''"},
      {"id,lower,upper,size\na,1,2,-4\n",
       "line 2: size: expected at least 0, got -4"},
      {"id,lower,upper,size\n\na,2,1,4\n",
       "line 3: upper: 1 is before lower, 2"},
      {"id,lower,upper,size\na,1,2,4\na,1,2,4\n",
       "line 3: id: 'a' comes twice"},
      {"id,lower,upper,size\na,1,2,9223372036854775807\nb,1,2,1\n",
       "line 3: size: all sizes together overflow 63 bits"}};
  for (auto [text, message] : cases)
    CHECK(errorOf(text) == message);
}
