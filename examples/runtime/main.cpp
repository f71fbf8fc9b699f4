// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes schedules of a graph and compares what they compute, bit by bit:
//
//   reprise-runtime [--gradients] GRAPH SCHEDULE...
//
// Exit code 0: every schedule gave the same outputs and gradients as the
// first, in exactly the memory that it promises, and with --gradients those
// agree with finite differences. 1: not so. 2: something could not be run.

#include "Executor.h"

#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <random>
#include <stdexcept>

using namespace example;

const Operator &example::findOperator(const std::string &name) {
  static const OperatorTable table = [] {
    OperatorTable all = products();
    all.merge(pointwise());
    all.merge(normalizations());
    all.merge(movements());
    return all;
  }();
  auto found = table.find(name);
  if (found == table.end())
    throw std::runtime_error(name + ": an operator this example lacks");
  return found->second;
}

/// How many classes or rows the integers of tensor \p t choose from.
static int64_t choices(const Model &model, TensorId t) {
  for (const NodeInfo &node : model.nodes)
    if (node.inputs.size() == 2 && node.inputs[1] == t) {
      const Shape &shape = model.tensors[node.inputs[0]].shape;
      return node.op == "Gather" ? shape.front() : shape.back();
    }
  return 1;
}

/// Some numbers for inputs and weights, always the same.
static Values makeConstants(const Model &model) {
  std::mt19937 random(1);
  Values values;
  auto fill = [&](TensorId t, Real smallest) {
    const TensorInfo &info = model.tensors[t];
    values[t].resize(info.bytes());
    for (int64_t i = 0; i < elementCount(info.shape); ++i) {
      Real x = smallest + static_cast<Real>(random() % 1024) / 1024;
      int64_t label = info.isInteger ? random() % choices(model, t) : 0;
      if (info.isInteger)
        std::memcpy(&values[t][i * sizeof(label)], &label, sizeof(label));
      else
        std::memcpy(&values[t][i * sizeof(x)], &x, sizeof(x));
    }
  };
  for (TensorId t : model.inputs)
    fill(t, 0.25); // variances among them, which are positive
  for (TensorId t : model.weights)
    fill(t, -0.5);
  return values;
}

static Real &realAt(std::vector<std::byte> &bytes, size_t i) {
  return reinterpret_cast<Real *>(bytes.data())[i];
}

/// The sum of the outputs: what the backward pass is the gradient of.
static double loss(const Model &model, Results &results) {
  double sum = 0;
  for (TensorId t : model.outputs)
    for (int64_t i = 0; i < elementCount(model.tensors[t].shape); ++i)
      sum += realAt(results.outputs[t], i);
  return sum;
}

/// Moves every weight tensor, one by one, a little along a random direction
/// and back, and compares the change of the loss with what its gradient says.
static bool checkGradients(const Model &model, const Schedule &schedule,
                           const Values &constants, Results &results) {
  // Rounding costs about epsilon / step. A larger step would be better for
  // smooth functions, but here it would carry some Relu across its kink.
  Real step = std::sqrt(std::numeric_limits<Real>::epsilon());
  double tolerance = 64 * step, worst = 0;
  std::mt19937 random(2);
  for (auto &[gradient, slope] : results.outputs) {
    auto of = model.gradientOf.find(gradient);
    if (of == model.gradientOf.end())
      continue;
    TensorId weight = of->second;
    Values above = constants, below = constants;
    double expected = 0;
    for (int64_t i = 0; i < elementCount(model.tensors[weight].shape); ++i) {
      Real direction = random() % 2 ? 1 : -1;
      realAt(above[weight], i) += step * direction;
      realAt(below[weight], i) -= step * direction;
      expected += realAt(slope, i) * direction;
    }
    Results up = Executor(model).run(schedule, above);
    Results down = Executor(model).run(schedule, below);
    double measured = (loss(model, up) - loss(model, down)) / (2 * step);
    double error = std::fabs(measured - expected) / (1 + std::fabs(expected));
    worst = std::fmax(worst, error);
    if (error > tolerance)
      std::printf("%s: gradient %g, finite difference %g\n",
                  model.tensors[weight].name.c_str(), expected, measured);
  }
  std::printf("finite differences: largest error %.2g, of %.2g allowed\n",
              worst, tolerance);
  return worst <= tolerance;
}

static int run(int count, char **arguments) {
  bool wantsGradients = count > 1 && std::string(arguments[1]) == "--gradients";
  if (wantsGradients)
    --count, ++arguments;
  if (count < 3)
    throw std::runtime_error(
        "usage: reprise-runtime [--gradients] GRAPH SCHEDULE...");
  Model model = readModel(arguments[1]);
  std::vector<Schedule> schedules;
  for (int i = 2; i < count; ++i)
    schedules.push_back(readSchedule(arguments[i], model));

  Values constants = makeConstants(model);
  Results first;
  bool isGood = true;
  for (size_t i = 0; i < schedules.size(); ++i) {
    Results results = Executor(model).run(schedules[i], constants);
    if (i == 0)
      first = results;
    bool isSame = results.outputs == first.outputs;
    bool isPeak = results.peakBytes == schedules[i].peakBytes;
    isGood = isGood && isSame && isPeak && !std::isnan(loss(model, results));
    std::printf("%s: %zu runs, peak %zu bytes, %s; loss %.9g, %s\n",
                arguments[i + 2], results.runs, results.peakBytes,
                isPeak ? "as planned" : "NOT AS PLANNED", loss(model, results),
                i == 0   ? "the reference"
                : isSame ? "all bits equal"
                         : "BITS DIFFER");
  }
  if (wantsGradients)
    isGood =
        checkGradients(model, schedules.back(), constants, first) && isGood;
  return isGood ? 0 : 1;
}

int main(int count, char **arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "reprise-runtime: error: %s\n", e.what());
    return 2;
  }
}
