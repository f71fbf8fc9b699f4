// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkmate (Jain et al. 2020) fixes an order of first runs and gives each node
// a stage: its first run and what is run again for it. A bound for that order
// is none for others. Here the stages are cut by the first runs of nodes
// x_0 .. x_{k-1} that are ordered in every plan, each an ancestor of the next:
//
//   stage 0   | x_0   stage 1   | x_1   stage 2   ...   | x_{k-1}   stage k |
//             moment 0          moment 1                                    end
//
// The first run of a node that x_m depends on is in stage m or earlier; that of
// a node that depends on x_m in stage m + 1 or later. Where a node is free to
// run in several stages, so it is in the program.
//
//   run(n, s)       node n runs in stage s
//   resident(u, m)  a copy of buffer u is in memory at moment m
//
//   least  sum cost(n) * (sum_s run(n, s) - 1)   where
//   (1)  sum over n's stages of run(n, s) >= 1        the first run
//   (2)  run(n, s) <= resident(u, s - 1) + run(maker of u, s)    n reads u
//   (3)  resident(u, m) <= resident(u, m - 1) + run(maker of u, m)
//   (4)  resident(u, m) = 1              x_m reads u; u is an output, m the end
//   (5)  sum bytes(u) * resident(u, m) <= what x_m leaves of the budget
//
// Within a stage: what is in memory at its end without having been made in it
// was there all along, beside whatever ran (6):
//
//   through(u, s) >= resident(u, s) - run(maker of u, s)
//   sum bytes(u) * through(u, s) over u that n does not touch
//     + (bytes of n's step) * run(n, s) <= budget
//
// A fraction of a buffer may serve many fractions of runs, one per stage. What
// runs at all after a moment needs what it reads once more or still (7):
//
//   after(n, m) <= sum over stages s > m of run(n, s); 1 if n's first is later
//   after(n, m) <= resident(u, m) + after(maker of u, m)        n reads u
//
// What is known of whole buffers (WindowBound.h) is added (8):
//
//   sum over n before x_a, s in a + 1 .. b of cost(n) * run(n, s) >= W(a, b)
//
// Every plan gives a solution of the same cost or less. Columns: nodes and
// buffers times the stages in which they matter.

#include "reprise/planner/StageProgram.h"

#include "reprise/planner/BoundChain.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace reprise {

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(const Problem &problem, llvm::ArrayRef<NodeId> points)
      : problem(problem), graph(problem.graph), points(points),
        end(points.size()), places(placeOnChain(graph, points)),
        budget(double(problem.budgetBytes - graph.constantBytes())) {}

  LinearProgram build(llvm::ArrayRef<Window> windows);

private:
  void findUnits();
  void findLastUses();
  void addColumns();
  void addFirstRuns();
  void addReads();
  void addResidencies();
  void addCapacities();
  void addStages();
  void addAfter();
  void addAfterReads(NodeId n, uint32_t moment);
  void addWindow(const Window &window);
  void addThrough(uint32_t stage);
  void addStep(NodeId n, uint32_t stage, uint32_t throughSum);

  /// Stages in which the first run of \p n may be.
  uint32_t firstStage(NodeId n) const { return places.after[n] + 1; }
  uint32_t lastStage(NodeId n) const { return places.before[n]; }
  uint32_t run(NodeId n, uint32_t stage) const;
  uint32_t resident(TensorId u, uint32_t moment) const;
  double bytes(TensorId u) const {
    return double(graph.storageBytes(graph.storage(u)));
  }

  const Problem &problem;
  const Graph &graph;
  llvm::ArrayRef<NodeId> points;
  uint32_t end; ///< the last stage, and the moment after it
  ChainPlaces places;
  double budget;
  LinearProgram program;
  std::vector<TensorId> owner; ///< by tensor: what a chain of views starts at
  std::vector<TensorId> units; ///< owners with bytes of their own
  std::vector<uint8_t> isUnit; ///< by tensor
  std::vector<llvm::SmallVector<TensorId, 4>> reads; ///< units, by node
  std::vector<int64_t> lastUse;        ///< by unit: last stage with a reader
  std::vector<uint32_t> lastRun;       ///< by node: last stage worth a run
  std::vector<uint32_t> runColumns;    ///< by node: of its first stage
  std::vector<uint32_t> residentColumns; ///< by tensor: of its first moment
  std::vector<uint32_t> throughColumns;  ///< by tensor, of the present stage
  std::vector<uint32_t> afterColumns;    ///< by node, of the present moment
};

} // namespace

