// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/ScheduleInput.h"

#include "reprise/graph/Error.h"
#include "reprise/io/ScheduleChecker.h"
#include "reprise/io/SchedulePlan.h"
#include "reprise/planner/Liveness.h"
#include "reprise/planner/Turn.h"
#include "reprise/tools/Console.h"

namespace reprise {

llvm::Expected<ScheduleInput> loadSchedule(const GraphArguments &arguments,
                                           llvm::StringRef path,
                                           const ControlArguments &control) {
  if (arguments.path == "-" && path == "-")
    return makeInputError("only one of GRAPH and SCHEDULE can be '-'");
  llvm::Expected<ScheduleFile> file = readSchedule(path);
  if (!file)
    return file.takeError();
  llvm::Expected<LoadedGraph> loaded = loadGraph(arguments, &file->nodes);
  if (!loaded)
    return loaded.takeError();
  if (llvm::Error e = liftRules(*loaded, control))
    return e;
  ScheduleCheck check = checkSchedule(*loaded, *file, {});
  if (!check.isValid())
    return inFile(path, makeInputError("not a valid schedule of this graph: " +
                                       check.errors.front()));
  llvm::Expected<Plan> plan = planOfSchedule(loaded->graph, *file);
  if (!plan)
    return inFile(path, plan.takeError());
  return ScheduleInput{std::move(*file),
                       std::move(*loaded),
                       std::move(*plan),
                       check.objective == "seconds" ? Objective::Seconds
                                                    : Objective::Flops,
                       std::move(check.costs),
                       check.baselinePeakBytes,
                       check.baselineCost};
}

llvm::Expected<RunSequence> loadStart(const Problem &problem,
                                      llvm::StringRef path) {
  llvm::Expected<ScheduleFile> file = readSchedule(path);
  if (!file)
    return file.takeError();
  llvm::Expected<Plan> plan = planOfSchedule(problem.graph, *file);
  if (!plan)
    return inFile(path, plan.takeError());
  RunSequence runs = forgetAtTurn(
      problem.graph, withoutIdleRuns(problem.graph, runsOf(*plan)));
  llvm::Expected<Simulation> simulation =
      simulate(problem.graph, problem.costs, planFromRuns(problem.graph, runs));
  if (!simulation)
    return inFile(path, prefixError("no plan of this graph to start from: ",
                                    simulation.takeError()));
  return runs;
}

} // namespace reprise
