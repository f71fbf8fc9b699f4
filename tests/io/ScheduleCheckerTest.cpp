// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One small training graph, its keep-all schedule, and what can be wrong:
//
//   x[1] -f1-> a[3] -f2-> b[2] -b2-> db[2] -b1-> dx[1]     output dx
//                |________________________^
//
// Keep-all: f1 1+3, f2 4+2, b2 (a, b) 6+2, b1 (db) 1+2+1; peak 8, cost 4.

#include "reprise/io/ScheduleChecker.h"

#include <doctest/doctest.h>

using namespace reprise;

static const char *const chainNodes = R"(
  {"name": "f1", "opType": "F", "input": ["x"], "output": ["a"],
   "memory": [3], "flops": 1},
  {"name": "f2", "opType": "F", "input": ["a"], "output": ["b"],
   "memory": [2], "flops": 1},
  {"name": "b2", "opType": "B", "input": ["a", "b"], "output": ["db"],
   "memory": [2], "flops": 1, "phase": "backward"},
  {"name": "b1", "opType": "B", "input": ["db"], "output": ["dx"],
   "memory": [1], "flops": 1, "phase": "backward"})";

static LoadedGraph graphOf(const std::string &nodes,
                           const std::string &outputs) {
  std::string text = R"({"graph": {"name": "g",
    "input": [{"name": "x", "memory": 1}], "output": [)" +
                     outputs + "], \"node\": [" + nodes + "]}}";
  return llvm::cantFail(
      readGraphBuffer(llvm::MemoryBufferRef(text, "graph.json"), {}));
}

static LoadedGraph chain() { return graphOf(chainNodes, R"({"name": "dx"})"); }

static const char *const keepAllSteps = R"({"compute": "f1"},
  {"compute": "f2"}, {"compute": "b2"}, {"free": "a"}, {"free": "b"},
  {"compute": "b1"}, {"free": "db"})";

/// The verdict on \p steps with \p claims before them.
static ScheduleCheck check(const LoadedGraph &graph, const std::string &steps,
                           const std::string &claims,
                           bool allowOtherGraph = false) {
  std::string text = R"({"format": "reprise.schedule", "version": 1, )" +
                     claims + ", \"steps\": [" + steps + "]}";
  ScheduleFile file = llvm::cantFail(
      readScheduleBuffer(llvm::MemoryBufferRef(text, "schedule.json")));
  ScheduleCheckOptions options;
  options.allowOtherGraph = allowOtherGraph;
  return checkSchedule(graph, file, options);
}

static std::string joined(const ScheduleCheck &check) {
  std::string text;
  for (const std::string &error : check.errors)
    text += error + "\n";
  return text;
}

static const std::string trueClaims = R"("peak_memory": 8, "cost": 4)";

TEST_CASE("ScheduleChecker: the keep-all schedule is valid") {
  ScheduleCheck result = check(chain(), keepAllSteps,
                               trueClaims + R"(, "budget": 8, "lower_bound": 4,
                            "baseline": {"peak_memory": 8, "cost": 4})");
  CHECK(joined(result) == "");
  CHECK(result.isValid());
  CHECK(result.peakBytes == 8);
  CHECK(result.peakStep == 2);
  CHECK(result.cost == 4);
  CHECK(result.baselinePeakBytes == 8);
  CHECK(result.baselineCost == 4);
  CHECK(result.recomputedRuns == 0);
}

TEST_CASE("ScheduleChecker: a recomputation counts again in the cost") {
  // a is freed after f2 and rebuilt: the peak stays, b2 needs a and b.
  ScheduleCheck result = check(chain(), R"({"compute": "f1"},
    {"compute": "f2"}, {"free": "a"}, {"compute": "f1", "recompute": true},
    {"compute": "b2"}, {"compute": "b1"})",
                               R"("peak_memory": 9, "cost": 5)");
  // a and b stay: b1 runs with 1 + 3 + 2 + 2, and its own 1 byte.
  CHECK(joined(result) == "");
  CHECK(result.recomputedRuns == 1);
}