void ProgramBuilder::findUnits() {
  owner.resize(graph.numTensors());
  isUnit.assign(graph.numTensors(), 0);
  for (TensorId t = 0; t < owner.size(); ++t) {
    bool isView = graph.storageUse(t) == StorageUse::Alias;
    owner[t] = isView ? owner[graph.base(t)] : t;
    isUnit[t] = !isView && !graph.isConstant(t) &&
                !graph.isConstantStorage(graph.storage(t)) &&
                graph.storageBytes(graph.storage(t)) > 0;
    if (isUnit[t])
      units.push_back(t);
  }
  reads.resize(graph.numNodes());
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    for (TensorId t : graph.reads(n))
      if (isUnit[owner[t]] && !llvm::is_contained(reads[n], owner[t]))
        reads[n].push_back(owner[t]);
}

/// A buffer matters until its last reader's last run, a run until the last use
/// of what it makes.
void ProgramBuilder::findLastUses() {
  lastUse.assign(graph.numTensors(), -1);
  lastRun.assign(graph.numNodes(), 0);
  for (TensorId t : graph.graphOutputs())
    lastUse[owner[t]] = int64_t(end) + 1;
  for (NodeId n : llvm::reverse(graph.order())) {
    lastRun[n] = lastStage(n);
    for (TensorId t : graph.outputs(n))
      if (t != kNone && isUnit[t] && graph.mayRecompute(n))
        lastRun[n] = std::max<int64_t>(
            lastRun[n], std::min<int64_t>(lastUse[t], end));
    for (TensorId u : reads[n])
      lastUse[u] = std::max<int64_t>(lastUse[u], lastRun[n]);
  }
}

void ProgramBuilder::addColumns() {
  runColumns.assign(graph.numNodes(), kNone);
  residentColumns.assign(graph.numTensors(), kNone);
  for (NodeId n : graph.order()) {
    double least = firstStage(n) == lastStage(n) ? 1 : 0;
    for (uint32_t s = firstStage(n); s <= lastRun[n]; ++s) {
      bool isFirst = s == firstStage(n);
      uint32_t column =
          program.addColumn(problem.costs[n], isFirst ? least : 0, 1);
      if (isFirst)
        runColumns[n] = column;
    }
  }
  for (TensorId u : units) {
    uint32_t first = firstStage(graph.producer(u));
    for (int64_t m = first; m < lastUse[u]; ++m) {
      uint32_t column = program.addColumn(0, 0, 1);
      if (m == first)
        residentColumns[u] = column;
    }
  }
}

/// The column of a run; kNone when there is none.
uint32_t ProgramBuilder::run(NodeId n, uint32_t stage) const {
  if (stage < firstStage(n) || stage > lastRun[n])
    return kNone;
  return runColumns[n] + stage - firstStage(n);
}

uint32_t ProgramBuilder::resident(TensorId u, uint32_t moment) const {
  uint32_t first = firstStage(graph.producer(u));
  if (moment < first || int64_t(moment) >= lastUse[u])
    return kNone;
  return residentColumns[u] + moment - first;
}

void ProgramBuilder::addFirstRuns() {
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    if (firstStage(n) == lastStage(n))
      continue;
    for (uint32_t s = firstStage(n); s <= lastStage(n); ++s)
      program.add(run(n, s), 1);
    program.endRow(1);
  }
}

void ProgramBuilder::addReads() {
  std::vector<uint8_t> isPoint(graph.numNodes(), 0);
  for (NodeId x : points)
    isPoint[x] = 1;
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    for (uint32_t s = firstStage(n); s <= lastRun[n]; ++s)
      for (TensorId u : reads[n]) {
        // A moment is the first step of its stage.
        uint32_t before = s > 0 ? resident(u, s - 1) : kNone;
        if (isPoint[n] && s == firstStage(n)) {
          program.columnLower[before] = 1;
          continue;
        }
        program.add(run(n, s), -1);
        if (before != kNone)
          program.add(before, 1);
        if (uint32_t made = run(graph.producer(u), s); made != kNone)
          program.add(made, 1);
        program.endRow(0);
      }
}

void ProgramBuilder::addResidencies() {
  for (TensorId u : units)
    for (uint32_t m = firstStage(graph.producer(u)); int64_t(m) < lastUse[u];
         ++m) {
      program.add(resident(u, m), -1);
      if (uint32_t before = m > 0 ? resident(u, m - 1) : kNone;
          before != kNone)
        program.add(before, 1);
      if (uint32_t made = run(graph.producer(u), m); made != kNone)
        program.add(made, 1);
      program.endRow(0);
    }
  for (TensorId t : graph.graphOutputs())
    if (isUnit[owner[t]])
      program.columnLower[resident(owner[t], end)] = 1;
}

