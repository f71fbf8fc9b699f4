// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the names of a schedule file to the steps of a plan.

#ifndef REPRISE_IO_SCHEDULEPLAN_H
#define REPRISE_IO_SCHEDULEPLAN_H

#include "reprise/io/ScheduleReader.h"
#include "reprise/planner/Plan.h"

namespace reprise {

/// The steps of \p file on \p graph, which has its derived nodes. Whether they
/// can be run is not looked at. Fails with an InputError for a name that the
/// graph does not have.
llvm::Expected<Plan> planOfSchedule(const Graph &graph,
                                    const ScheduleFile &file);

} // namespace reprise

#endif // REPRISE_IO_SCHEDULEPLAN_H
