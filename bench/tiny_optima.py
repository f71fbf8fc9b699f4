#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the command with the exhaustive optima of tiny graphs.

usage: tiny_optima.py REPRISE [GRAPHS.jsonl EXPECTED.json]

Every step of every graph's cost staircase is asked for twice, at its smallest
and at its largest budget, with --strategy optimal and with auto; one byte below
the smallest feasible budget the answer must be no. A lower bound above the
optimum counts as a failure. Exit 1 when `optimal` misses one optimum, or when
`auto` misses more than 2% of them or one by more than 3%.
"""

import json
import os
import subprocess
import sys

GRAPHS = "../shared/graphs/synthetic/tiny.jsonl"
EXPECTED = "../shared/graphs/synthetic/tiny_expected.json"


def plan(command, strategy, text, budget):
    """The summary of one call; None for a budget that is refused."""
    call = [command, "plan", "-", "-b", str(budget), "-s", strategy]
    done = subprocess.run(call + ["-o", os.devnull, "--json"], input=text,
                          capture_output=True, text=True, check=False)
    if done.returncode == 1:
        return None
    if done.returncode != 0:
        sys.exit(f"{' '.join(call)}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def questions(expected):
    """(budget, optimal cost or None) of one graph."""
    steps = expected["optimum"]
    yield steps[0]["from_budget"] - 1, None
    for step, following in zip(steps, steps[1:] + [None]):
        yield step["from_budget"], step["cost"]
        if following and following["from_budget"] - 1 > step["from_budget"]:
            yield following["from_budget"] - 1, step["cost"]


def judge(name, strategy, budget, optimum, summary):
    """Relative excess over the optimum; None where an answer is wrong."""
    place = f"{name}, {budget} bytes, {strategy}"
    if optimum is None or summary is None:
        if (optimum is None) != (summary is None):
            print(f"{place}: optimum {optimum}, answer {summary}")
            return None
        return 0.0
    cost, bound = summary["cost"], summary["lower_bound"]
    if cost < optimum * (1 - 1e-9) or bound > optimum * (1 + 1e-9):
        print(f"{place}: cost {cost}, lower bound {bound}, optimum {optimum}")
        return None
    return cost / optimum - 1 if optimum else float(cost > 0)


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    command = sys.argv[1]
    graphs, expected = sys.argv[2:] or (GRAPHS, EXPECTED)
    if not os.path.exists(graphs) or not os.path.exists(expected):
        print(f"{graphs}: not here, skipped")
        return 0
    with open(expected, encoding="utf-8") as file:
        optima = json.load(file)["graphs"]
    tally = {name: {"steps": 0, "equal": 0, "worst": 0.0, "wrong": 0,
                    "gap0": 0} for name in ("optimal", "auto")}
    with open(graphs, encoding="utf-8") as file:
        for text in file:
            name = json.loads(text)["graph"]["name"]
            for budget, optimum in questions(optima[name]):
                for strategy, row in tally.items():
                    summary = plan(command, strategy, text, budget)
                    excess = judge(name, strategy, budget, optimum, summary)
                    row["steps"] += 1
                    if excess is None:
                        row["wrong"] += 1
                        continue
                    row["equal"] += excess <= 1e-9
                    row["worst"] = max(row["worst"], excess)
                    row["gap0"] += summary is None or summary["gap"] <= 1e-9
    for strategy, row in tally.items():
        print(f"{strategy}: {row['equal']} of {row['steps']} optimal, "
              f"{row['gap0']} proven, worst +{row['worst']:.3%}, "
              f"{row['wrong']} wrong")
    exact, auto = tally["optimal"], tally["auto"]
    return int(exact["equal"] < exact["steps"] or auto["wrong"] > 0 or
               auto["equal"] < 0.98 * auto["steps"] or auto["worst"] > 0.03)


if __name__ == "__main__":
    sys.exit(main())
