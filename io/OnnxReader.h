// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ONNX models as they are saved: protobuf. A build without ONNX and
// protobuf has the same function, and says so when it is asked to read one.

#ifndef REPRISE_IO_ONNXREADER_H
#define REPRISE_IO_ONNXREADER_H

#include "reprise/io/GraphReader.h"

namespace reprise {

/// The graph of the ModelProto in \p buffer, opsets 7 to 17, completed like
/// an imported one: FLOPs, scratch memory, views and random draws as the
/// operator table says. Shapes that the file lacks are inferred; weights that
/// lie in other files are not opened. Fails with an InputError that names the
/// buffer, and the node or tensor.
llvm::Expected<LoadedGraph> readOnnxBuffer(llvm::MemoryBufferRef buffer,
                                           const GraphReadOptions &options);

} // namespace reprise

#endif // REPRISE_IO_ONNXREADER_H
