#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Plans each model in several budgets and executes all plans:
#   test.sh REPRISE RUNTIME RUNTIME_DOUBLE FOLDER
set -euo pipefail
reprise=$1 runtime=$2 runtime_double=$3 out=$4
models=$(dirname "$0")/models

# execute GRAPH NAME BUDGETS RUNTIME...: plans GRAPH as NAME-*.json, runs them.
execute() {
  local schedules=() budget options file
  for budget in keep-all $3 smallest; do
    file=$out/$2-$budget.json
    case $budget in
    keep-all) options=(--strategy keep-all) ;;
    smallest) options=(--minimize memory --strategy greedy) ;;
    *) options=(--budget "$budget" --effort 2000) ;;
    esac
    # Not every model can be had for half its memory.
    if "$reprise" plan "$1" "${options[@]}" -o "$file" 2>"$file.log"; then
      "$reprise" check "$1" "$file" >/dev/null
      schedules+=("$file")
    elif ! grep -q 'smallest budget' "$file.log"; then
      cat "$file.log"
      return 1
    fi
  done
  [ ${#schedules[@]} -ge 3 ] || { echo "$2: few plans"; return 1; }
  grep -q '"recompute": true' "$file"
  "${@:4}" "$1" "${schedules[@]}"
}

for model in mlp cnn transformer; do
  execute "$models/$model.json" "$model" "70% 60% 50%" "$runtime"
  sed 's/"elemType": 1,/"elemType": 11,/' "$models/$model.json" \
    >"$out/$model-double-graph.json"
  execute "$out/$model-double-graph.json" "$model-double" "60%" \
    "$runtime_double" --gradients
done

# It tells when something is wrong: a schedule that frees too early, and one
# that promises too little.
sed 's/"peak_memory": /"peak_memory": 1/' "$out/mlp-50%.json" >"$out/wrong-peak.json"
if "$runtime" "$models/mlp.json" "$out/wrong-peak.json"; then exit 1; fi
sed '0,/{"free": "\(.*\)"}/s//{"free": "\1"}, {"free": "gelu1"}/' \
  "$out/mlp-keep-all.json" >"$out/early-free.json"
if "$runtime" "$models/mlp.json" "$out/early-free.json"; then exit 1; fi
