// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/CostInput.h"

#include "reprise/graph/Error.h"
#include "reprise/io/ByteSize.h"

#include <cmath>

namespace reprise {

/// FLOP/s: a number, with k, M, G, T or P for powers of 1000.
static llvm::Expected<double> parseRate(llvm::StringRef text) {
  llvm::StringRef digits = text;
  static constexpr llvm::StringLiteral prefixes = "kMGTP";
  double scale = 1;
  size_t power =
      digits.empty() ? llvm::StringRef::npos : prefixes.find(digits.back());
  if (power != llvm::StringRef::npos) {
    scale = std::pow(1000.0, static_cast<double>(power + 1));
    digits = digits.drop_back();
  }
  double number = 0;
  // getAsDouble() is true when the text is no number.
  if (digits.getAsDouble(number, /*AllowInexact=*/true) ||
      !std::isfinite(number * scale) || number <= 0)
    return makeInputError("--peak-flops: expected FLOP/s, a number above 0 "
                          "such as 1.95e13 or 19.5T, got '" +
                          text + "'");
  return number * scale;
}

static llvm::Expected<double> parseBandwidth(llvm::StringRef text) {
  llvm::Expected<ByteSize> size = parseByteSize(text);
  if (size && !size->isShare() && size->resolve(0) > 0)
    return static_cast<double>(size->resolve(0));
  if (!size)
    llvm::consumeError(size.takeError());
  return makeInputError("--bandwidth: expected bytes per second above 0, such "
                        "as 2039GB, got '" +
                        text + "'");
}

static llvm::Expected<Device> chooseDevice(const CostArguments &arguments) {
  Device device;
  if (!arguments.device.empty()) {
    const Device *known = findDevice(arguments.device);
    if (!known) {
      std::string names;
      for (const Device &entry : knownDevices())
        names += (names.empty() ? "" : ", ") + entry.name;
      return makeInputError("--device: '" + arguments.device +
                            "' is unknown; one of " + names);
    }
    device = *known;
  }
  if (!arguments.peakFlops.empty()) {
    llvm::Expected<double> rate = parseRate(arguments.peakFlops);
    if (!rate)
      return rate.takeError();
    device.peakFlops = *rate;
  }
  if (!arguments.bandwidth.empty()) {
    llvm::Expected<double> bandwidth = parseBandwidth(arguments.bandwidth);
    if (!bandwidth)
      return bandwidth.takeError();
    device.bandwidth = *bandwidth;
  }
  if (device.peakFlops > 0 && device.bandwidth > 0)
    return device;
  return makeInputError("--objective: roofline needs --device, or both "
                        "--peak-flops and --bandwidth");
}

static llvm::Expected<CostInput> roofline(const Graph &graph,
                                          const CostArguments &arguments) {
  // The seconds of a timed graph are the measured ones, for every reader of
  // the schedule.
  if (graph.isTimed())
    return makeInputError("--objective: every node has a measured time, which "
                          "is better than a roofline");
  llvm::Expected<Device> device = chooseDevice(arguments);
  if (!device)
    return device.takeError();
  std::vector<double> seconds = rooflineSeconds(graph, *device);
  return CostInput{Objective::Seconds, std::move(seconds), std::move(*device)};
}

llvm::Expected<CostInput> chooseCosts(const Graph &graph,
                                      const CostArguments &arguments) {
  llvm::StringRef name = arguments.objective;
  bool hasDevice = !arguments.device.empty() || !arguments.peakFlops.empty() ||
                   !arguments.bandwidth.empty();
  if (name == "roofline" || (name.empty() && hasDevice))
    return roofline(graph, arguments);
  if (hasDevice)
    return makeInputError("--objective: a device is only of use for roofline, "
                          "got " +
                          name);
  Objective objective = defaultObjective(graph);
  if (name == "flops")
    objective = Objective::Flops;
  else if (name == "time")
    objective = Objective::Seconds;
  else if (!name.empty())
    return makeInputError("--objective: expected flops, time or roofline, "
                          "got " +
                          name);
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (objective == Objective::Seconds && graph.seconds(n) < 0)
      return makeInputError("--objective: node " + graph.nodeName(n) +
                            " has no measured time");
  return CostInput{objective, nodeCosts(graph, objective), std::nullopt};
}

} // namespace reprise
