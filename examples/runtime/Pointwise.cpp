// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Operators.h"

#include <cmath>

namespace example {

/// The element of a tensor of shape \p from that stands at element \p i of the
/// tensor of shape \p to that it is broadcast to.
static int64_t broadcast(const Shape &from, const Shape &to, int64_t i) {
  int64_t at = 0, stride = 1;
  for (size_t k = 1; k <= to.size(); ++k) {
    int64_t dim = to[to.size() - k];
    int64_t own = k <= from.size() ? from[from.size() - k] : 1;
    if (own != 1)
      at += i % dim * stride;
    stride *= own;
    i /= dim;
  }
  return at;
}

static void add(const Call &call) {
  const Tensor &y = call.out[0];
  for (int64_t i = 0; i < y.count(); ++i)
    y[i] = call.in[0][broadcast(call.in[0].shape(), y.shape(), i)] +
           call.in[1][broadcast(call.in[1].shape(), y.shape(), i)];
}

static void addGradient(const Call &call) {
  const Tensor &dy = call.dOut[0];
  for (const Tensor &dx : call.dIn)
    for (int64_t i = 0; dx && i < dy.count(); ++i)
      dx[broadcast(dx.shape(), dy.shape(), i)] += dy[i];
}

static void mul(const Call &call) {
  const Tensor &y = call.out[0];
  for (int64_t i = 0; i < y.count(); ++i)
    y[i] = call.in[0][broadcast(call.in[0].shape(), y.shape(), i)] *
           call.in[1][broadcast(call.in[1].shape(), y.shape(), i)];
}

static void mulGradient(const Call &call) {
  const Tensor &dy = call.dOut[0];
  for (int k = 0; k < 2; ++k) {
    const Tensor &dx = call.dIn[k], &other = call.in[1 - k];
    for (int64_t i = 0; dx && i < dy.count(); ++i)
      dx[broadcast(dx.shape(), dy.shape(), i)] +=
          dy[i] * other[broadcast(other.shape(), dy.shape(), i)];
  }
}

static void relu(const Call &call) {
  for (int64_t i = 0; i < call.out[0].count(); ++i)
    call.out[0][i] = std::fmax(call.in[0][i], Real(0));
}

static void reluGradient(const Call &call) {
  for (int64_t i = 0; i < call.dOut[0].count(); ++i)
    if (call.out[0][i] > 0)
      call.dIn[0][i] += call.dOut[0][i];
}

static void tanh(const Call &call) {
  for (int64_t i = 0; i < call.out[0].count(); ++i)
    call.out[0][i] = std::tanh(call.in[0][i]);
}

static void tanhGradient(const Call &call) {
  for (int64_t i = 0; i < call.dOut[0].count(); ++i) {
    Real y = call.out[0][i];
    call.dIn[0][i] += call.dOut[0][i] * (1 - y * y);
  }
}

// Gelu: x times the share of a normal distribution that lies below x

static constexpr Real kRootHalf = 0.7071067811865475;
static constexpr Real kDensityAt0 = 0.3989422804014327; // 1 / sqrt(2 pi)

static Real normalBelow(Real x) {
  return Real(0.5) * std::erfc(-x * kRootHalf);
}

static void gelu(const Call &call) {
  for (int64_t i = 0; i < call.out[0].count(); ++i)
    call.out[0][i] = call.in[0][i] * normalBelow(call.in[0][i]);
}

static void geluGradient(const Call &call) {
  for (int64_t i = 0; i < call.dOut[0].count(); ++i) {
    Real x = call.in[0][i];
    Real density = kDensityAt0 * std::exp(-Real(0.5) * x * x);
    call.dIn[0][i] += call.dOut[0][i] * (normalBelow(x) + x * density);
  }
}

OperatorTable pointwise() {
  return {{"Add", {add, addGradient}},
          {"Mul", {mul, mulGradient}},
          {"Relu", {relu, reluGradient}},
          {"Tanh", {tanh, tanhGradient}},
          {"Gelu", {gelu, geluGradient}}};
}

} // namespace example
