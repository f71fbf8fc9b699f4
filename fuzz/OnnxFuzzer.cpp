// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as ONNX models in protobuf.

#include "GraphRoundtrip.h"

using namespace reprise;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0 || data[0] != 0x08)
    return 0;
  return roundtripGraph(bufferOf(data, size));
}
