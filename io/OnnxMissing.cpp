// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ONNX reader of a build without ONNX.

#include "reprise/graph/Error.h"
#include "reprise/io/OnnxReader.h"

namespace reprise {

llvm::Expected<LoadedGraph> readOnnxBuffer(llvm::MemoryBufferRef buffer,
                                           const GraphReadOptions &) {
  return inFile(buffer.getBufferIdentifier(),
                makeInputError("an ONNX model in protobuf, which this build "
                               "of reprise cannot read: it was built without "
                               "ONNX (REPRISE_WITH_ONNX)"));
}

} // namespace reprise
