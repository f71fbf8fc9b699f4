// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small training graphs whose best plans can be worked out on paper.

#ifndef REPRISE_TESTS_SUPPORT_HANDMADEGRAPHS_H
#define REPRISE_TESTS_SUPPORT_HANDMADEGRAPHS_H

#include "reprise/graph/Graph.h"

namespace reprise {

/// a0 > f1 > a1 .. f<length> > a<length> > seed > d<length>, then b<length> ..
/// b1, where b<i> reads a<i-1>, a<i> and d<i> and makes d<i-1>; every tensor
/// has one byte and every node costs one. a0 is the input, d0 the output.
Graph unitChain(unsigned length);

/// x > h<i> > y<i> for each of \p points, all y into `sum`, `loss`, then per
/// point y<i>.b, which reads h<i>, and h<i>.b, which reads x. h<i> and its
/// gradient have 100 bytes, all else one; h<i> and h<i>.b cost 10, y<i> 1,
/// y<i>.b 2, `sum` \p points, `loss` 1.
Graph star(unsigned points);

} // namespace reprise

#endif // REPRISE_TESTS_SUPPORT_HANDMADEGRAPHS_H
