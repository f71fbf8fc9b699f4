// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bytes = ceil(product of the dimensions * bits of one element / 8)
//
// A dimension that is not known makes the size unknown; it is never guessed.

#include "reprise/io/TensorShape.h"

#include "reprise/graph/Error.h"

#include "llvm/Support/MathExtras.h"

namespace reprise {

namespace {
struct ElementType {
  const char *name;
  int number;
  int bits; ///< of one element; 4-bit elements are packed, two in a byte
  bool differentiable;
};
} // namespace

/// ONNX's TensorProto.DataType; STRING (8) has no fixed size.
static const ElementType elementTypes[] = {
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

bool isDifferentiable(int elementType) {
  for (const ElementType &type : elementTypes)
    if (type.number == elementType)
      return type.differentiable;
  return false;
}

/// The type that \p value names, as a number, a numeric string or a name.
static const ElementType *findType(JsonValue value) {
  llvm::Expected<int64_t> number = readInteger(value, "");
  if (!number)
    llvm::consumeError(number.takeError());
  for (const ElementType &type : elementTypes)
    if ((number && *number == type.number) ||
        (value.isString() && value.text() == type.name))
      return &type;
  return nullptr;
}

static TensorSize unknown(const llvm::Twine &reason) {
  TensorSize size;
  size.reason = reason.str();
  return size;
}

/// \p elements of the type that \p type names, as bytes.
static TensorSize sized(JsonValue type, llvm::Expected<uint64_t> elements) {
  const ElementType *found = findType(type);
  if (!found) {
    llvm::consumeError(elements.takeError());
    return unknown("element type " + type.describe() + " has no fixed size");
  }
  if (!elements)
    return unknown(llvm::toString(elements.takeError()));
  TensorSize size;
  size.elementType = found->number;
  unsigned __int128 bits = static_cast<unsigned __int128>(*elements) *
                           static_cast<uint64_t>(found->bits);
  unsigned __int128 bytes = (bits + 7) / 8;
  if (bytes > static_cast<uint64_t>(INT64_MAX))
    return unknown("its size overflows 64 bits");
  size.bytes = static_cast<int64_t>(bytes);
  return size;
}

/// One dimension of a ValueInfoProto's shape.
static llvm::Expected<int64_t> readDim(JsonValue dim, size_t position,
                                       const GraphReadOptions &options) {
  std::string field = "dimension " + std::to_string(position);
  JsonValue given = dim.member("dimValue", "dim_value");
  if (given.isPresent())
    return readInteger(given, field);
  JsonValue symbol = dim.member("dimParam", "dim_param");
  if (!symbol.isString() || symbol.text().empty())
    return makeInputError(field + " is unknown");
  auto bound = options.dims.find(symbol.text().str());
  if (bound != options.dims.end())
    return bound->second;
  return makeInputError(field + " is symbolic (" + symbol.text() +
                        "); bind it with --dim " + symbol.text() + "=VALUE");
}

/// The product of the dimensions of \p list, which are bare integers (of a
/// TensorProto) or objects (of a shape).
static llvm::Expected<uint64_t> countElements(JsonValue list,
                                              const GraphReadOptions &options) {
  if (list.isPresent() && !list.isList())
    return wrongValue("shape", "a list of dimensions", list);
  uint64_t product = 1;
  bool overflow = false, zero = false;
  size_t position = 0;
  for (JsonValue dim : list) {
    llvm::Expected<int64_t> extent =
        dim.isObject()
            ? readDim(dim, position, options)
            : readInteger(dim, "dimension " + std::to_string(position));
    if (!extent)
      return extent.takeError();
    bool over = false;
    product = llvm::SaturatingMultiply<uint64_t>(
        product, static_cast<uint64_t>(*extent), &over);
    overflow |= over;
    zero |= *extent == 0;
    ++position;
  }
  // A zero anywhere makes the tensor empty, however large the others are.
  if (zero)
    return 0;
  if (overflow)
    return makeInputError("its size overflows 64 bits");
  return product;
}

/// `memory` of an entry: bytes, or a list of the one tensor's bytes.
static llvm::Expected<TensorSize> readMemory(JsonValue memory) {
  if (memory.isList()) {
    JsonValue only;
    size_t count = 0;
    for (JsonValue element : memory) {
      only = element;
      ++count;
    }
    if (count != 1)
      return makeInputError("memory: expected one entry for one tensor, got " +
                            llvm::Twine(count));
    memory = only;
  }
  llvm::Expected<int64_t> bytes = readInteger(memory, "memory");
  if (!bytes)
    return bytes.takeError();
  TensorSize size;
  size.bytes = *bytes;
  return size;
}

llvm::Expected<TensorSize> readTensorSize(JsonValue entry,
                                          const GraphReadOptions &options) {
  JsonValue memory = entry.member("memory");
  JsonValue dims = entry.member("dims");
  JsonValue dataType = entry.member("dataType", "data_type");
  JsonValue type = entry.member("type");
  if (memory.kind() != JsonKind::Absent) {
    llvm::Expected<TensorSize> size = readMemory(memory);
    if (size && dataType.isPresent())
      if (const ElementType *found = findType(dataType))
        size->elementType = found->number;
    return size;
  }
  // A TensorProto; a scalar one has no dims at all.
  if (dims.isPresent() || (dataType.isPresent() && !type.isPresent()))
    return sized(dataType, countElements(dims, options));
  JsonValue tensor = type.member("tensorType", "tensor_type");
  JsonValue element = tensor.member("elemType", "elem_type");
  JsonValue shape = tensor.member("shape");
  if (!element.isPresent() || !shape.isPresent())
    return TensorSize();
  if (!shape.isObject())
    return unknown("shape: expected an object, got " + shape.describe());
  return sized(element, countElements(shape.member("dim"), options));
}

} // namespace reprise
