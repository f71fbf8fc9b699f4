// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators over rows: the last axis of a tensor.

#include "Operators.h"

#include <algorithm>
#include <cmath>

namespace example {

static constexpr Real kEpsilon = 1e-5; // ONNX's default

static void softmaxRow(const Real *x, Real *y, int64_t width) {
  Real largest = *std::max_element(x, x + width), sum = 0;
  for (int64_t j = 0; j < width; ++j)
    sum += y[j] = std::exp(x[j] - largest);
  for (int64_t j = 0; j < width; ++j)
    y[j] /= sum;
}

static void softmax(const Call &call) {
  int64_t width = call.out[0].shape().back();
  for (int64_t at = 0; at < call.out[0].count(); at += width)
    softmaxRow(call.in[0].reals + at, call.out[0].reals + at, width);
}

static void softmaxGradient(const Call &call) {
  const Tensor &y = call.out[0], &dy = call.dOut[0], &dx = call.dIn[0];
  int64_t width = dy.shape().back();
  for (int64_t at = 0; at < dy.count(); at += width) {
    Real dot = 0;
    for (int64_t i = at; i < at + width; ++i)
      dot += y[i] * dy[i];
    for (int64_t i = at; i < at + width; ++i)
      dx[i] += y[i] * (dy[i] - dot);
  }
}

// SoftmaxCrossEntropyLoss: the mean over the rows of -log softmax(x)[label]

/// log(sum of exp(x[j])) of row \p row of \p x.
static Real logSum(const Tensor &x, int64_t row) {
  int64_t width = x.shape()[1];
  const Real *begin = x.reals + row * width;
  Real largest = *std::max_element(begin, begin + width), sum = 0;
  for (int64_t j = 0; j < width; ++j)
    sum += std::exp(begin[j] - largest);
  return largest + std::log(sum);
}

static void crossEntropy(const Call &call) {
  const Tensor &x = call.in[0];
  int64_t rows = x.shape()[0], width = x.shape()[1];
  Real sum = 0;
  for (int64_t i = 0; i < rows; ++i)
    sum += logSum(x, i) - x[i * width + call.in[1].integers[i]];
  call.out[0][0] = sum / rows;
}

static void crossEntropyGradient(const Call &call) {
  const Tensor &x = call.in[0];
  int64_t rows = x.shape()[0], width = x.shape()[1];
  Real scale = call.dOut[0][0] / rows;
  for (int64_t i = 0; i < rows; ++i) {
    Real total = logSum(x, i);
    for (int64_t j = 0; j < width; ++j)
      call.dIn[0][i * width + j] +=
          scale * (std::exp(x[i * width + j] - total) -
                   (call.in[1].integers[i] == j ? Real(1) : Real(0)));
  }
}

// LayerNormalization: y = (x - mean) / deviation * scale + shift

namespace {
struct Moments {
  Real mean, inverse; ///< 1 / standard deviation
};
} // namespace

static Moments momentsOf(const Real *x, int64_t width) {
  Real mean = 0, variance = 0;
  for (int64_t j = 0; j < width; ++j)
    mean += x[j] / width;
  for (int64_t j = 0; j < width; ++j)
    variance += (x[j] - mean) * (x[j] - mean) / width;
  return {mean, 1 / std::sqrt(variance + kEpsilon)};
}

static void layerNorm(const Call &call) {
  const Tensor &x = call.in[0], &y = call.out[0];
  int64_t width = y.shape().back();
  for (int64_t at = 0; at < y.count(); at += width) {
    Moments m = momentsOf(x.reals + at, width);
    for (int64_t j = 0; j < width; ++j)
      y[at + j] =
          (x[at + j] - m.mean) * m.inverse * call.in[1][j] + call.in[2][j];
  }
}

static void layerNormGradient(const Call &call) {
  const Tensor &x = call.in[0], &scale = call.in[1], &dy = call.dOut[0];
  int64_t width = dy.shape().back();
  for (int64_t at = 0; at < dy.count(); at += width) {
    Moments m = momentsOf(x.reals + at, width);
    Real sum = 0, dot = 0; // means of dy scale, and of that times unit
    for (int64_t j = 0; j < width; ++j) {
      Real unit = (x[at + j] - m.mean) * m.inverse;
      sum += dy[at + j] * scale[j] / width;
      dot += dy[at + j] * scale[j] * unit / width;
      if (call.dIn[1])
        call.dIn[1][j] += dy[at + j] * unit;
      if (call.dIn[2])
        call.dIn[2][j] += dy[at + j];
    }
    for (int64_t j = 0; call.dIn[0] && j < width; ++j) {
      Real unit = (x[at + j] - m.mean) * m.inverse;
      call.dIn[0][at + j] +=
          m.inverse * (dy[at + j] * scale[j] - sum - unit * dot);
    }
  }
}

// BatchNormalization with given moments, by channel

/// Calls \p visit with each element of an image and its channel.
template <typename Visit>
static void forEachElement(const Shape &shape, const Visit &visit) {
  int64_t size = elementCount(shape) / (shape[0] * shape[1]);
  for (int64_t i = 0; i < elementCount(shape); ++i)
    visit(i, i / size % shape[1]);
}

static void batchNorm(const Call &call) {
  forEachElement(call.out[0].shape(), [&](int64_t i, int64_t c) {
    Real inverse = 1 / std::sqrt(call.in[4][c] + kEpsilon);
    call.out[0][i] = (call.in[0][i] - call.in[3][c]) * inverse * call.in[1][c] +
                     call.in[2][c];
  });
}

static void batchNormGradient(const Call &call) {
  const Tensor &dy = call.dOut[0];
  forEachElement(dy.shape(), [&](int64_t i, int64_t c) {
    Real inverse = 1 / std::sqrt(call.in[4][c] + kEpsilon);
    if (call.dIn[0])
      call.dIn[0][i] += dy[i] * inverse * call.in[1][c];
    if (call.dIn[1])
      call.dIn[1][c] += dy[i] * (call.in[0][i] - call.in[3][c]) * inverse;
    if (call.dIn[2])
      call.dIn[2][c] += dy[i];
  });
}

OperatorTable normalizations() {
  return {{"Softmax", {softmax, softmaxGradient}},
          {"SoftmaxCrossEntropyLoss", {crossEntropy, crossEntropyGradient}},
          {"LayerNormalization", {layerNorm, layerNormGradient}},
          {"BatchNormalization", {batchNorm, batchNormGradient}}};
}

} // namespace example
