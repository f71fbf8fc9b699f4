// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface over the C++ one. guarded() is where errors and exceptions
// become codes and texts.

#include "reprise/reprise.h"

#include "reprise/Version.h"
#include "reprise/graph/Error.h"
#include "reprise/io/OptionsReader.h"
#include "reprise/io/ScheduleChecker.h"
#include "reprise/io/ScheduleReader.h"
#include "reprise/io/ScheduleWriter.h"

#include "llvm/ADT/StringExtras.h"

#include <new>

using namespace reprise;

struct reprise_result {
  std::string text, error;
  int64_t peakBytes = -1;
  double cost = -1;
};

/// Texts of a C caller, to be read.
static llvm::MemoryBufferRef bufferOf(llvm::StringRef text, const char *name) {
  // An empty buffer must not be a null pointer.
  return {text.empty() ? llvm::StringRef("") : text, name};
}

static reprise_status statusOf(llvm::Error error, reprise_result &result) {
  reprise_status status = REPRISE_INVALID_INPUT;
  llvm::handleAllErrors(
      std::move(error),
      [&](const InfeasibleBudget &infeasible) {
        status = REPRISE_NO;
        result.peakBytes = infeasible.smallestBytes;
        result.error = infeasible.message();
      },
      [&](const llvm::ErrorInfoBase &other) {
        result.error = other.message();
      });
  return status;
}

/// Runs \p body, which fails with an llvm::Error or fills in the result.
template <typename Body>
static reprise_status guarded(reprise_result **out, Body body) noexcept {
  if (!out)
    return REPRISE_INVALID_INPUT;
  *out = new (std::nothrow) reprise_result;
  if (!*out)
    return REPRISE_OUT_OF_MEMORY;
  reprise_result &result = **out;
  try {
    llvm::Expected<reprise_status> status = body(result);
    return status ? *status : statusOf(status.takeError(), result);
  } catch (const std::bad_alloc &) {
    delete *out;
    *out = nullptr;
    return REPRISE_OUT_OF_MEMORY;
  } catch (...) {
    // Fits in the string itself: nothing is allocated that could fail again.
    result.error.assign("internal error");
    return REPRISE_INTERNAL_ERROR;
  }
}

static llvm::Expected<OptionsFile> readOptions(const char *options) {
  if (!options)
    return OptionsFile();
  return readOptionsBuffer(bufferOf(options, "options"));
}

static llvm::Expected<reprise_status> planText(llvm::StringRef graphText,
                                               const char *optionsText,
                                               reprise_result &result) {
  llvm::Expected<OptionsFile> options = readOptions(optionsText);
  if (!options)
    return options.takeError();
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(bufferOf(graphText, "graph"), options->reading);
  if (!loaded)
    return loaded.takeError();
  llvm::Expected<TrainingGraph> graph =
      makeTrainingGraph(std::move(*loaded), options->training);
  if (!graph)
    return inFile("graph", graph.takeError());
  llvm::Expected<Problem> problem = makeProblem(graph->loaded.graph, *options);
  if (!problem)
    return inFile("options", problem.takeError());
  llvm::Expected<PlanResult> planned = plan(*problem, options->planning);
  if (!planned)
    return planned.takeError();
  ScheduleInfo info = describePlan(*graph, *problem, *planned);
  info.device = options->device;
  result.text = writeSchedule(graph->loaded.graph, info, planned->plan);
  result.peakBytes = planned->simulation.peakBytes;
  result.cost = planned->simulation.cost;
  return REPRISE_OK;
}

static llvm::Expected<reprise_status> checkText(llvm::StringRef graphText,
                                                llvm::StringRef scheduleText,
                                                const char *optionsText,
                                                reprise_result &result) {
  llvm::Expected<OptionsFile> options = readOptions(optionsText);
  if (!options)
    return options.takeError();
  llvm::Expected<ScheduleFile> file =
      readScheduleBuffer(bufferOf(scheduleText, "schedule"));
  if (!file)
    return file.takeError();
  options->reading.derivedNodes = &file->nodes;
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(bufferOf(graphText, "graph"), options->reading);
  if (!loaded)
    return loaded.takeError();
  ScheduleCheck check = checkSchedule(*loaded, *file, {});
  result.error = llvm::join(check.errors, "\n");
  if (!check.isValid())
    return REPRISE_NO;
  result.peakBytes = check.peakBytes;
  result.cost = check.cost;
  return REPRISE_OK;
}

/// Is a text of \p size bytes missing?
static llvm::Error requireText(const char *text, size_t size,
                               const char *name) {
  if (text || size == 0)
    return llvm::Error::success();
  return makeInputError(llvm::Twine(name) + ": a null pointer");
}

const char *reprise_version(void) { return REPRISE_VERSION; }

reprise_status reprise_plan(const char *graph, size_t graph_size,
                            const char *options, reprise_result **result) {
  return guarded(result,
                 [=](reprise_result &out) -> llvm::Expected<reprise_status> {
                   if (llvm::Error e = requireText(graph, graph_size, "graph"))
                     return e;
                   return planText({graph, graph_size}, options, out);
                 });
}

reprise_status reprise_check(const char *graph, size_t graph_size,
                             const char *schedule, size_t schedule_size,
                             const char *options, reprise_result **result) {
  return guarded(
      result, [=](reprise_result &out) -> llvm::Expected<reprise_status> {
        if (llvm::Error e = requireText(graph, graph_size, "graph"))
          return e;
        if (llvm::Error e = requireText(schedule, schedule_size, "schedule"))
          return e;
        return checkText({graph, graph_size}, {schedule, schedule_size},
                         options, out);
      });
}

const char *reprise_result_text(const reprise_result *result) {
  return result ? result->text.c_str() : "";
}

size_t reprise_result_size(const reprise_result *result) {
  return result ? result->text.size() : 0;
}

const char *reprise_result_error(const reprise_result *result) {
  return result ? result->error.c_str() : "out of memory";
}

int64_t reprise_result_peak_bytes(const reprise_result *result) {
  return result ? result->peakBytes : -1;
}

double reprise_result_cost(const reprise_result *result) {
  return result ? result->cost : -1;
}

void reprise_result_free(reprise_result *result) { delete result; }
