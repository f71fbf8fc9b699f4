#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How time and memory grow with the size of the graph.

usage: scaling.py REPRISE [--shared DIR] [--sizes 1000,10000,...] [--budget 40%]
                  [--jitter]

Graphs of transformers from DIR/tools/gen_synthetic.py, with --jitter such that
no two layers are alike. Columns: CPU seconds of `info` (reading and bounds of
the peak), of `plan`, of the same with two threads in wall seconds, and of
`check`; peak memory of `plan`; its overhead and proven gap. Behind each figure
that grows stands its exponent since the row above: 1 is linear. Exit 1 when a
plan is refused or invalid.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

from command import measure


def generate(shared, nodes, jitter, path):
    call = [sys.executable, os.path.join(shared, "tools", "gen_synthetic.py"),
            "gpt", str(nodes)] + (["--jitter"] if jitter else [])
    with open(path, "w", encoding="utf-8") as out:
        subprocess.run(call, stdout=out, check=True)


def succeed(call, out=subprocess.DEVNULL):
    used = measure(call, out)
    if used.status != 0:
        sys.exit(f"{' '.join(call)}: exit {used.status}")
    return used


def row(reprise, graph, budget, folder):
    """(growing figures, summary) of one graph."""
    schedule = os.path.join(folder, "schedule.json")
    report = os.path.join(folder, "summary.json")
    info = succeed([reprise, "info", graph])
    call = [reprise, "plan", graph, "-b", budget, "-o", schedule, "--json"]
    with open(report, "w", encoding="utf-8") as out:
        plan = succeed(call + ["--threads", "1"], out)
    with open(report, encoding="utf-8") as file:
        summary = json.load(file)
    threaded = succeed(call)
    check = succeed([reprise, "check", graph, schedule])
    return [info.cpu, plan.cpu, plan.seconds, threaded.seconds, check.cpu,
            plan.mib], summary


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reprise")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--sizes",
                        default="1000,3000,10000,30000,100000,300000,1000000")
    parser.add_argument("--budget", default="40%")
    parser.add_argument("--jitter", action="store_true")
    arguments = parser.parse_args()
    print("| nodes | info s | plan CPU s | 1 thread s | 2 threads s | check s "
          "| plan MiB | overhead % | gap % |\n" + "|---" * 9 + "|")
    before = None
    with tempfile.TemporaryDirectory() as folder:
        graph = os.path.join(folder, "graph.json")
        for size in map(int, arguments.sizes.split(",")):
            generate(arguments.shared, size, arguments.jitter, graph)
            figures, summary = row(arguments.reprise, graph, arguments.budget,
                                   folder)
            cells = [f"{figure:.2f}" for figure in figures]
            if before:
                growth = math.log(size / before[0])
                cells = [f"{cell} ({math.log(now / then) / growth:.2f})"
                         for cell, now, then in
                         zip(cells, figures, before[1])]
            before = size, figures
            print(f"| {size} | {' | '.join(cells)} | "
                  f"{100 * summary['overhead']:.3f} | "
                  f"{100 * summary['gap']:.3f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
