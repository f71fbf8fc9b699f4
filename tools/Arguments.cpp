// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/Arguments.h"

#include "reprise/planner/Strategies.h"

namespace reprise {

PlanOptions SearchArguments::planOptions() const {
  PlanOptions options;
  options.timeLimitSeconds = timeLimitSeconds;
  options.effort = effort;
  options.seed = seed;
  options.threads = threads;
  options.bound = bound == "lp" ? BoundEffort::Lp : BoundEffort::Fast;
  return options;
}

CLI::Option *addGraph(CLI::App &app, GraphArguments &graph) {
  return app
      .add_option("GRAPH", graph.path, "Graph file; - is the standard input")
      ->type_name("");
}

void addReading(CLI::App &app, GraphArguments &graph) {
  app.add_option("--dim", graph.dims,
                 "Value of a symbolic dimension of the graph's shapes")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--batch", graph.batch,
                 "Batch of an .onnx model: the first dimension of its inputs")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
}

void addFrozen(CLI::App &app, GraphArguments &graph) {
  app.add_option("--frozen", graph.frozen,
                 "Initializers of a forward graph that are not trained, by "
                 "name; *, ? and [...] as in a shell")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
}

void addDerivation(CLI::App &app, GraphArguments &graph) {
  addFrozen(app, graph);
  app.add_flag("--inference", graph.inference,
               "Take a forward graph as it stands: derive no backward pass");
}

void addCosts(CLI::App &app, CostArguments &costs) {
  app.add_option("--objective", costs.objective,
                 "What costs are: flops; time (measured seconds); or roofline "
                 "(seconds by FLOPs and memory traffic on a device); default: "
                 "time where every node has one, roofline with a device, else "
                 "flops")
      ->type_name("NAME");
  std::string names;
  for (const Device &device : knownDevices())
    names += (names.empty() ? "" : ", ") + device.name;
  app.add_option("--device", costs.device, "Device of the roofline: " + names)
      ->type_name("NAME");
  app.add_option("--peak-flops", costs.peakFlops,
                 "FLOP/s of the device, such as 19.5T; overrides --device")
      ->type_name("RATE");
  app.add_option("--bandwidth", costs.bandwidth,
                 "Bytes per second of the device's memory, such as 2039GB; "
                 "overrides --device")
      ->type_name("SIZE");
}

static void addPatterns(CLI::App &app, const char *name,
                        std::vector<std::string> &patterns, const char *help) {
  app.add_option(name, patterns, help)
      ->type_name("PATTERN")
      ->allow_extra_args(false);
}

void addAllow(CLI::App &app, ControlArguments &control) {
  addPatterns(app, "--allow", control.allow,
              "Nodes that may run again although their operators draw random "
              "numbers, talk to other devices or update a state");
}

void addControl(CLI::App &app, ControlArguments &control) {
  addPatterns(app, "--keep", control.keep,
              "Nodes that run once, so that what they make is kept for its "
              "last use: by name or op:OPERATOR, with *, ? and [...] as in a "
              "shell");
  addPatterns(app, "--recompute", control.recompute,
              "Nodes whose outputs are not kept from the forward to the "
              "backward pass, but made again for it");
  addPatterns(app, "--never", control.never,
              "Nodes that run once and in the order of all such nodes, as with "
              "\"recompute\": \"never\" in the file");
  addAllow(app, control);
  app.add_option(
         "--options", control.optionsPath,
         "JSON file with lists of patterns under keep, recompute, never, allow")
      ->type_name("FILE");
  app.add_flag("--verbose", control.verbose,
               "Say which operators run once unless allowed, and which nodes "
               "that holds");
}

static std::string strategyHelp() {
  std::string text = "How to plan:";
  for (const Strategy &strategy : strategies())
    text += ("\n  " + strategy.name + ": " + strategy.summary).str();
  return text;
}

void addStrategy(CLI::App &app, std::string &strategy) {
  app.add_option("-s,--strategy", strategy, strategyHelp())
      ->type_name("STRATEGY")
      ->capture_default_str();
}

void addBudget(CLI::App &app, PlanningArguments &planning) {
  app.add_option("-b,--budget", planning.budget,
                 "Largest peak allowed: bytes, 8GiB, 8GB, or 60% of the peak "
                 "without recomputation; none: every plan fits")
      ->type_name("SIZE");
  app.add_option("--reserve", planning.reserve,
                 "Bytes of the budget to leave free, for what the graph does "
                 "not hold: optimizer state, fragmentation")
      ->type_name("SIZE")
      ->needs("--budget");
}

CLI::Option *addSearch(CLI::App &app, SearchArguments &search) {
  CLI::Option *timeLimit =
      app.add_option("--time-limit", search.timeLimitSeconds,
                     "Wall-clock limit in seconds; default: by the "
                     "size of the graph")
          ->type_name("S")
          ->check(CLI::NonNegativeNumber);
  app.add_option("--effort", search.effort,
                 "Limit the search by iterations, not by the clock: the same "
                 "schedule on every machine; 0: by the clock")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", search.seed, "Seed of the search")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--threads", search.threads, "Threads of the search")
      ->type_name("N")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--bound", search.bound,
                 "Lower bound of the cost: fast, or lp for a linear "
                 "relaxation as well (up to a minute, or --time-limit)")
      ->type_name("fast|lp")
      ->check(CLI::IsMember({"fast", "lp"}))
      ->capture_default_str();
  return timeLimit;
}

} // namespace reprise
