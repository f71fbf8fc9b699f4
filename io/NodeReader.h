// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One entry of `graph.node`, private to io/.

#ifndef REPRISE_IO_NODEREADER_H
#define REPRISE_IO_NODEREADER_H

#include "reprise/graph/GraphBuilder.h"
#include "reprise/io/GraphReader.h"
#include "reprise/io/Json.h"

namespace reprise {

/// Reads nodes into a builder. One reader serves many nodes and keeps its
/// memory between them.
class NodeReader {
public:
  /// For JsonVisitor::wants: the fields that read() looks at. Of attributes,
  /// only graphs and in them only names are of interest.
  static bool wants(llvm::StringRef top, llvm::StringRef key);

  /// Adds the node \p value to \p builder, its `backward` object to
  /// \p overrides, and what the operator table wants to know of it to
  /// \p facts. Fails with "node NAME: FIELD: ...".
  llvm::Error read(JsonValue value, GraphBuilder &builder,
                   std::vector<BackwardOverride> &overrides, ModelFacts &facts);

  /// Reads the derived node \p value of a schedule, called \p name, into
  /// \p node, which lives until the next call. Its phase is backward where it
  /// says none.
  llvm::Error readDerived(llvm::StringRef name, JsonValue value,
                          NodeDescription &node);

  /// Was one of the nodes that read() added of the backward phase?
  bool sawBackward() const { return anyBackward; }

private:
  using NamePairs = std::vector<std::pair<llvm::StringRef, llvm::StringRef>>;

  void clear();
  void fill(NodeDescription &node) const;
  llvm::Error readFields(JsonValue value, NodeDescription &node);
  llvm::Error readMemory(JsonValue value);
  llvm::Error readPairs(JsonValue value, llvm::StringRef field,
                        NamePairs &pairs);

  std::vector<llvm::StringRef> inputs, outputs;
  std::vector<int64_t> bytes;
  NamePairs alias, inplace;
  bool anyBackward = false;
};

} // namespace reprise

#endif // REPRISE_IO_NODEREADER_H
