/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C interface, from C.
 */

#include "reprise/reprise.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

/* x[1] -> a[8], b[8], c[8] of x; then d of a, e of b and d, f of c and e. To
 * keep a, b and c takes 1 + 3*8 + 8 = 33 bytes. */
static const char kGraph[] =
    "{\"graph\": {\"name\": \"g\", \"input\": [{\"name\": \"x\", \"memory\": "
    "1}],"
    "\"output\": [{\"name\": \"f\"}], \"node\": ["
    "{\"opType\": \"A\", \"name\": \"A\", \"input\": [\"x\"], \"output\": "
    "[\"a\"],"
    " \"memory\": [8], \"flops\": 1},"
    "{\"opType\": \"B\", \"name\": \"B\", \"input\": [\"a\"], \"output\": "
    "[\"b\"],"
    " \"memory\": [8], \"flops\": 1},"
    "{\"opType\": \"C\", \"name\": \"C\", \"input\": [\"b\"], \"output\": "
    "[\"c\"],"
    " \"memory\": [8], \"flops\": 1},"
    "{\"opType\": \"D\", \"name\": \"D\", \"input\": [\"c\"], \"output\": "
    "[\"d\"],"
    " \"memory\": [8], \"flops\": 1, \"phase\": \"backward\"},"
    "{\"opType\": \"E\", \"name\": \"E\", \"input\": [\"b\", \"d\"], "
    "\"output\": [\"e\"],"
    " \"memory\": [8], \"flops\": 1, \"phase\": \"backward\"},"
    "{\"opType\": \"F\", \"name\": \"F\", \"input\": [\"a\", \"e\"], "
    "\"output\": [\"f\"],"
    " \"memory\": [8], \"flops\": 1, \"phase\": \"backward\"}]}}";

static void plansAndChecks(void) {
  reprise_result *plan = NULL, *check = NULL;
  CHECK(reprise_plan(kGraph, strlen(kGraph),
                     "{\"budget\": \"100%\", \"effort\": 100}",
                     &plan) == REPRISE_OK);
  CHECK(strcmp(reprise_result_error(plan), "") == 0);
  CHECK(strlen(reprise_result_text(plan)) == reprise_result_size(plan));
  CHECK(strstr(reprise_result_text(plan), "\"reprise.schedule\"") != NULL);
  CHECK(reprise_result_cost(plan) == 6);
  CHECK(reprise_check(kGraph, strlen(kGraph), reprise_result_text(plan),
                      reprise_result_size(plan), NULL, &check) == REPRISE_OK);
  CHECK(reprise_result_peak_bytes(check) == reprise_result_peak_bytes(plan));
  CHECK(reprise_result_cost(check) == 6);
  reprise_result_free(check);
  reprise_result_free(plan);
}

static void refusesInvalidSchedules(void) {
  static const char kSchedule[] =
      "{\"format\": \"reprise.schedule\", \"version\": 1, \"steps\": []}";
  reprise_result *result = NULL;
  CHECK(reprise_check(kGraph, strlen(kGraph), kSchedule, strlen(kSchedule),
                      NULL, &result) == REPRISE_NO);
  CHECK(strlen(reprise_result_error(result)) > 0);
  reprise_result_free(result);
}

static void saysWhichBudgetWouldDo(void) {
  reprise_result *result = NULL;
  CHECK(reprise_plan(kGraph, strlen(kGraph), "{\"budget\": 10}", &result) ==
        REPRISE_NO);
  CHECK(strlen(reprise_result_error(result)) > 0);
  CHECK(strlen(reprise_result_text(result)) == 0);
  CHECK(reprise_result_peak_bytes(result) > 10);
  reprise_result_free(result);
}

static void refuses(const char *graph, size_t size, const char *options,
                    const char *reason) {
  reprise_result *result = NULL;
  CHECK(reprise_plan(graph, size, options, &result) == REPRISE_INVALID_INPUT);
  if (!strstr(reprise_result_error(result), reason)) {
    printf("expected '%s' in '%s'\n", reason, reprise_result_error(result));
    ++failures;
  }
  reprise_result_free(result);
}

static void refusesFaultyInput(void) {
  size_t size = strlen(kGraph);
  refuses("", 0, NULL, "graph: ");
  refuses(NULL, 0, NULL, "graph: ");
  refuses(NULL, 3, NULL, "graph: a null pointer");
  refuses("\0\0", 2, NULL, "graph: ");
  refuses("{", 1, NULL, "graph: line 1, column 1");
  refuses(kGraph, size, "", "options: line 1");
  refuses(kGraph, size, "[]", "options: ");
  refuses(kGraph, size, "{\"budge\": 1}", "options: budge: unknown key");
  refuses(kGraph, size, "{\"budget\": -1}", "options: budget: expected");
  refuses(kGraph, size, "{\"budget\": \"8 apples\"}", "options: budget: ");
  refuses(kGraph, size, "{\"budget\": 0}", "options: budget: ");
  refuses(kGraph, size, "{\"strategy\": \"magic\"}", "magic");
  refuses(kGraph, size, "{\"objective\": \"joy\"}", "options: objective: ");
  refuses(kGraph, size, "{\"objective\": \"time\"}", "has no measured time");
  refuses(kGraph, size, "{\"objective\": \"roofline\"}", "options: device: ");
  refuses(kGraph, size, "{\"device\": \"abacus\"}", "options: device: ");
  refuses(kGraph, size, "{\"device\": {\"bandwidth\": 1}}", "options: device");
  refuses(kGraph, size, "{\"threads\": 0}", "options: threads: expected");
  refuses(kGraph, size, "{\"bound\": \"best\"}", "options: bound: expected");
  refuses(kGraph, size, "{\"dims\": {\"N\": 0.5}}", "options: dims: N: ");
  refuses(kGraph, size, "{\"frozen\": [\"w\"]}", "frozen: ");
  CHECK(reprise_plan(kGraph, size, NULL, NULL) == REPRISE_INVALID_INPUT);
}

int main(void) {
  int major = 0;
  CHECK(sscanf(reprise_version(), "%d.", &major) == 1);
  plansAndChecks();
  refusesInvalidSchedules();
  saysWhichBudgetWouldDo();
  refusesFaultyInput();
  CHECK(reprise_result_size(NULL) == 0);
  reprise_result_free(NULL);
  return failures != 0;
}
