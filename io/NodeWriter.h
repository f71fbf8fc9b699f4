// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes nodes in the words of the graph format.

#ifndef REPRISE_IO_NODEWRITER_H
#define REPRISE_IO_NODEWRITER_H

#include "reprise/graph/NodeRecord.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace reprise {

/// Appends the fields of \p node but its name, separated by commas and without
/// the braces: `"opType": "Relu", "input": ["h"], ...`.
void appendNodeFields(std::string &json, const NodeRecord &node);
void appendNodeFields(std::string &json, const NodeDescription &node);

/// The value of a schedule's `nodes`: an object of \p nodes by their names,
/// one per line.
std::string writeDerivedNodes(llvm::ArrayRef<NodeRecord> nodes);

} // namespace reprise

#endif // REPRISE_IO_NODEWRITER_H
