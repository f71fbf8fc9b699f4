// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two states are equal when their own figures are and the states without their
// first and without their last segment are: by induction the whole insides are.

#include "reprise/planner/DpTable.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace reprise {

namespace {

/// All that distinguishes a state from those of equal insides.
struct StateKey {
  DpPair pair;
  int64_t gradients, growth;
  uint32_t withoutFirst, withoutLast, saves;
  bool fresh;
  bool operator==(const StateKey &) const = default;
};

struct KeyHash {
  size_t operator()(const StateKey &key) const {
    const DpPair &p = key.pair;
    size_t hash = key.fresh;
    auto mix = [&](uint64_t v) {
      hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    };
    for (int64_t v : {p.newBytes, p.freedBytes, p.forwardNeed, p.leafNeed,
                      p.heldBytes, key.gradients, key.growth})
      mix(v);
    for (double v : {p.leafCost, p.heldGain, p.passCost})
      mix(std::hash<double>()(v));
    for (uint32_t v : {key.withoutFirst, key.withoutLast, key.saves})
      mix(v);
    return hash;
  }
};

} // namespace

static bool equalSaves(llvm::ArrayRef<DpSave> x, llvm::ArrayRef<DpSave> y,
                       uint32_t shift) {
  if (x.size() != y.size())
    return false;
  for (size_t i = 0; i < x.size(); ++i) {
    const DpSave &p = x[i], &q = y[i];
    if (p.to + shift != q.to || p.heldBytes != q.heldBytes ||
        p.forwardNeed != q.forwardNeed || p.backwardNeed != q.backwardNeed ||
        p.restoreCost != q.restoreCost || p.set.extraCost != q.set.extraCost)
      return false;
  }
  return true;
}

/// The first candidate whose saves equal those of each one, figures alone.
static std::vector<uint32_t> saveClasses(const DpModel &model) {
  std::vector<uint32_t> classOf(model.last());
  std::unordered_multimap<size_t, uint32_t> seen;
  for (uint32_t a = 0; a < model.last(); ++a) {
    size_t hash = 0;
    for (const DpSave &s : model.saves(a))
      hash = hash * 31 + std::hash<int64_t>()(s.heldBytes) +
             std::hash<int64_t>()(s.backwardNeed) * 7;
    classOf[a] = a;
    auto [it, end] = seen.equal_range(hash);
    for (; it != end; ++it)
      if (equalSaves(model.saves(it->second), model.saves(a), a - it->second))
        classOf[a] = std::min(classOf[a], it->second);
    if (classOf[a] == a)
      seen.emplace(hash, a);
  }
  return classOf;
}

DpStates::DpStates(const DpModel &model) : idOf(model.numPairs()) {
  std::vector<uint32_t> saves = saveClasses(model);
  std::unordered_map<StateKey, uint32_t, KeyHash> ids;
  for (uint32_t b = 1; b <= model.last(); ++b)
    for (uint32_t a = b; a-- > 0;) {
      bool single = a + 1 == b;
      StateKey key{model.pair(a, b),
                   model.gradients(b),
                   model.growth(b - 1, b),
                   single ? kNone : idOf[model.pairIndex(a + 1, b)],
                   single ? kNone : idOf[model.pairIndex(a, b - 1)],
                   saves[a],
                   model.isFresh(b)};
      auto [it, isNew] = ids.try_emplace(key, states.size());
      idOf[model.pairIndex(a, b)] = it->second;
      if (!isNew)
        continue;
      states.push_back({a, b});
      options += b - a + model.saves(a).size();
    }
}

} // namespace reprise
