// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLP's dual simplex (Forrest and Lougee-Heimer): good starts for programs of
// this shape, and prices that prove something at any time.

#include "reprise/planner/LpSolver.h"

#include <coin/ClpEventHandler.hpp>
#include <coin/ClpSimplex.hpp>

namespace reprise {

namespace {

/// Ends the solver when it is told to.
class StopHandler : public ClpEventHandler {
public:
  explicit StopHandler(const std::atomic<bool> *stop) : stop(stop) {}

  int event(Event) override { return stop && stop->load() ? 0 : -1; }
  ClpEventHandler *clone() const override { return new StopHandler(*this); }

private:
  const std::atomic<bool> *stop;
};

} // namespace

bool hasLpSolver() { return true; }

std::vector<double> solveForDuals(const LinearProgram &program, double seconds,
                                  const std::atomic<bool> *stop) {
  ClpSimplex solver;
  solver.setLogLevel(0);
  StopHandler handler(stop);
  solver.passInEventHandler(&handler);
  std::vector<int> noEntries(program.numColumns() + 1, 0);
  solver.addColumns(program.numColumns(), program.columnLower.data(),
                    program.columnUpper.data(), program.costs.data(),
                    noEntries.data(), nullptr, nullptr);
  std::vector<double> noLimit(program.numRows(), COIN_DBL_MAX);
  solver.addRows(program.numRows(), program.rowLower.data(), noLimit.data(),
                 program.rowStarts.data(), program.columns.data(),
                 program.values.data());
  solver.setMaximumSeconds(seconds);
  solver.initialDualSolve();
  const double *prices = solver.getRowPrice();
  return {prices, prices + program.numRows()};
}

} // namespace reprise