TEST_CASE("ScheduleChecker: each wrong figure is told with the true one") {
  auto errors = [](const std::string &claims) {
    return joined(check(chain(), keepAllSteps, claims));
  };
  CHECK(errors(R"("peak_memory": 7, "cost": 4)") ==
        "peak_memory: the file says 7, the replay finds 8\n");
  CHECK(errors(R"("peak_memory": 8, "cost": 4.00001)") ==
        "cost: the file says 4.00001, the replay finds 4\n");
  CHECK(errors(R"("peak_memory": 8, "cost": 4.0000000001)") == "");
  CHECK(errors(trueClaims + R"(, "budget": 7)") ==
        "budget: the peak 8 exceeds the budget 7\n");
  CHECK(errors(trueClaims + R"(, "lower_bound": 4.5)") ==
        "lower_bound: 4.5 is above the cost 4\n");
  CHECK(errors(trueClaims + R"(, "baseline": {"peak_memory": 9})") ==
        "baseline: peak_memory: the file says 9, the replay finds 8\n");
  CHECK(errors(trueClaims + R"(, "baseline": {"cost": 5})") ==
        "baseline: cost: the file says 5, the replay finds 4\n");
  CHECK(errors(R"("budget": 8)") ==
        "peak_memory: expected an integer, got nothing\n"
        "cost: expected a number, got nothing\n");
  CHECK(errors(trueClaims + R"(, "objective": "seconds")")
            .find("objective: seconds, but node f1 has no time") == 0);
}

TEST_CASE("ScheduleChecker: each illegal step is told") {
  auto errors = [](const std::string &steps) {
    return joined(check(chain(), steps, trueClaims));
  };
  std::string all = keepAllSteps;
  CHECK(errors(all + R"(, {"free": "a"})") ==
        "step 7: free of a, which is not resident\n");
  CHECK(errors(all + R"(, {"free": "x"})") ==
        "step 7: free of x, which is a graph input or initializer\n");
  CHECK(errors(all + R"(, {"free": "q"})") ==
        "step 7: free of 'q', which the graph does not have\n");
  CHECK(errors(all + R"(, {"compute": "q"})") ==
        "step 7: compute of 'q', which the graph does not have\n");
  CHECK(errors(all + R"(, {"free": "dx"})") ==
        "output dx is not resident at the end\n");
  CHECK(errors(R"({"compute": "f1", "recompute": true}, {"compute": "f2"},
                  {"compute": "b2"}, {"compute": "b1"})")
            .find("step 0: f1 is marked as a recomputation, but has not run "
                  "before\n") == 0);
  CHECK(errors(all + R"(, {"compute": "f1"})")
            .find("step 7: f1 runs again without \"recompute\": true\n") == 0);
  CHECK(errors(R"({"compute": "f1"}, {"free": "a"}, {"compute": "f2"})")
            .find("step 2: f2 reads a, which is not resident\n") == 0);
  CHECK(errors(R"({"compute": "f1"}, {"compute": "f2"}, {"compute": "b2"})")
            .find("node b1 never runs\n") == 0);
}

TEST_CASE("ScheduleChecker: the list of faults is capped") {
  std::string steps = keepAllSteps;
  for (int i = 0; i < 100; ++i)
    steps += R"(, {"free": "a"})";
  ScheduleCheck result = check(chain(), steps, trueClaims);
  REQUIRE(result.errors.size() == 41);
  CHECK(result.errors.back() == "... and 60 more");
}

TEST_CASE("ScheduleChecker: another graph is refused unless allowed") {
  std::string claims = trueClaims + R"(, "graph": {"sha256": "00"})";
  std::string errors = joined(check(chain(), keepAllSteps, claims));
  CHECK(errors.find("graph: the schedule is for another graph: its sha256 is "
                    "00") == 0);
  CHECK(
      check(chain(), keepAllSteps, claims, /*allowOtherGraph=*/true).isValid());
  claims = trueClaims + R"(, "graph": {"name": "h"})";
  CHECK_FALSE(check(chain(), keepAllSteps, claims).isValid());
}

