// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain appending to one string: a schedule can have millions of steps.

#include "reprise/io/ScheduleWriter.h"

#include "reprise/io/Utf8.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

namespace reprise {

/// Appends \p text, which is UTF-8, with JSON's escapes.
static void appendEscaped(std::string &json, llvm::StringRef text) {
  for (char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += "\\u00";
      json += llvm::hexdigit(static_cast<unsigned char>(c) >> 4, true);
      json += llvm::hexdigit(c & 15, true);
    } else {
      json += c;
    }
  }
}

void appendJsonString(std::string &json, llvm::StringRef text) {
  json += '"';
  if (isUtf8(text))
    appendEscaped(json, text);
  else
    appendEscaped(json, fixUtf8(text));
  json += '"';
}

template <typename Number>
static void appendNumber(std::string &json, Number value) {
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  json.append(digits, end);
}

void appendJsonNumber(std::string &json, double value) {
  if (std::isfinite(value))
    appendNumber(json, value);
  else
    json += "null";
}

static void appendDevice(std::string &json, const Device &device) {
  json += ",\n  \"device\": {";
  if (!device.name.empty()) {
    json += "\"name\": ";
    appendJsonString(json, device.name);
    json += ", ";
  }
  json += "\"peak_flops\": ";
  appendJsonNumber(json, device.peakFlops);
  json += ", \"bandwidth\": ";
  appendJsonNumber(json, device.bandwidth);
  json += '}';
}

static void appendHead(std::string &json, const ScheduleInfo &info) {
  json += "{\n  \"format\": \"reprise.schedule\",\n  \"version\": 1,\n"
          "  \"graph\": {\"name\": ";
  appendJsonString(json, info.graphName);
  json += ", \"sha256\": ";
  appendJsonString(json, info.sha256);
  json += "},\n  \"strategy\": ";
  appendJsonString(json, info.strategy);
  json += ",\n  \"objective\": ";
  appendJsonString(json, objectiveName(info.objective));
  if (info.device)
    appendDevice(json, *info.device);
  json += ",\n  \"budget\": ";
  if (info.budgetBytes)
    appendNumber(json, *info.budgetBytes);
  else
    json += "null";
  json += ",\n  \"peak_memory\": ";
  appendNumber(json, info.peakBytes);
  json += ",\n  \"cost\": ";
  appendJsonNumber(json, info.cost);
  json += ",\n  \"baseline\": {\"peak_memory\": ";
  appendNumber(json, info.baselinePeakBytes);
  json += ", \"cost\": ";
  appendJsonNumber(json, info.baselineCost);
  json += "},\n  \"lower_bound\": ";
  if (info.lowerBound)
    appendJsonNumber(json, *info.lowerBound);
  else
    json += "null";
}

static void appendSteps(std::string &json, const Graph &graph,
                        const Plan &plan) {
  json += ",\n  \"steps\": [";
  const char *separator = "\n";
  for (const Step &step : plan.steps) {
    json += separator;
    separator = ",\n";
    if (step.kind == Step::Free) {
      json += "    {\"free\": ";
      appendJsonString(json, graph.tensorName(step.id));
      json += '}';
      continue;
    }
    json += "    {\"compute\": ";
    appendJsonString(json, graph.nodeName(step.id));
    json += step.kind == Step::Recompute ? ", \"recompute\": true}" : "}";
  }
  json += plan.steps.empty() ? "]" : "\n  ]";
}

static void appendWorkspaces(std::string &json, const Graph &graph,
                             const PlanArena &arena) {
  json += ", \"workspaces\": [";
  const char *separator = "\n";
  for (const PlanArena::Workspace &workspace : arena.workspaces) {
    json += separator;
    separator = ",\n";
    json += "    {\"node\": ";
    appendJsonString(json, graph.nodeName(workspace.node));
    json += ", \"step\": ";
    appendNumber(json, workspace.step);
    json += ", \"offset\": ";
    appendNumber(json, workspace.offset);
    json += ", \"bytes\": ";
    appendNumber(json, workspace.bytes);
    json += '}';
  }
  json += "\n  ]";
}

static void appendArena(std::string &json, const Graph &graph,
                        const PlanArena &arena) {
  json += ",\n  \"arena\": {\"size\": ";
  appendNumber(json, arena.bytes);
  json += ", \"alignment\": ";
  appendNumber(json, arena.alignment);
  json += ", \"buffers\": [";
  const char *separator = "\n";
  for (const PlanArena::Buffer &buffer : arena.buffers) {
    json += separator;
    separator = ",\n";
    json += "    {\"tensor\": ";
    appendJsonString(json, graph.tensorName(buffer.tensor));
    json += ", \"first_step\": ";
    appendNumber(json, buffer.firstStep);
    json += ", \"last_step\": ";
    appendNumber(json, buffer.lastStep);
    json += ", \"offset\": ";
    appendNumber(json, buffer.offset);
    json += ", \"bytes\": ";
    appendNumber(json, buffer.bytes);
    json += '}';
  }
  json += arena.buffers.empty() ? "]" : "\n  ]";
  if (!arena.workspaces.empty())
    appendWorkspaces(json, graph, arena);
  json += '}';
}

std::string writeSchedule(const Graph &graph, const ScheduleInfo &info,
                          const Plan &plan) {
  std::string json;
  constexpr size_t bytesPerStep = 48; // a guess: it saves growing
  json.reserve(plan.steps.size() * bytesPerStep + info.nodesJson.size());
  appendHead(json, info);
  appendSteps(json, graph, plan);
  json += ",\n  \"nodes\": ";
  json += info.nodesJson;
  if (info.arena)
    appendArena(json, graph, *info.arena);
  json += "\n}\n";
  return json;
}

} // namespace reprise
