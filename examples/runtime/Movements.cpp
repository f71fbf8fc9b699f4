// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Operators.h"

#include <algorithm>
#include <limits>

namespace example {

// Transpose

/// Calls \p visit with the positions of each element in y and in x.
template <typename Visit>
static void forEachMove(const Call &call, const Visit &visit) {
  const Shape &x = call.in[0].shape(), &y = call.out[0].shape();
  std::vector<int64_t> strides(x.size(), 1); // of x
  for (size_t k = x.size() - 1; k > 0; --k)
    strides[k - 1] = strides[k] * x[k];
  for (int64_t i = 0; i < elementCount(y); ++i) {
    int64_t rest = i, at = 0;
    for (size_t k = y.size(); k-- > 0; rest /= y[k])
      at += rest % y[k] * strides[call.attribute("perm", k, 0)];
    visit(i, at);
  }
}

static void transpose(const Call &call) {
  forEachMove(call, [&](int64_t yAt, int64_t xAt) {
    call.out[0][yAt] = call.in[0][xAt];
  });
}

static void transposeGradient(const Call &call) {
  forEachMove(call, [&](int64_t yAt, int64_t xAt) {
    call.dIn[0][xAt] += call.dOut[0][yAt];
  });
}

// Reshape, Flatten: views, unless the plan wants a copy

static void copy(const Call &call) {
  if (call.out[0])
    std::copy_n(call.in[0].reals, call.out[0].count(), call.out[0].reals);
}

static void copyGradient(const Call &call) {
  for (int64_t i = 0; call.dIn[0] && i < call.dOut[0].count(); ++i)
    call.dIn[0][i] += call.dOut[0][i];
}

// Gather along the first axis: y[i] = x[index[i]], a row each

static void gather(const Call &call) {
  const Tensor &y = call.out[0];
  int64_t width = y.shape().back();
  for (int64_t i = 0; i < y.count(); ++i)
    y[i] = call.in[0][call.in[1].integers[i / width] * width + i % width];
}

static void gatherGradient(const Call &call) {
  const Tensor &dy = call.dOut[0];
  int64_t width = dy.shape().back();
  for (int64_t i = 0; i < dy.count(); ++i)
    call.dIn[0][call.in[1].integers[i / width] * width + i % width] += dy[i];
}

// MaxPool without padding

/// Calls \p visit with each element of y and the position in x that it is
/// from: the first of its window that has the largest value.
template <typename Visit>
static void forEachWindow(const Call &call, const Visit &visit) {
  const Shape &x = call.in[0].shape(), &y = call.out[0].shape();
  for (int64_t i = 0; i < elementCount(y); ++i) {
    int64_t image = i / (y[2] * y[3]);
    int64_t top = i / y[3] % y[2] * call.attribute("strides", 0, 1);
    int64_t left = i % y[3] * call.attribute("strides", 1, 1);
    Real largest = -std::numeric_limits<Real>::infinity();
    int64_t best = 0;
    for (int64_t p = 0; p < call.attribute("kernel_shape", 0, 1); ++p)
      for (int64_t q = 0; q < call.attribute("kernel_shape", 1, 1); ++q) {
        int64_t at = (image * x[2] + top + p) * x[3] + left + q;
        if (call.in[0][at] > largest) {
          largest = call.in[0][at];
          best = at;
        }
      }
    visit(i, best);
  }
}

static void maxPool(const Call &call) {
  forEachWindow(call, [&](int64_t yAt, int64_t xAt) {
    call.out[0][yAt] = call.in[0][xAt];
  });
}

static void maxPoolGradient(const Call &call) {
  forEachWindow(call, [&](int64_t yAt, int64_t xAt) {
    call.dIn[0][xAt] += call.dOut[0][yAt];
  });
}

// GlobalAveragePool

static void averagePool(const Call &call) {
  int64_t size = call.in[0].count() / call.out[0].count();
  for (int64_t i = 0; i < call.out[0].count(); ++i) {
    Real sum = 0;
    for (int64_t j = 0; j < size; ++j)
      sum += call.in[0][i * size + j];
    call.out[0][i] = sum / size;
  }
}

static void averagePoolGradient(const Call &call) {
  int64_t size = call.dIn[0].count() / call.dOut[0].count();
  for (int64_t i = 0; i < call.dIn[0].count(); ++i)
    call.dIn[0][i] += call.dOut[0][i / size] / size;
}

OperatorTable movements() {
  return {{"Transpose", {transpose, transposeGradient}},
          {"Reshape", {copy, copyGradient}},
          {"Flatten", {copy, copyGradient}},
          {"Gather", {gather, gatherGradient}},
          {"MaxPool", {maxPool, maxPoolGradient}},
          {"GlobalAveragePool", {averagePool, averagePoolGradient}}};
}

} // namespace example