TEST_CASE("ScheduleChecker: never-nodes run once and in their order") {
  LoadedGraph graph = graphOf(R"(
    {"name": "r1", "opType": "R", "input": ["x"], "output": ["p"],
     "memory": [1], "recompute": "never"},
    {"name": "r2", "opType": "R", "input": ["x"], "output": ["q"],
     "memory": [1], "recompute": "never"})",
                              "");
  std::string claims = R"("peak_memory": 3, "cost": 0)";
  CHECK(joined(check(graph, R"({"compute": "r1"}, {"compute": "r2"})",
                     claims)) == "");
  CHECK(
      joined(check(graph, R"({"compute": "r2"}, {"compute": "r1"})", claims)) ==
      "step 1: r1 is out of the order of the nodes that must never be "
      "recomputed\n");
  CHECK(joined(check(graph, R"({"compute": "r1"}, {"free": "p"},
                     {"compute": "r1", "recompute": true}, {"compute": "r2"})",
                     claims)) == "step 2: r1 must never be recomputed\n");
}

TEST_CASE("ScheduleChecker: a view keeps its storage and gets no new one") {
  // f: x -> a[8]; view: a -> v; g: v -> b[2].
  LoadedGraph graph = graphOf(R"(
    {"name": "f", "opType": "F", "input": ["x"], "output": ["a"],
     "memory": [8]},
    {"name": "view", "opType": "V", "input": ["a"], "output": ["v"],
     "memory": [0], "alias": {"v": "a"}},
    {"name": "g", "opType": "G", "input": ["v"], "output": ["b"],
     "memory": [2]})",
                              "");
  // 1 + 8, then 9 + 2 although a is freed: v holds the storage.
  CHECK(joined(check(graph, R"({"compute": "f"}, {"compute": "view"},
    {"free": "a"}, {"compute": "g"})",
                     R"("peak_memory": 11, "cost": 0)")) == "");
  // Rebuilding a while v lives makes a second storage: 9 + 8.
  CHECK(joined(check(graph, R"({"compute": "f"}, {"compute": "view"},
    {"free": "a"}, {"compute": "f", "recompute": true}, {"free": "a"},
    {"compute": "g"})",
                     R"("peak_memory": 17, "cost": 0)")) == "");
}

TEST_CASE("ScheduleChecker: an overwritten input is dead") {
  // f: x -> a[4]; add: a -> s in place; g: s -> b[1].
  LoadedGraph graph = graphOf(R"(
    {"name": "f", "opType": "F", "input": ["x"], "output": ["a"],
     "memory": [4]},
    {"name": "r", "opType": "R", "input": ["a"], "output": ["c"],
     "memory": [1]},
    {"name": "add", "opType": "A", "input": ["a"], "output": ["s"],
     "memory": [4], "inplace": {"s": "a"}},
    {"name": "g", "opType": "G", "input": ["s"], "output": ["b"],
     "memory": [1]})",
                              "");
  std::string claims = R"("peak_memory": 7, "cost": 0)";
  CHECK(joined(check(graph, R"({"compute": "f"}, {"compute": "r"},
    {"compute": "add"}, {"compute": "g"})",
                     claims)) == "");
  CHECK(joined(check(graph, R"({"compute": "f"}, {"compute": "add"},
    {"compute": "r"}, {"compute": "g"})",
                     claims)) == "step 2: r reads a, which is not resident\n");
  CHECK(joined(check(graph, R"({"compute": "f"}, {"compute": "r"},
    {"compute": "add"}, {"free": "a"}, {"compute": "g"})",
                     claims)) == "step 3: free of a, which is not resident\n");
  CHECK(joined(check(graph, R"({"compute": "f"}, {"compute": "r"},
    {"compute": "add"}, {"free": "s"}, {"compute": "f", "recompute": true},
    {"compute": "add", "recompute": true}, {"compute": "g"})",
                     claims)) ==
        "step 5: add writes in place and must not run again\n");
}

TEST_CASE("ScheduleChecker: workspace counts while the node runs") {
  LoadedGraph graph = graphOf(R"({"name": "f", "opType": "F", "input": ["x"],
    "output": ["a"], "memory": [4], "workspace": 10})",
                              "");
  CHECK(check(graph, R"({"compute": "f"})",
              R"("peak_memory": 15, "cost": 0,
                 "baseline": {"peak_memory": 15, "cost": 0})")
            .isValid());
}

