// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/tools/ControlInput.h"

#include "reprise/graph/Error.h"
#include "reprise/graph/GraphCopy.h"
#include "reprise/io/RulesReader.h"
#include "reprise/operators/OnceOperators.h"
#include "reprise/planner/Turn.h"
#include "reprise/tools/Console.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <array>
#include <set>

namespace reprise {

namespace {

/// What a pattern says of the nodes that it matches.
enum RuleKind : uint8_t { Keep, Recompute, Never, Allow, kNumRuleKinds };

constexpr std::array<llvm::StringRef, kNumRuleKinds> kRuleNames = {
    "keep", "recompute", "never", "allow"};

/// What cannot be asked of one node together.
constexpr std::pair<RuleKind, RuleKind> kContradictions[] = {
    {Keep, Recompute}, {Never, Recompute}, {Keep, Allow}, {Never, Allow}};

struct Pattern {
  std::string text;
  std::string label; ///< for messages: where it stands, and its text
};

/// All patterns of one kind, and by node the one that matches it, or kNone.
struct RuleSet {
  std::vector<Pattern> patterns;
  std::vector<uint32_t> matches;

  bool holds(NodeId n) const { return matches[n] != kNone; }
  const std::string &label(NodeId n) const {
    return patterns[matches[n]].label;
  }
};

using RuleSets = std::array<RuleSet, kNumRuleKinds>;

} // namespace

static llvm::Expected<RuleSets> gatherRules(const ControlArguments &arguments) {
  RuleSets sets;
  const std::vector<std::string> *given[] = {
      &arguments.keep, &arguments.recompute, &arguments.never,
      &arguments.allow};
  for (size_t kind = 0; kind < kNumRuleKinds; ++kind)
    for (const std::string &text : *given[kind])
      sets[kind].patterns.push_back(
          {text, ("--" + kRuleNames[kind] + " '" + text + "'").str()});
  if (arguments.optionsPath.empty())
    return sets;
  llvm::Expected<std::vector<FileRule>> rules =
      readRules(arguments.optionsPath, kRuleNames);
  if (!rules)
    return rules.takeError();
  for (const FileRule &rule : *rules) {
    size_t kind = llvm::find(kRuleNames, rule.key) - kRuleNames.begin();
    sets[kind].patterns.push_back(
        {rule.pattern,
         arguments.optionsPath + ": " + rule.key + " '" + rule.pattern + "'"});
  }
  return sets;
}

static llvm::Error matchNodes(const Graph &graph, RuleSet &set) {
  set.matches.assign(graph.numNodes(), kNone);
  for (uint32_t i = 0; i < set.patterns.size(); ++i) {
    llvm::StringRef text = set.patterns[i].text;
    bool byOperator = text.consume_front("op:");
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (!pattern)
      return makeInputError(set.patterns[i].label + ": " +
                            llvm::toString(pattern.takeError()));
    bool any = false;
    for (NodeId n = 0; n < graph.numNodes(); ++n)
      if (pattern->match(byOperator ? graph.opType(n) : graph.nodeName(n))) {
        set.matches[n] = i;
        any = true;
      }
    if (!any)
      return makeInputError(set.patterns[i].label +
                            ": matches no node of the graph");
  }
  return llvm::Error::success();
}

static llvm::Error checkContradictions(const Graph &graph,
                                       const RuleSets &sets) {
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    for (auto [a, b] : kContradictions)
      if (sets[a].holds(n) && sets[b].holds(n))
        return makeInputError(sets[a].label(n) + " and " + sets[b].label(n) +
                              " contradict each other: both match node " +
                              graph.nodeName(n));
  return llvm::Error::success();
}

namespace {

/// What is to change: by node its new rule, if any.
struct NewRules {
  std::vector<std::optional<RecomputeRule>> rules;
  std::vector<NodeId> listed; ///< by the built-in list alone
  bool any = false;
};

/// What the patterns and the built-in list make of one node; none: what it is.
struct Verdict {
  std::optional<RecomputeRule> rule;
  bool isListed = false; ///< by the built-in list alone
};

} // namespace

static Verdict judge(const LoadedGraph &loaded, const RuleSets &sets,
                     bool useList, NodeId n) {
  const Graph &graph = loaded.graph;
  // A rule in the file is its author's word on the matter.
  bool isKnown = !loaded.facts.hasRecompute(n) && mustRunOnce(graph.opType(n));
  if (isKnown && sets[Allow].holds(n))
    return {sets[Recompute].holds(n) ? RecomputeRule::DropAtTurn
                                     : RecomputeRule::Allow};
  bool isListed = isKnown && useList;
  bool isNamed = sets[Never].holds(n) || sets[Keep].holds(n);
  if (graph.isNever(n))
    return {std::nullopt, isListed && !isNamed};
  if (sets[Never].holds(n) || isListed)
    return {RecomputeRule::Never, isListed && !isNamed};
  if (!graph.mayRecompute(n))
    return {};
  if (sets[Keep].holds(n))
    return {RecomputeRule::Once};
  if (sets[Recompute].holds(n))
    return {RecomputeRule::DropAtTurn};
  return {};
}

static NewRules decideRules(const LoadedGraph &loaded, const RuleSets &sets,
                            bool useList) {
  NewRules result;
  for (NodeId n = 0; n < loaded.graph.numNodes(); ++n) {
    Verdict verdict = judge(loaded, sets, useList, n);
    result.rules.push_back(verdict.rule);
    result.any |= verdict.rule.has_value();
    if (verdict.isListed)
      result.listed.push_back(n);
  }
  return result;
}

static void tellOfList(const Graph &graph, llvm::ArrayRef<NodeId> listed,
                       bool verbose) {
  if (verbose)
    for (const OnceOperators &group : onceOperators())
      printNote("run once unless allowed, " + group.kind + ": " +
                llvm::join(group.names, ", "));
  if (listed.empty())
    return;
  std::set<std::string> types;
  std::vector<llvm::StringRef> names;
  for (NodeId n : listed) {
    types.insert(graph.opType(n).str());
    names.push_back(graph.nodeName(n));
  }
  printNote("never recomputed, by what the operators are known to do: " +
            llvm::join(types, ", ") + "; --allow lifts this");
  if (verbose)
    printNote("these nodes: " + llvm::join(names, ", "));
}

static llvm::Expected<Graph> copyWithRules(const Graph &graph,
                                           const NewRules &changes) {
  GraphBuilder builder;
  if (llvm::Error e = copyConstants(graph, builder))
    return e;
  NodeDescriber describer(graph);
  for (NodeId n = 0; n < graph.numNodes(); ++n) {
    NodeDescription node = describer.describe(n);
    if (changes.rules[n])
      node.recompute = *changes.rules[n];
    if (llvm::Error e = builder.addNode(node))
      return e;
  }
  if (llvm::Error e = copyOutputs(graph, builder))
    return e;
  return builder.build();
}

/// Where --recompute cannot be followed, people are told rather than stopped:
/// a pattern for a whole layer also matches what must stay.
static void tellOfHeld(const Graph &graph, const RuleSet &recompute) {
  std::vector<uint8_t> isDropped(graph.numNodes(), 0);
  for (StorageId s : graph.droppedAtTurn())
    isDropped[graph.producer(graph.tensorsOn(s).front())] = 1;
  std::vector<llvm::StringRef> held;
  for (NodeId n = 0; n < graph.numNodes(); ++n)
    if (recompute.holds(n) && !isDropped[n] && graph.ownedBytes(n) > 0)
      held.push_back(graph.nodeName(n));
  if (!held.empty())
    printNote("--recompute does nothing for nodes that run once, belong to the "
              "backward pass or make outputs of the graph: " +
              llvm::join(held, ", "));
}

/// What is dropped at the turn must be there again behind it.
static llvm::Error checkTurn(const Graph &graph) {
  RunSequence order(graph.order().begin(), graph.order().end());
  TensorId held = heldAcrossTurn(graph, forgetAtTurn(graph, order));
  if (held == kNone)
    return llvm::Error::success();
  return makeInputError("--recompute: tensor " + graph.tensorName(held) +
                        " cannot be made again: what its node reads is gone "
                        "by then");
}

/// \p useList: hold what the built-in list has and none allows.
static llvm::Expected<std::optional<Graph>>
applyRules(const LoadedGraph &loaded, const ControlArguments &arguments,
           bool useList) {
  const Graph &graph = loaded.graph;
  llvm::Expected<RuleSets> sets = gatherRules(arguments);
  if (!sets)
    return sets.takeError();
  for (RuleSet &set : *sets)
    if (llvm::Error e = matchNodes(graph, set))
      return e;
  if (llvm::Error e = checkContradictions(graph, *sets))
    return e;
  NewRules changes = decideRules(loaded, *sets, useList);
  tellOfList(graph, changes.listed, arguments.verbose);
  if (!changes.any) {
    tellOfHeld(graph, (*sets)[Recompute]);
    return std::optional<Graph>();
  }
  llvm::Expected<Graph> ruled = copyWithRules(graph, changes);
  if (!ruled)
    return ruled.takeError();
  tellOfHeld(*ruled, (*sets)[Recompute]);
  if (llvm::Error e = checkTurn(*ruled))
    return e;
  return std::optional<Graph>(std::move(*ruled));
}

llvm::Expected<std::optional<Graph>>
applyControl(const LoadedGraph &loaded, const ControlArguments &arguments) {
  return applyRules(loaded, arguments, /*useList=*/true);
}

llvm::Error liftRules(LoadedGraph &loaded, const ControlArguments &arguments) {
  if (arguments.allow.empty())
    return llvm::Error::success();
  ControlArguments allow;
  allow.allow = arguments.allow;
  llvm::Expected<std::optional<Graph>> lifted =
      applyRules(loaded, allow, /*useList=*/false);
  if (!lifted)
    return lifted.takeError();
  if (*lifted)
    loaded.graph = std::move(**lifted);
  return llvm::Error::success();
}

} // namespace reprise
