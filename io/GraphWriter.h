// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the graph format (docs/formats.md).

#ifndef REPRISE_IO_GRAPHWRITER_H
#define REPRISE_IO_GRAPHWRITER_H

#include "reprise/io/GraphReader.h"

#include <string>

namespace reprise {

/// The text of a graph file that reads back as \p loaded: with all costs,
/// sizes and types spelled out, one node per line. The same bytes for the same
/// graph.
std::string writeGraph(const LoadedGraph &loaded);

} // namespace reprise

#endif // REPRISE_IO_GRAPHWRITER_H
