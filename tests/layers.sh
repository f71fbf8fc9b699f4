#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The layers graph <- operators, planner <- io <- tools, capi, and the fences around the two
# libraries that throw. Run from anywhere; prints each line that breaks a rule.
set -u
cd "$(dirname "$0")/.." || exit 2
broken=0

# forbid WHY PATTERN FOLDER...: no source line of the folders may match.
forbid() {
  local why=$1 pattern=$2
  shift 2
  if grep -rnE --include='*.h' --include='*.cpp' "$pattern" "$@"; then
    echo "layers: $why"
    broken=1
  fi
}

forbid "graph knows no other layer" \
  '#include "reprise/(operators|planner|io|tools)/' graph
forbid "operators knows graph only" \
  '#include "reprise/(planner|io|tools)/' operators
forbid "planner knows graph only" \
  '#include "reprise/(operators|io|tools)/' planner
forbid "io does not know the command" '#include "reprise/tools/' io
forbid "the library does not know its C interface" \
  '#include "reprise/(reprise.h|capi/)' graph operators planner io tools
forbid "the C interface does not know the command" \
  '#include "reprise/tools/' capi
forbid "JSON is read and written in io" '#include <nlohmann/' \
  graph operators planner tools capi
forbid "the JSON library stays out of public headers" \
  '#include [<"](nlohmann|rapidjson)/' graph operators planner tools capi
forbid "ONNX and protobuf stay in io/Onnx*" '#include <(onnx|google)/' \
  graph operators planner tools capi $(find io -name '*.h' -o -name '*.cpp' |
    grep -v '^io/Onnx')
forbid "only the command parses arguments" '#include <CLI/' \
  graph operators planner io capi
forbid "no iostream" '#include <iostream>' graph operators planner io tools capi tests
forbid "includes are spelled reprise/<folder>/<File>.h" \
  '#include "(\.\./|graph/|operators/|planner/|io/|tools/)' \
  graph operators planner io tools capi tests
exit $broken
