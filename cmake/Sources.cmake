# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The sources of the library and of the command, by folder, in layer order.
set(REPRISE_SOURCES
  graph/Error.cpp
  graph/GraphBuilder.cpp
  planner/Liveness.cpp
  planner/Objective.cpp
  planner/Floor.cpp
  planner/Cuts.cpp
  planner/Emitter.cpp
  planner/SqrtN.cpp
  planner/Simulator.cpp
  io/Json.cpp
  io/JsonValue.cpp
  io/TensorShape.cpp
  io/NodeReader.cpp
  io/GraphReader.cpp
  io/ByteSize.cpp
  io/OutputFile.cpp
  io/ScheduleWriter.cpp
  io/NodeRecord.cpp
  io/ScheduleReader.cpp
  io/ScheduleReplay.cpp
  io/ArenaChecker.cpp
  io/ScheduleChecker.cpp
)

set(REPRISE_TOOL_SOURCES
  tools/Console.cpp
  tools/GraphInput.cpp
  tools/PlanCommand.cpp
  tools/CheckCommand.cpp
  tools/InfoCommand.cpp
  tools/reprise.cpp
)
