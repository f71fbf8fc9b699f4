// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's element types: how large one element is, and whether it has a
// gradient.

#ifndef REPRISE_OPERATORS_ELEMENTTYPE_H
#define REPRISE_OPERATORS_ELEMENTTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace reprise {

/// An element type of fixed size, by the numbers of ONNX's
/// TensorProto.DataType.
struct ElementType {
  llvm::StringLiteral name; ///< "FLOAT"
  int number;               ///< 1
  int bits; ///< of one element; 4-bit elements are packed, two in a byte
  bool isDifferentiable; ///< floating-point or complex
};

/// The type with \p number; null where there is none of a fixed size.
const ElementType *findElementType(int64_t number);
/// The type called \p name; null where there is none of a fixed size.
const ElementType *findElementType(llvm::StringRef name);

/// False for a known type without gradients (integers, booleans). A type that
/// is not known (0) may have one.
bool mayHaveGradient(int elementType);

/// The product of \p dims, which are >= 0; none where it overflows 63 bits. A
/// zero anywhere makes it 0, however large the others are.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> dims);

/// ceil(elements * bits / 8); none where that overflows 63 bits.
std::optional<int64_t> bytesOfElements(int64_t elements,
                                       const ElementType &type);

} // namespace reprise

#endif // REPRISE_OPERATORS_ELEMENTTYPE_H
