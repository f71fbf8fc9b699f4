// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's flow goes to its own cost first and on to what it reads after that.
// One sweep from the last node to the first is a maximum flow where every node
// reads one inner storage, and close to it in others; what got stuck is given
// back by a sweep in the other direction. Dinic's algorithm (1970) does the
// rest and finds the cut. No recursion.

#include "reprise/planner/BlockFlow.h"

#include <algorithm>
#include <limits>

namespace reprise {

static constexpr double kEndless = std::numeric_limits<double>::infinity();

void BlockFlow::start(uint32_t nodes) {
  numNodes = nodes;
  numVertices = 2 + nodes;
  arcs.clear();
}

void BlockFlow::addRead(uint32_t maker, double bytes) {
  arcs.push_back({kSource, 2 + maker, bytes, /*priced=*/true});
}

uint32_t BlockFlow::addInner(uint32_t maker, double bytes) {
  arcs.push_back({numVertices, 2 + maker, bytes, /*priced=*/true});
  return numVertices++ - 2 - numNodes;
}

void BlockFlow::addUse(uint32_t reader, uint32_t inner) {
  arcs.push_back({2 + reader, 2 + numNodes + inner, kEndless,
                  /*priced=*/false});
}

void BlockFlow::addCost(uint32_t node, double cost) {
  arcs.push_back({2 + node, kSink, cost, /*priced=*/false});
}

void BlockFlow::finish() {
  starts.assign(numVertices + 1, 0);
  for (const Arc &arc : arcs) {
    ++starts[arc.from + 1];
    ++starts[arc.to + 1];
  }
  for (uint32_t v = 0; v < numVertices; ++v)
    starts[v + 1] += starts[v];
  next.assign(starts.begin(), starts.end() - 1);
  halves.resize(2 * arcs.size());
  placeOf.resize(arcs.size());
  for (size_t i = 0; i < arcs.size(); ++i) {
    uint32_t forth = next[arcs[i].from]++, back = next[arcs[i].to]++;
    placeOf[i] = forth;
    halves[forth] = {arcs[i].to, back, 0};
    halves[back] = {arcs[i].from, forth, 0};
  }
}

void BlockFlow::reset(double price) {
  double largest = 0;
  for (size_t i = 0; i < arcs.size(); ++i) {
    Half &half = halves[placeOf[i]];
    half.left = arcs[i].priced ? arcs[i].capacity * price : arcs[i].capacity;
    halves[half.mate].left = 0;
    if (half.left < kEndless)
      largest = std::max(largest, half.left);
  }
  smallest = largest * 1e-12;
}

/// Pushes all that the source offers as far as it goes.
void BlockFlow::sweepDown() {
  excess.assign(numVertices, 0);
  for (uint32_t h = starts[kSource]; h < starts[kSource + 1]; ++h) {
    excess[halves[h].to] += halves[h].left;
    push(halves[h], halves[h].left);
  }
  for (uint32_t v = 2 + numNodes; v-- > 2;) {
    for (uint32_t h = starts[v]; h < starts[v + 1] && excess[v] > 0; ++h) {
      Half &half = halves[h];
      if (half.to != kSink)
        continue;
      double flow = std::min(excess[v], half.left);
      push(half, flow);
      excess[v] -= flow;
    }
    for (uint32_t h = starts[v]; h < starts[v + 1] && excess[v] > 0; ++h) {
      Half &half = halves[h];
      if (half.left != kEndless)
        continue;
      // The arc to the maker is the first of an inner storage.
      Half &onward = halves[starts[half.to]];
      double flow = std::min(excess[v], onward.left);
      push(half, flow);
      push(onward, flow);
      excess[v] -= flow;
      excess[onward.to] += flow;
    }
  }
}

/// Takes back what no node could use.
void BlockFlow::giveBack() {
  for (uint32_t v = 2; v < 2 + numNodes; ++v)
    for (uint32_t h = starts[v]; h < starts[v + 1] && excess[v] > 0; ++h) {
      Half &half = halves[h];
      // Arcs to what it reads are endless, those to what it makes are not.
      if (half.to == kSink || half.left == kEndless)
        continue;
      double flow = std::min(excess[v], half.left);
      push(half, flow);
      excess[v] -= flow;
      if (half.to == kSource)
        continue;
      uint32_t u = half.to;
      for (uint32_t k = starts[u] + 1; k < starts[u + 1] && flow > 0; ++k) {
        double part = std::min(flow, halves[k].left);
        push(halves[k], part);
        excess[halves[k].to] += part;
        flow -= part;
      }
    }
}

bool BlockFlow::findLevels() {
  level.assign(numVertices, kNoLevel);
  queue.assign(1, kSource);
  level[kSource] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    uint32_t v = queue[i];
    for (uint32_t h = starts[v]; h < starts[v + 1]; ++h)
      if (halves[h].left > smallest && level[halves[h].to] == kNoLevel) {
        level[halves[h].to] = level[v] + 1;
        queue.push_back(halves[h].to);
      }
  }
  return level[kSink] != kNoLevel;
}

/// Pushes flow along one path of rising levels; false when there is none.
bool BlockFlow::augment() {
  path.clear();
  uint32_t at = kSource;
  while (at != kSink) {
    bool moved = false;
    for (uint32_t &h = next[at]; h < starts[at + 1]; ++h)
      if (halves[h].left > smallest && level[halves[h].to] == level[at] + 1) {
        path.push_back(h);
        at = halves[h].to;
        moved = true;
        break;
      }
    if (moved)
      continue;
    if (path.empty())
      return false;
    at = halves[halves[path.back()].mate].to;
    ++next[at];
    path.pop_back();
  }
  double flow = kEndless;
  for (uint32_t h : path)
    flow = std::min(flow, halves[h].left);
  for (uint32_t h : path)
    push(halves[h], flow);
  return true;
}

void BlockFlow::cut(double price) {
  reset(price);
  sweepDown();
  giveBack();
  while (findLevels()) {
    next.assign(starts.begin(), starts.end() - 1);
    while (augment()) {
    }
  }
}

} // namespace reprise