/// The verdict on keep-all with an arena of \p buffers.
static std::string arenaErrors(int64_t size, const std::string &buffers,
                               const std::string &more = "") {
  return joined(check(
      chain(), keepAllSteps,
      trueClaims + more + ", \"arena\": {\"size\": " + std::to_string(size) +
          ", \"alignment\": 2, \"buffers\": [" + buffers + "]}"));
}

static std::string buffer(const char *tensor, int first, int last, int offset,
                          int bytes) {
  return std::string("{\"tensor\": \"") + tensor +
         "\", \"first_step\": " + std::to_string(first) +
         ", \"last_step\": " + std::to_string(last) +
         ", \"offset\": " + std::to_string(offset) +
         ", \"bytes\": " + std::to_string(bytes) + "}";
}

TEST_CASE("ScheduleChecker: an arena without overlaps is valid") {
  // a: steps 0..3, b: 1..4, db: 2..6, dx: 5..6, where a and b were.
  std::string good = buffer("a", 0, 3, 0, 3) + "," + buffer("b", 1, 4, 4, 2) +
                     "," + buffer("db", 2, 6, 6, 2) + "," +
                     buffer("dx", 5, 6, 0, 1);
  CHECK(arenaErrors(8, good) == "");
  CHECK(arenaErrors(8, good, ", \"budget\": 9") == "");
  CHECK(arenaErrors(8, good, ", \"budget\": 8") ==
        "arena: size 8 and inputs and initializers of 1 exceed the budget 8\n");
  CHECK(arenaErrors(9, good) ==
        "arena: size is 9, the highest end of a buffer is 8\n");
}

TEST_CASE("ScheduleChecker: each fault of an arena is told") {
  std::string a = buffer("a", 0, 3, 0, 3), b = buffer("b", 1, 4, 4, 2);
  std::string db = buffer("db", 2, 6, 6, 2), dx = buffer("dx", 5, 6, 0, 1);
  CHECK(
      arenaErrors(8, a + "," + buffer("b", 1, 4, 2, 2) + "," + db + "," + dx) ==
      "arena: b (steps 1 to 4, bytes 2 to 4) overlaps a (steps 0 to 3, "
      "bytes 0 to 3)\n");
  CHECK(arenaErrors(8, b + "," + db + "," + dx) ==
        "arena: no buffer for a, resident in steps 0 to 3\n");
  CHECK(arenaErrors(8, buffer("a", 0, 2, 0, 3) + "," + b + "," + db + "," +
                           dx) == ""); // the free itself needs no bytes
  CHECK(
      arenaErrors(8, buffer("a", 0, 1, 0, 3) + "," + b + "," + db + "," + dx) ==
      "arena: no buffer for a, resident in steps 0 to 3\n");
  CHECK(
      arenaErrors(8, buffer("a", 0, 3, 0, 2) + "," + b + "," + db + "," + dx) ==
      "arena: buffer 0 (a): 2 bytes for a storage of 3\n");
  CHECK(
      arenaErrors(9, a + "," + b + "," + buffer("db", 2, 6, 7, 2) + "," + dx) ==
      "arena: buffer 2 (db): offset 7 is not a multiple of 2\n");
  CHECK(arenaErrors(8, a + "," + b + "," + buffer("db", 2, 7, 6, 2) + "," +
                           dx) == "arena: buffer 2 (db): steps 2 to 7 of 7\n");
  CHECK(arenaErrors(8, a + "," + b + "," + db + "," + dx + "," +
                           buffer("x", 0, 6, 0, 1)) ==
        "arena: buffer 4 (x): it lives in a graph input or initializer, which "
        "is outside the arena\n");
  CHECK(arenaErrors(8, a + "," + b + "," + db + "," + dx + "," +
                           buffer("q", 0, 6, 0, 1)) ==
        "arena: buffer 4 (q): the graph has no such tensor\n");
}
