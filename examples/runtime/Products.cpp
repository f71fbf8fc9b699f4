// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Operators.h"

#include <algorithm>

namespace example {

namespace {
/// A matrix by its strides, so that a transpose is a matter of reading.
struct Matrix {
  Real *data;
  int64_t rows, columns, rowStride, columnStride;

  Real &at(int64_t i, int64_t j) const {
    return data[i * rowStride + j * columnStride];
  }
  Matrix transposed() const {
    return {data, columns, rows, columnStride, rowStride};
  }
};
} // namespace

static Matrix matrix(Real *data, int64_t rows, int64_t columns) {
  return {data, rows, columns, columns, 1};
}

/// c += a b
static void addProduct(Matrix c, Matrix a, Matrix b) {
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j) {
      Real sum = 0;
      for (int64_t k = 0; k < a.columns; ++k)
        sum += a.at(i, k) * b.at(k, j);
      c.at(i, j) += sum;
    }
}

/// \p t, stored as it is; `isTransposed`: to be read as its transpose.
static Matrix operand(const Tensor &t, bool isTransposed) {
  Matrix stored = matrix(t.reals, t.shape()[0], t.shape()[1]);
  return isTransposed ? stored.transposed() : stored;
}

// Gemm: y = a b + c, c a row

static void gemm(const Call &call) {
  Matrix y = operand(call.out[0], false);
  for (int64_t i = 0; i < y.rows; ++i)
    for (int64_t j = 0; j < y.columns; ++j)
      y.at(i, j) = call.in[2][j];
  addProduct(y, operand(call.in[0], call.attribute("transA", 0, 0)),
             operand(call.in[1], call.attribute("transB", 0, 0)));
}

static void gemmGradient(const Call &call) {
  bool transA = call.attribute("transA", 0, 0);
  bool transB = call.attribute("transB", 0, 0);
  Matrix dy = operand(call.dOut[0], false);
  if (call.dIn[0])
    addProduct(operand(call.dIn[0], transA), dy,
               operand(call.in[1], transB).transposed());
  if (call.dIn[1])
    addProduct(operand(call.dIn[1], transB),
               operand(call.in[0], transA).transposed(), dy);
  if (call.dIn[2])
    for (int64_t i = 0; i < dy.rows; ++i)
      for (int64_t j = 0; j < dy.columns; ++j)
        call.dIn[2][j] += dy.at(i, j);
}

// MatMul: one product for each batch index; b may be one matrix for all

/// The matrix of \p t for batch index \p batch.
static Matrix slice(const Tensor &t, int64_t batch) {
  const Shape &shape = t.shape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t offset = shape.size() == 2 ? 0 : batch * rows * columns;
  return matrix(t.reals ? t.reals + offset : nullptr, rows, columns);
}

static int64_t batchesOf(const Tensor &y) {
  const Shape &shape = y.shape();
  return y.count() / (shape[shape.size() - 2] * shape.back());
}

static void matMul(const Call &call) {
  std::fill_n(call.out[0].reals, call.out[0].count(), Real(0));
  for (int64_t batch = 0; batch < batchesOf(call.out[0]); ++batch)
    addProduct(slice(call.out[0], batch), slice(call.in[0], batch),
               slice(call.in[1], batch));
}

static void matMulGradient(const Call &call) {
  for (int64_t batch = 0; batch < batchesOf(call.dOut[0]); ++batch) {
    Matrix dy = slice(call.dOut[0], batch);
    if (call.dIn[0])
      addProduct(slice(call.dIn[0], batch), dy,
                 slice(call.in[1], batch).transposed());
    if (call.dIn[1])
      addProduct(slice(call.dIn[1], batch),
                 slice(call.in[0], batch).transposed(), dy);
  }
}

// Conv, in two dimensions

/// Calls \p visit with the positions in y, x and w of each factor pair.
template <typename Visit>
static void forEachTap(const Call &call, const Visit &visit) {
  const Shape &x = call.in[0].shape(), &w = call.in[1].shape(),
              &y = call.out[0].shape();
  int64_t strideY = call.attribute("strides", 0, 1);
  int64_t strideX = call.attribute("strides", 1, 1);
  int64_t padY = call.attribute("pads", 0, 0);
  int64_t padX = call.attribute("pads", 1, 0);
  int64_t yAt = 0;
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t k = 0; k < y[1]; ++k)
      for (int64_t i = 0; i < y[2]; ++i)
        for (int64_t j = 0; j < y[3]; ++j, ++yAt)
          for (int64_t c = 0; c < w[1]; ++c)
            for (int64_t p = 0; p < w[2]; ++p)
              for (int64_t q = 0; q < w[3]; ++q) {
                int64_t row = i * strideY + p - padY;
                int64_t column = j * strideX + q - padX;
                if (row < 0 || row >= x[2] || column < 0 || column >= x[3])
                  continue;
                visit(yAt, ((n * x[1] + c) * x[2] + row) * x[3] + column,
                      ((k * w[1] + c) * w[2] + p) * w[3] + q);
              }
}

/// The channel of element \p i of an image.
static int64_t channelOf(const Shape &shape, int64_t i) {
  return i / (shape[2] * shape[3]) % shape[1];
}

static void conv(const Call &call) {
  const Tensor &x = call.in[0], &w = call.in[1], &y = call.out[0];
  for (int64_t i = 0; i < y.count(); ++i)
    y[i] = call.in[2][channelOf(y.shape(), i)];
  forEachTap(call, [&](int64_t yAt, int64_t xAt, int64_t wAt) {
    y[yAt] += x[xAt] * w[wAt];
  });
}

static void convGradient(const Call &call) {
  const Tensor &dy = call.dOut[0];
  forEachTap(call, [&](int64_t yAt, int64_t xAt, int64_t wAt) {
    if (call.dIn[0])
      call.dIn[0][xAt] += dy[yAt] * call.in[1][wAt];
    if (call.dIn[1])
      call.dIn[1][wAt] += dy[yAt] * call.in[0][xAt];
  });
  if (call.dIn[2])
    for (int64_t i = 0; i < dy.count(); ++i)
      call.dIn[2][channelOf(dy.shape(), i)] += dy[i];
}

OperatorTable products() {
  return {{"Gemm", {gemm, gemmGradient}},
          {"MatMul", {matMul, matMulGradient}},
          {"Conv", {conv, convGradient}}};
}

} // namespace example
