// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ONNX model, made ready to be read as a graph. Private to io/, and the
// fence around ONNX's and protobuf's exceptions.

#ifndef REPRISE_IO_ONNXMODEL_H
#define REPRISE_IO_ONNXMODEL_H

#include "reprise/io/GraphReader.h"

#include "llvm/ADT/STLExtras.h"

#include <onnx/onnx_pb.h>

namespace reprise {

/// A parsed model with its nodes in topological order and its shapes inferred.
struct OnnxModel {
  onnx::ModelProto proto;
  /// What shape inference says is wrong; empty where it went through.
  std::string inferenceFault;
};

/// Parses \p buffer, checks its opset and operators, binds dimensions, sets
/// the batch, infers shapes. Fails with an InputError without a file.
llvm::Expected<OnnxModel> loadOnnxModel(llvm::MemoryBufferRef buffer,
                                        const GraphReadOptions &options);

/// Gives every input of \p graph the batch \p batch: the first dimension where
/// it is symbolic, unknown, or the same number as that of the first input.
/// Shapes that were computed for another batch are dropped, and the targets of
/// Reshapes on the way from the inputs follow.
llvm::Error setBatch(onnx::GraphProto &graph, int64_t batch);

/// After inference: does a Reshape of \p graph still have another batch?
llvm::Error checkBatch(const onnx::GraphProto &graph);

/// Calls \p visit with the name of each outer tensor that the bodies of
/// \p node (the graphs among its attributes) read, at any depth; a name may
/// come more than once.
void forEachOuterRead(const onnx::NodeProto &node,
                      llvm::function_ref<void(const std::string &)> visit);

/// "node NAME" for messages; nodes without a name are called by their place.
std::string describeNode(const onnx::GraphProto &graph, int index);

/// Is \p domain ONNX's own?
bool isOnnxDomain(llvm::StringRef domain);

} // namespace reprise

#endif // REPRISE_IO_ONNXMODEL_H
