// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the largest tensors are in memory: a row for each, a bar for each stay.

#include "reprise/io/ByteSize.h"
#include "reprise/tools/Charts.h"

#include "llvm/ADT/STLExtras.h"

namespace reprise {

static constexpr double kLeft = 250, kRight = 944, kTop = 28, kRow = 15;

static std::string shortened(llvm::StringRef name) {
  constexpr size_t kMost = 24;
  return name.size() <= kMost ? name.str()
                              : "..." + name.take_back(kMost - 3).str();
}

static std::vector<TensorId>
largestOwners(const Graph &graph, llvm::ArrayRef<Stay> stays, size_t count) {
  std::vector<TensorId> owners;
  for (const Stay &stay : stays)
    owners.push_back(stay.owner);
  llvm::sort(owners);
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  llvm::stable_sort(owners, [&](TensorId a, TensorId b) {
    return graph.storageBytes(graph.storage(a)) >
           graph.storageBytes(graph.storage(b));
  });
  if (owners.size() > count)
    owners.resize(count);
  // As they come in the training step.
  llvm::sort(owners);
  return owners;
}

Svg drawLifetimes(const Graph &graph, const Plan &plan,
                  llvm::ArrayRef<Stay> stays, size_t count) {
  std::vector<TensorId> owners = largestOwners(graph, stays, count);
  double bottom = kTop + kRow * double(owners.size());
  Svg svg(kChartWidth, bottom + 34,
          "When the largest tensors of " + graph.name().str() +
              " are in memory");
  Scale x{0, double(plan.steps.size()), kLeft, kRight};
  for (const Tick &tick : countTicks(plan.steps.size())) {
    svg.line(x(tick.value), kTop, x(tick.value), bottom, "grid");
    svg.text(x(tick.value), bottom + 16, tick.label, "soft", "middle");
  }
  svg.text(kRight, bottom + 30, "steps of the schedule", "soft", "end");
  std::vector<uint32_t> rowOf(graph.numTensors(), kNone);
  for (uint32_t row = 0; row < owners.size(); ++row) {
    rowOf[owners[row]] = row;
    double y = kTop + kRow * row + 11;
    svg.text(kLeft - 76, y, shortened(graph.tensorName(owners[row])), "",
             "end");
    svg.text(kLeft - 6, y,
             formatBytes(graph.storageBytes(graph.storage(owners[row]))),
             "soft", "end");
  }
  std::vector<uint8_t> wasThere(graph.numTensors(), 0);
  for (const Stay &stay : stays) {
    uint32_t row = rowOf[stay.owner];
    if (row == kNone)
      continue;
    bool isForward = graph.phase(graph.producer(stay.owner)) == Phase::Forward;
    llvm::StringRef style = wasThere[stay.owner] ? "again"
                            : isForward          ? "fwd"
                                                 : "bwd";
    wasThere[stay.owner] = 1;
    svg.rect(x(double(stay.begin)), kTop + kRow * row + 2,
             std::max(1.0, x(double(stay.end)) - x(double(stay.begin))),
             kRow - 4, style,
             graph.tensorName(stay.owner).str() + ": steps " +
                 std::to_string(stay.begin) + " to " +
                 std::to_string(stay.end));
  }
  size_t turn = turnOf(graph, plan).turn;
  if (turn < plan.steps.size())
    svg.line(x(double(turn)), kTop, x(double(turn)), bottom, "turn");
  double legend = kLeft;
  for (auto [style, words] : {std::make_pair("fwd", "made by a forward node"),
                              std::make_pair("bwd", "by a backward node"),
                              std::make_pair("again", "made again")}) {
    svg.rect(legend, 7, 11, 11, style);
    svg.text(legend + 16, 16, words, "soft");
    legend += 170;
  }
  return svg;
}

} // namespace reprise
