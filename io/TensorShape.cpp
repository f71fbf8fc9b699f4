// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bytes = ceil(product of the dimensions * bits of one element / 8)
//
// A dimension that is not known makes the size unknown; it is never guessed.

#include "reprise/io/TensorShape.h"

#include "reprise/graph/Error.h"
#include "reprise/operators/ElementType.h"

namespace reprise {

/// The type that \p value names, as a number, a numeric string or a name.
static const ElementType *findType(JsonValue value) {
  if (llvm::Expected<int64_t> number = readInteger(value, ""))
    return findElementType(*number);
  else
    llvm::consumeError(number.takeError());
  return value.isString() ? findElementType(value.text()) : nullptr;
}

static TensorSize unknown(const llvm::Twine &reason) {
  TensorSize size;
  size.reason = reason.str();
  return size;
}

/// A tensor of the type that \p type names with the dimensions \p dims.
static TensorSize sized(JsonValue type,
                        llvm::Expected<std::vector<int64_t>> dims) {
  const ElementType *found = findType(type);
  if (!found) {
    llvm::consumeError(dims.takeError());
    return unknown("element type " + type.describe() + " has no fixed size");
  }
  TensorSize size;
  size.elementType = found->number;
  if (!dims) {
    size.reason = llvm::toString(dims.takeError());
    return size;
  }
  size.hasShape = true;
  size.dims = std::move(*dims);
  std::optional<int64_t> elements = countElements(size.dims);
  std::optional<int64_t> bytes;
  if (elements)
    bytes = bytesOfElements(*elements, *found);
  if (bytes)
    size.bytes = *bytes;
  else
    size.reason = "its size overflows 64 bits";
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

/// The dimensions of \p list, which are bare integers (of a TensorProto) or
/// objects (of a shape).
static llvm::Expected<std::vector<int64_t>>
readDims(JsonValue list, const GraphReadOptions &options) {
  if (list.isPresent() && !list.isList())
    return wrongValue("shape", "a list of dimensions", list);
  std::vector<int64_t> dims;
  for (JsonValue dim : list) {
    llvm::Expected<int64_t> extent =
        dim.isObject()
            ? readDim(dim, dims.size(), options)
            : readInteger(dim, "dimension " + std::to_string(dims.size()));
    if (!extent)
      return extent.takeError();
    dims.push_back(*extent);
  }
  return dims;
}

/// `memory` of an entry: bytes, or a list of the one tensor's bytes.
static llvm::Expected<int64_t> readMemory(JsonValue memory) {
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
  return readInteger(memory, "memory");
}

/// What the type and shape of \p entry say.
static TensorSize readShape(JsonValue entry, const GraphReadOptions &options) {
  JsonValue dims = entry.member("dims");
  JsonValue dataType = entry.member("dataType", "data_type");
  JsonValue type = entry.member("type");
  // A TensorProto; a scalar one has no dims at all.
  if (dims.isPresent() || (dataType.isPresent() && !type.isPresent()))
    return sized(dataType, readDims(dims, options));
  JsonValue tensor = type.member("tensorType", "tensor_type");
  JsonValue element = tensor.member("elemType", "elem_type");
  JsonValue shape = tensor.member("shape");
  if (!element.isPresent())
    return TensorSize();
  if (!shape.isPresent()) {
    TensorSize size;
    if (const ElementType *found = findType(element))
      size.elementType = found->number;
    return size;
  }
  if (!shape.isObject())
    return unknown("shape: expected an object, got " + shape.describe());
  return sized(element, readDims(shape.member("dim"), options));
}

llvm::Expected<TensorSize> readTensorSize(JsonValue entry,
                                          const GraphReadOptions &options) {
  TensorSize size = readShape(entry, options);
  JsonValue memory = entry.member("memory");
  if (memory.kind() == JsonKind::Absent)
    return size;
  llvm::Expected<int64_t> bytes = readMemory(memory);
  if (!bytes)
    return bytes.takeError();
  size.bytes = *bytes;
  size.reason.clear();
  return size;
}

TensorTypes typesByName(const Graph &graph,
                        const llvm::StringMap<TensorSize> &sizes) {
  TensorTypes types;
  if (sizes.empty())
    return types;
  for (TensorId t = 0; t < graph.numTensors(); ++t) {
    auto known = sizes.find(graph.tensorName(t));
    if (known == sizes.end())
      types.push({});
    else
      types.push({known->second.elementType, known->second.hasShape,
                  known->second.dims});
  }
  return types;
}

} // namespace reprise
