/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reprise for C and for whatever calls C: a graph and options in as JSON text,
 * a schedule out as JSON text.
 *
 *   reprise_result *result = NULL;
 *   reprise_status status =
 *       reprise_plan(graph, strlen(graph), "{\"budget\": \"60%\"}", &result);
 *   puts(status == REPRISE_OK ? reprise_result_text(result)
 *                             : reprise_result_error(result));
 *   reprise_result_free(result);
 *
 * Nothing here throws, prints or ends the process. Calls do not share state:
 * any thread may make them, at any time. The texts are those of
 * docs/formats.md; docs/schema has them as JSON Schemas.
 */

#ifndef REPRISE_REPRISE_H
#define REPRISE_REPRISE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum reprise_status {
  REPRISE_OK = 0,
  /* A sound no: no plan within the budget was found, or the schedule that was
   * checked is not valid. */
  REPRISE_NO = 1,
  /* A fault in the graph, the schedule, the options or the arguments. */
  REPRISE_INVALID_INPUT = 2,
  REPRISE_OUT_OF_MEMORY = 3,
  /* A fault of the library or of the system, such as no more threads. */
  REPRISE_INTERNAL_ERROR = 4
} reprise_status;

/* What a call returns besides its status. */
typedef struct reprise_result reprise_result;

/* "0.1.0"; of the library, where the header may be another's. */
const char *reprise_version(void);

/* Plans the graph of `graph_size` bytes at `graph`: JSON, or an ONNX model in
 * protobuf where the build has ONNX. `options` is a JSON object that ends with
 * a NUL, or NULL for the defaults: no budget, strategy auto. The schedule is
 * the result's text. `*result` is always set, to NULL only for want of memory;
 * the caller frees it. */
reprise_status reprise_plan(const char *graph, size_t graph_size,
                            const char *options, reprise_result **result);

/* Replays a schedule on its graph. Of `options`, those that say how a graph is
 * read count. REPRISE_NO where it is not valid: the error has one line for each
 * fault. */
reprise_status reprise_check(const char *graph, size_t graph_size,
                             const char *schedule, size_t schedule_size,
                             const char *options, reprise_result **result);

/* The schedule of a plan; empty otherwise. Lives as long as the result. */
const char *reprise_result_text(const reprise_result *result);
size_t reprise_result_size(const reprise_result *result);
/* What went wrong; empty for REPRISE_OK. Lives as long as the result. */
const char *reprise_result_error(const reprise_result *result);
/* Bytes: the peak of the plan or of the schedule; after REPRISE_NO of
 * reprise_plan(), the smallest budget that a plan was found for. -1 where there
 * is none. */
int64_t reprise_result_peak_bytes(const reprise_result *result);
/* Of the plan or schedule, in the unit of the objective; -1 without one. */
double reprise_result_cost(const reprise_result *result);

void reprise_result_free(reprise_result *result);

#ifdef __cplusplus
}
#endif

#endif /* REPRISE_REPRISE_H */
