// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose second run is not the first one again.

#ifndef REPRISE_OPERATORS_ONCEOPERATORS_H
#define REPRISE_OPERATORS_ONCEOPERATORS_H

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace reprise {

/// Must a node of \p opType run once only, as far as the name tells: a random
/// draw, a collective (all devices have to take part), or an update of a state
/// (optimizers)? PyTorch's names count with and without namespace and overload:
/// `native_dropout`, `aten::native_dropout`, `aten.native_dropout.default`.
bool mustRunOnce(llvm::StringRef opType);

/// The operators of one kind that mustRunOnce() knows.
struct OnceOperators {
  llvm::StringRef kind;               ///< "random draws"
  std::vector<llvm::StringRef> names; ///< sorted
};

/// All kinds.
std::vector<OnceOperators> onceOperators();

} // namespace reprise

#endif // REPRISE_OPERATORS_ONCEOPERATORS_H
