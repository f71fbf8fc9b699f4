// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs in JSON.

#include "GraphRoundtrip.h"

using namespace reprise;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // What begins like protobuf is OnnxFuzzer's.
  if (size > 0 && data[0] < 0x20 && data[0] != '\n')
    return 0;
  return roundtripGraph(bufferOf(data, size));
}
