// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/NodeWriter.h"

#include "reprise/io/ScheduleWriter.h"

namespace reprise {

template <typename List, typename Append>
static void appendList(std::string &json, char open, char close,
                       const List &list, Append append) {
  json += open;
  const char *separator = "";
  for (const auto &entry : list) {
    json += separator;
    separator = ", ";
    append(entry);
  }
  json += close;
}

template <typename Names>
static void appendNames(std::string &json, const char *key,
                        const Names &names) {
  json += key;
  appendList(json, '[', ']', names,
             [&](llvm::StringRef name) { appendJsonString(json, name); });
}

/// An object of the output names with the input names; nothing where it would
/// be empty.
template <typename Pairs>
static void appendPairs(std::string &json, const char *key,
                        const Pairs &pairs) {
  if (pairs.empty())
    return;
  json += key;
  appendList(json, '{', '}', pairs, [&](const auto &pair) {
    appendJsonString(json, pair.first);
    json += ": ";
    appendJsonString(json, pair.second);
  });
}

template <typename Node>
static void appendFields(std::string &json, const Node &node) {
  json += "\"opType\": ";
  appendJsonString(json, node.opType);
  appendNames(json, ", \"input\": ", node.inputs);
  appendNames(json, ", \"output\": ", node.outputs);
  if (node.flops) {
    json += ", \"flops\": ";
    appendJsonNumber(json, *node.flops);
  }
  if (node.seconds) {
    json += ", \"time\": ";
    appendJsonNumber(json, *node.seconds);
  }
  json += ", \"memory\": ";
  appendList(json, '[', ']', node.bytes,
             [&](int64_t bytes) { json += std::to_string(bytes); });
  if (node.workspaceBytes > 0)
    json += ", \"workspace\": " + std::to_string(node.workspaceBytes);
  if (node.phase == Phase::Backward)
    json += ", \"phase\": \"backward\"";
  if (node.recompute == RecomputeRule::Never)
    json += ", \"recompute\": \"never\"";
  appendPairs(json, ", \"alias\": ", node.alias);
  appendPairs(json, ", \"inplace\": ", node.inplace);
}

void appendNodeFields(std::string &json, const NodeRecord &node) {
  appendFields(json, node);
}

void appendNodeFields(std::string &json, const NodeDescription &node) {
  appendFields(json, node);
}

std::string writeDerivedNodes(llvm::ArrayRef<NodeRecord> nodes) {
  std::string json;
  appendList(json, '{', '}', nodes, [&](const NodeRecord &node) {
    json += "\n    ";
    appendJsonString(json, node.name);
    json += ": {";
    appendFields(json, node);
    json += '}';
  });
  return json;
}

} // namespace reprise
