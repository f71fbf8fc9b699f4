// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table has peak rates without sparsity: of plain single precision, and of
// the matrix units where training uses them.

#include "reprise/planner/Roofline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace reprise {

llvm::ArrayRef<Device> knownDevices() {
  static const std::vector<Device> devices = {
      {"t4-fp32", 8.1e12, 320e9},        {"t4-fp16", 65e12, 320e9},
      {"v100-fp32", 15.7e12, 900e9},     {"v100-fp16", 125e12, 900e9},
      {"a10-fp32", 31.2e12, 600e9},      {"a10-bf16", 125e12, 600e9},
      {"a100-fp32", 19.5e12, 2039e9},    {"a100-tf32", 156e12, 2039e9},
      {"a100-bf16", 312e12, 2039e9},     {"h100-fp32", 67e12, 3350e9},
      {"h100-tf32", 494.7e12, 3350e9},   {"h100-bf16", 989.4e12, 3350e9},
      {"h200-bf16", 989.4e12, 4800e9},   {"rtx3090-fp32", 35.6e12, 936e9},
      {"rtx4090-fp32", 82.6e12, 1008e9},
  };
  return devices;
}

const Device *findDevice(llvm::StringRef name) {
  for (const Device &device : knownDevices())
    if (name == device.name)
      return &device;
  return nullptr;
}

int64_t bytesMoved(const Graph &graph, NodeId n) {
  auto isView = [&](TensorId t) {
    return t != kNone && graph.storageUse(t) == StorageUse::Alias;
  };
  llvm::ArrayRef<TensorId> outputs = graph.outputs(n);
  if (!outputs.empty() && llvm::all_of(outputs, isView))
    return 0;
  llvm::SmallVector<StorageId, 16> read;
  for (TensorId t : graph.inputs(n))
    if (t != kNone)
      read.push_back(graph.storage(t));
  llvm::sort(read);
  read.erase(std::unique(read.begin(), read.end()), read.end());
  int64_t bytes = graph.ownedBytes(n);
  for (StorageId s : read)
    bytes += graph.storageBytes(s);
  for (TensorId t : outputs)
    if (t != kNone && graph.storageUse(t) == StorageUse::InPlace)
      bytes += graph.storageBytes(graph.storage(t));
  return bytes;
}

std::vector<double> rooflineSeconds(const Graph &graph, const Device &device) {
  std::vector<double> seconds(graph.numNodes());
  for (NodeId n = 0; n < seconds.size(); ++n)
    seconds[n] =
        std::max(graph.flops(n) / device.peakFlops,
                 static_cast<double>(bytesMoved(graph, n)) / device.bandwidth);
  return seconds;
}

} // namespace reprise
