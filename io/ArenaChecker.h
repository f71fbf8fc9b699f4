// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the arena of a schedule file, private to io/.

#ifndef REPRISE_IO_ARENACHECKER_H
#define REPRISE_IO_ARENACHECKER_H

#include "reprise/io/ScheduleReplay.h"

namespace reprise {

/// Tells \p findings about every buffer of \p file's arena that overlaps
/// another in steps and in bytes, is too small or misaligned, every residency
/// of \p figures without a buffer, and a wrong size. O(n log n).
void checkArena(const Graph &graph, const ScheduleFile &file,
                const ReplayFigures &figures, Findings &findings);

} // namespace reprise

#endif // REPRISE_IO_ARENACHECKER_H
