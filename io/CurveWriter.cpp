// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reprise/io/CurveWriter.h"

#include "reprise/io/ScheduleWriter.h"

namespace reprise {

static double overheadOf(const Curve &curve, const CurvePlan &plan) {
  double base = curve.baselineCost;
  return base > 0 ? (plan.cost - base) / base : 0;
}

std::string writeCurveCsv(const Curve &curve) {
  std::string text = "budget,peak,cost,overhead,lower_bound,strategy\n";
  for (const CurvePoint &point : curve.points) {
    text += std::to_string(point.budgetBytes) + ',';
    if (point.plan) {
      text += std::to_string(point.plan->peakBytes) + ',';
      appendJsonNumber(text, point.plan->cost);
      text += ',';
      appendJsonNumber(text, overheadOf(curve, *point.plan));
    } else {
      text += ",,";
    }
    text += ',';
    appendJsonNumber(text, point.lowerBound);
    text += ',' + (point.plan ? point.plan->strategy : "") + '\n';
  }
  return text;
}

static void appendPoint(std::string &json, const Curve &curve,
                        const CurvePoint &point) {
  json += "{\"budget\": " + std::to_string(point.budgetBytes);
  if (point.plan) {
    json += ", \"peak\": " + std::to_string(point.plan->peakBytes);
    json += ", \"cost\": ";
    appendJsonNumber(json, point.plan->cost);
    json += ", \"overhead\": ";
    appendJsonNumber(json, overheadOf(curve, *point.plan));
  } else {
    json += ", \"peak\": null, \"cost\": null, \"overhead\": null";
  }
  json += ", \"lower_bound\": ";
  appendJsonNumber(json, point.lowerBound);
  json += ", \"strategy\": ";
  if (point.plan)
    appendJsonString(json, point.plan->strategy);
  else
    json += "null";
  json += '}';
}

std::string writeCurveJson(const CurveInfo &info, const Curve &curve) {
  std::string json = "{\n  \"format\": \"reprise.curve\",\n  \"version\": 1,\n"
                     "  \"graph\": {\"name\": ";
  appendJsonString(json, info.graphName);
  json += ", \"sha256\": ";
  appendJsonString(json, info.sha256);
  json += "},\n  \"objective\": ";
  appendJsonString(json, objectiveName(info.objective));
  json += ",\n  \"baseline\": {\"peak_memory\": " +
          std::to_string(curve.baselinePeakBytes) + ", \"cost\": ";
  appendJsonNumber(json, curve.baselineCost);
  json += "},\n  \"points\": [";
  const char *separator = "\n    ";
  for (const CurvePoint &point : curve.points) {
    json += separator;
    appendPoint(json, curve, point);
    separator = ",\n    ";
  }
  json += "\n  ]\n}\n";
  return json;
}

} // namespace reprise
