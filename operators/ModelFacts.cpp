// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/operators/ModelFacts.h"

#include "reprise/operators/ElementType.h"

#include "llvm/ADT/StringSwitch.h"

namespace reprise {

void TensorTypes::push(const TensorType &type) {
  elementTypes.push_back(static_cast<uint8_t>(type.elementType));
  shaped.push_back(type.hasShape);
  dims.insert(dims.end(), type.dims.begin(), type.dims.end());
  starts.push_back(dims.size());
}

TensorType TensorTypes::operator[](TensorId tensor) const {
  if (tensor >= size())
    return {};
  return {elementTypes[tensor], shaped[tensor] != 0,
          llvm::makeArrayRef(dims).slice(starts[tensor],
                                         starts[tensor + 1] - starts[tensor])};
}

std::optional<int64_t> TensorTypes::elements(TensorId tensor) const {
  TensorType type = (*this)[tensor];
  if (!type.hasShape)
    return std::nullopt;
  return countElements(type.dims);
}

bool isUsedAttribute(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("transA", "transB", "equation", "hidden_size", true)
      .Cases("kernel_shape", "size", "num_heads", true)
      .Default(false);
}

const Attribute *ModelFacts::attribute(NodeId n, llvm::StringRef name) const {
  auto found = attributes.find(n);
  if (found == attributes.end())
    return nullptr;
  for (const Attribute &attribute : found->second)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

int64_t ModelFacts::integer(NodeId n, llvm::StringRef name,
                            int64_t otherwise) const {
  const Attribute *found = attribute(n, name);
  return found && found->ints.size() == 1 ? found->ints[0] : otherwise;
}

int64_t tensorBytes(const Graph &graph, const ModelFacts &facts,
                    TensorId tensor) {
  if (graph.storageUse(tensor) != StorageUse::Alias)
    return graph.storageBytes(graph.storage(tensor));
  TensorType type = facts.types[tensor];
  const ElementType *element = findElementType(int64_t(type.elementType));
  std::optional<int64_t> elements = facts.types.elements(tensor);
  if (element && elements)
    if (std::optional<int64_t> bytes = bytesOfElements(*elements, *element))
      return *bytes;
  return graph.storageBytes(graph.storage(tensor));
}

} // namespace reprise
