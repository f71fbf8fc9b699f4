// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/OptionsReader.h"

#include "support/TemporaryFolder.h"

#include <doctest/doctest.h>

using namespace reprise;

static llvm::Expected<OptionsFile> read(const std::string &text) {
  return readOptionsBuffer(llvm::MemoryBufferRef(text, "options"));
}

/// The verdict on every file of \p folder: the message, or nothing.
static std::vector<std::string> messagesIn(const std::string &folder) {
  std::vector<std::string> messages;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    CAPTURE(entry.path().string());
    llvm::Expected<OptionsFile> options = read(readText(entry.path()));
    messages.push_back(options ? "" : llvm::toString(options.takeError()));
  }
  return messages;
}

TEST_CASE("OptionsReader: valid files are read, and invalid ones refused") {
  for (const std::string &message :
       messagesIn(REPRISE_TEST_DATA "/options/valid"))
    CHECK(message == "");
  for (const std::string &message :
       messagesIn(REPRISE_TEST_DATA "/options/invalid"))
    CHECK(message.substr(0, 9) == "options: ");
}

TEST_CASE("OptionsReader: every option arrives") {
  llvm::Expected<OptionsFile> options = read(R"({
    "budget": "60%", "strategy": "greedy", "objective": "roofline",
    "device": {"name": "mine", "peak_flops": 2e12, "bandwidth": 1e12},
    "time_limit": 1.5, "effort": 100, "seed": 7, "threads": 3, "bound": "lp",
    "dims": {"N": 8}, "batch": 4, "frozen": ["w*"], "inference": true})");
  REQUIRE(static_cast<bool>(options));
  CHECK(options->budget == "60%");
  CHECK(options->objective == "roofline");
  CHECK(options->device == Device{"mine", 2e12, 1e12});
  CHECK(options->planning.strategy == "greedy");
  CHECK(options->planning.timeLimitSeconds == 1.5);
  CHECK(options->planning.effort == 100);
  CHECK(options->planning.seed == 7);
  CHECK(options->planning.threads == 3);
  CHECK(options->planning.bound == BoundEffort::Lp);
  CHECK(options->reading.dims.at("N") == 8);
  CHECK(options->reading.batch == 4);
  CHECK(options->training.frozen == std::vector<std::string>{"w*"});
  CHECK(options->training.inference);
}

TEST_CASE("OptionsReader: a device is known by name, and makes a roofline") {
  llvm::Expected<OptionsFile> options =
      read("{\"device\": \"" + knownDevices().front().name + "\"}");
  REQUIRE(static_cast<bool>(options));
  CHECK(options->device == knownDevices().front());

  std::string text = readText(REPRISE_TEST_DATA "/valid/one-node.json");
  llvm::Expected<LoadedGraph> loaded =
      readGraphBuffer(llvm::MemoryBufferRef(text, "graph"), {});
  REQUIRE(static_cast<bool>(loaded));
  llvm::Expected<Problem> problem = makeProblem(loaded->graph, *options);
  REQUIRE(static_cast<bool>(problem));
  CHECK(problem->objective == Objective::Seconds);
  CHECK(problem->costs == rooflineSeconds(loaded->graph, *options->device));
  CHECK(problem->budgetBytes == kNoBudget);
}
