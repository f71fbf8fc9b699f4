// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/operators/ElementType.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

/// STRING (8) has no fixed size.
static constexpr ElementType elementTypes[] = {
    {"FLOAT", 1, 32, true},          {"UINT8", 2, 8, false},
    {"INT8", 3, 8, false},           {"UINT16", 4, 16, false},
    {"INT16", 5, 16, false},         {"INT32", 6, 32, false},
    {"INT64", 7, 64, false},         {"BOOL", 9, 8, false},
    {"FLOAT16", 10, 16, true},       {"DOUBLE", 11, 64, true},
    {"UINT32", 12, 32, false},       {"UINT64", 13, 64, false},
    {"COMPLEX64", 14, 64, true},     {"COMPLEX128", 15, 128, true},
    {"BFLOAT16", 16, 16, true},      {"FLOAT8E4M3FN", 17, 8, true},
    {"FLOAT8E4M3FNUZ", 18, 8, true}, {"FLOAT8E5M2", 19, 8, true},
    {"FLOAT8E5M2FNUZ", 20, 8, true}, {"UINT4", 21, 4, false},
    {"INT4", 22, 4, false},          {"FLOAT4E2M1", 23, 4, true},
    {"FLOAT8E8M0", 24, 8, false},
};

const ElementType *findElementType(int64_t number) {
  for (const ElementType &type : elementTypes)
    if (type.number == number)
      return &type;
  return nullptr;
}

const ElementType *findElementType(llvm::StringRef name) {
  for (const ElementType &type : elementTypes)
    if (type.name == name)
      return &type;
  return nullptr;
}

bool mayHaveGradient(int elementType) {
  if (elementType == 0)
    return true;
  const ElementType *type = findElementType(int64_t(elementType));
  return type && type->isDifferentiable;
}

std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> dims) {
  if (llvm::is_contained(dims, 0))
    return 0;
  int64_t product = 1;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(product, dim, &product))
      return std::nullopt;
  return product;
}

std::optional<int64_t> bytesOfElements(int64_t elements,
                                       const ElementType &type) {
  __int128 bytes = (static_cast<__int128>(elements) * type.bits + 7) / 8;
  if (bytes > INT64_MAX)
    return std::nullopt;
  return static_cast<int64_t>(bytes);
}

} // namespace reprise