void ProgramBuilder::addCapacities() {
  for (uint32_t m = 0; m <= end; ++m) {
    double taken = m < end ? double(graph.ownedBytes(points[m]) +
                                    graph.workspaceBytes(points[m]))
                           : 0;
    for (TensorId u : units)
      if (uint32_t column = resident(u, m); column != kNone)
        program.add(column, -bytes(u) / budget);
    program.endRow(-(budget - taken) / budget);
  }
}

/// Rule 6.
void ProgramBuilder::addStages() {
  for (uint32_t s = 1; s <= end; ++s)
    addThrough(s);
}

void ProgramBuilder::addThrough(uint32_t stage) {
  throughColumns.assign(graph.numTensors(), kNone);
  std::vector<TensorId> through;
  for (TensorId u : units) {
    uint32_t at = resident(u, stage);
    if (at == kNone || resident(u, stage - 1) == kNone)
      continue;
    throughColumns[u] = program.addColumn(0, 0, 1);
    through.push_back(u);
    program.add(throughColumns[u], 1);
    program.add(at, -1);
    if (uint32_t made = run(graph.producer(u), stage); made != kNone)
      program.add(made, 1);
    program.endRow(0);
  }
  uint32_t sum = program.addColumn(0, 0, 1);
  program.add(sum, 1);
  for (TensorId u : through)
    program.add(throughColumns[u], -bytes(u) / budget);
  program.endRow(0);
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (run(n, stage) != kNone)
      addStep(n, stage, sum);
}

/// What is held through the stage fits beside a step of \p n.
void ProgramBuilder::addStep(NodeId n, uint32_t stage, uint32_t throughSum) {
  double step = double(graph.ownedBytes(n) + graph.workspaceBytes(n));
  for (TensorId u : reads[n]) {
    step += bytes(u);
    if (throughColumns[u] != kNone)
      program.add(throughColumns[u], bytes(u) / budget);
  }
  for (TensorId t : graph.outputs(n))
    if (t != kNone && isUnit[t] && throughColumns[t] != kNone)
      program.add(throughColumns[t], bytes(t) / budget);
  program.add(throughSum, -1);
  program.add(run(n, stage), -step / budget);
  program.endRow(-1);
}

/// Rule 7. Columns for nodes whose first run may be before the moment, and that
/// may run after it.
void ProgramBuilder::addAfter() {
  for (uint32_t m = 0; m < end; ++m) {
    afterColumns.assign(graph.numNodes(), kNone);
    for (NodeId n = 0; n < graph.numNodes(); ++n) {
      if (firstStage(n) > m || lastRun[n] <= m)
        continue;
      afterColumns[n] = program.addColumn(0, 0, 1);
      program.add(afterColumns[n], -1);
      for (uint32_t s = m + 1; s <= lastRun[n]; ++s)
        program.add(run(n, s), 1);
      program.endRow(0);
    }
    for (NodeId n = 0; n < graph.numNodes(); ++n)
      if (lastRun[n] > m)
        addAfterReads(n, m);
    for (TensorId t : graph.graphOutputs())
      if (uint32_t at = isUnit[owner[t]] ? resident(owner[t], m) : kNone;
          at != kNone) {
        program.add(at, 1);
        if (uint32_t made = afterColumns[graph.producer(owner[t])];
            made != kNone)
          program.add(made, 1);
        program.endRow(1);
      }
  }
}

void ProgramBuilder::addAfterReads(NodeId n, uint32_t moment) {
  for (TensorId u : reads[n]) {
    NodeId maker = graph.producer(u);
    if (firstStage(maker) > moment)
      continue; // runs after it for certain
    if (uint32_t at = resident(u, moment); at != kNone)
      program.add(at, 1);
    if (afterColumns[maker] != kNone)
      program.add(afterColumns[maker], 1);
    if (afterColumns[n] != kNone)
      program.add(afterColumns[n], -1);
    program.endRow(afterColumns[n] != kNone ? 0 : 1);
  }
}

/// Rule 8.
void ProgramBuilder::addWindow(const Window &window) {
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    for (uint32_t s = window.first + 1; s <= window.last; ++s)
      if (lastStage(n) <= window.first && problem.costs[n] > 0)
        if (uint32_t column = run(n, s); column != kNone)
          program.add(column, problem.costs[n] / window.cost);
  program.endRow(1);
}

LinearProgram ProgramBuilder::build(llvm::ArrayRef<Window> windows) {
  findUnits();
  findLastUses();
  addColumns();
  addFirstRuns();
  addReads();
  addResidencies();
  addCapacities();
  addStages();
  addAfter();
  for (const Window &window : windows)
    addWindow(window);
  return std::move(program);
}

LinearProgram stageProgram(const Problem &problem,
                           llvm::ArrayRef<NodeId> points,
                           llvm::ArrayRef<Window> windows) {
  return ProgramBuilder(problem, points).build(windows);
}

} // namespace reprise
