// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a tensor from ONNX's descriptions of it, private to io/.

#ifndef REPRISE_IO_TENSORSHAPE_H
#define REPRISE_IO_TENSORSHAPE_H

#include "reprise/io/GraphReader.h"
#include "reprise/io/Json.h"

#include "llvm/ADT/StringMap.h"

namespace reprise {

/// What an entry of `input`, `initializer`, `output` or `valueInfo` says.
struct TensorSize {
  int64_t bytes = -1; ///< -1: unknown
  /// Why the bytes are unknown; empty where the entry says nothing.
  std::string reason;
  int elementType = 0;       ///< ONNX's TensorProto.DataType; 0: not given
  bool hasShape = false;     ///< all dimensions are known
  std::vector<int64_t> dims; ///< each >= 0
};

/// The size that \p entry (a ValueInfoProto or TensorProto, or our `memory`)
/// gives. A shape without a size is no error: a node may know better. Fails
/// where `memory` has a wrong type or value.
llvm::Expected<TensorSize> readTensorSize(JsonValue entry,
                                          const GraphReadOptions &options);

/// The types that \p sizes give to the tensors of \p graph, by name.
TensorTypes typesByName(const Graph &graph,
                        const llvm::StringMap<TensorSize> &sizes);

} // namespace reprise

#endif // REPRISE_IO_TENSORSHAPE_H
