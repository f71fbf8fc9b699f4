// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of each operator: what its gradient reads, what running it and
// its gradient costs, and whether its output is a view. One row per operator;
// OperatorTable.cpp has the rows.

#ifndef REPRISE_OPERATORS_OPERATORTABLE_H
#define REPRISE_OPERATORS_OPERATORTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <initializer_list>

namespace reprise {

/// What the gradient for one input of an operator reads besides the gradients
/// of the outputs: a set of the operator's own inputs and outputs.
using ReadSet = uint32_t;

inline constexpr ReadSet kNothing = 0;
/// Input \p i, i < 8.
constexpr ReadSet inputRead(unsigned i) { return 1u << i; }
/// Output \p i, i < 8; passed over where the node omits it.
constexpr ReadSet outputRead(unsigned i) { return 1u << (8 + i); }
inline constexpr ReadSet kThisInput = 1u << 16;   ///< the input itself
inline constexpr ReadSet kOtherInputs = 1u << 17; ///< every input but it
inline constexpr ReadSet kAllInputs = kThisInput | kOtherInputs;
inline constexpr ReadSet kAllOutputs = 1u << 18;
/// Nothing is read, and the gradient is the output's as it is (its shape
/// aside): a view of it, where sizes are equal.
inline constexpr ReadSet kPassed = 1u << 30;
/// The input has no gradient: an index, a shape, a condition.
inline constexpr ReadSet kNoGradient = 1u << 31;

/// How the FLOPs of an operator follow from its shapes. A multiply-add is two.
enum class Work : uint8_t {
  None,
  PerOutput,    ///< factor for each element of the outputs
  PerLargest,   ///< factor for each element of the largest operand
  PerWindow,    ///< one for each output element and kernel position
  Convolution,  ///< 2 * outputs * channels per group * kernel, + bias
  Transposed,   ///< 2 * inputs * outputs per group * kernel, + bias
  Product,      ///< MatMul: 2 * outputs * inner dimension
  ProductAdd,   ///< Gemm: the same, + 1 per output for the third operand
  Contraction,  ///< Einsum: 2 * the product of all its index ranges
  Recurrence,   ///< RNN, GRU, LSTM: the products of all gates and steps
  Attention,    ///< both products of scaled dot-product attention
  Normalization ///< LRN: per element 2 * size + 5
};

/// FLOPs by a formula and a factor.
struct WorkRule {
  Work work = Work::None;
  double factor = 1;
};

/// Bytes that an operator or its gradient holds while it runs.
enum class Workspace : uint8_t {
  None,
  Gates, ///< recurrent operators: all gates of all steps
  Scores ///< attention: queries times keys, for every head
};

/// The row of one operator.
class OperatorRule {
public:
  static constexpr unsigned kMaxReadSets = 10;

  constexpr OperatorRule(llvm::StringLiteral name, WorkRule forward,
                         std::initializer_list<ReadSet> reads,
                         WorkRule backward = {})
      : name(name), forward(forward), backward(backward) {
    for (ReadSet set : reads)
      sets[count++] = set;
  }

  /// The last read set holds for all further inputs.
  constexpr OperatorRule repeated() const {
    OperatorRule rule = *this;
    rule.lastRepeats = true;
    return rule;
  }
  /// What the first input's gradient reads where the node omits output 1.
  constexpr OperatorRule without1(ReadSet set) const {
    OperatorRule rule = *this;
    rule.firstWithout1 = set;
    rule.hasWithout1 = true;
    return rule;
  }
  /// Only the first output has a gradient.
  constexpr OperatorRule firstOutput() const {
    OperatorRule rule = *this;
    rule.outputsWithGradient = 1;
    return rule;
  }
  /// The FLOPs of the gradient are for all inputs together, not for each.
  constexpr OperatorRule jointly() const {
    OperatorRule rule = *this;
    rule.isJoint = true;
    return rule;
  }
  constexpr OperatorRule view() const {
    OperatorRule rule = *this;
    rule.isView = true;
    return rule;
  }
  constexpr OperatorRule random() const {
    OperatorRule rule = *this;
    rule.isRandom = true;
    return rule;
  }
  constexpr OperatorRule holds(Workspace forward, Workspace backward) const {
    OperatorRule rule = *this;
    rule.workspace = forward;
    rule.backwardWorkspace = backward;
    return rule;
  }

  /// What the gradient for input \p i reads.
  ReadSet reads(unsigned i, bool hasOutput1) const {
    if (i == 0 && hasWithout1 && !hasOutput1)
      return firstWithout1;
    if (i < count)
      return sets[i];
    return lastRepeats && count > 0 ? sets[count - 1] : kNoGradient;
  }
  bool outputHasGradient(unsigned i) const {
    return i >= 32 || (outputsWithGradient >> i & 1) != 0;
  }

  llvm::StringLiteral name;
  WorkRule forward, backward;
  bool isJoint = false;
  bool isView = false;   ///< the first output is the first input, reshaped
  bool isRandom = false; ///< draws numbers: must not run twice
  Workspace workspace = Workspace::None;
  Workspace backwardWorkspace = Workspace::None;

private:
  ReadSet sets[kMaxReadSets] = {};
  ReadSet firstWithout1 = kNothing;
  uint32_t outputsWithGradient = ~0u;
  uint8_t count = 0;
  bool lastRepeats = false, hasWithout1 = false;
};

/// The row of \p opType, or null for an operator that the table does not have.
const OperatorRule *findOperator(llvm::StringRef opType);

/// An operator that the table does not have: its gradient reads all inputs and
/// outputs.
const OperatorRule &unknownOperator();

/// All rows, sorted by name.
llvm::ArrayRef<OperatorRule> operatorTable();

} // namespace reprise

#endif // REPRISE_OPERATORS_OPERATORTABLE_H
