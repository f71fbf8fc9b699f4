#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Overhead, proven gap and seconds of graphs at fractions of their peaks.

usage: budgets.py REPRISE GRAPH... [--at 60%,50%,40%,30%] [--smallest]
                  [--referee FILE] [-- OPTION...]

A row for each graph, a cell for each budget: overhead % / gap % / seconds, or
"-" where no plan was found. With --smallest, the smallest peak that
--minimize memory finds and the proven floor of all peaks, in percents of the
baseline's. Every schedule is verified by `reprise check`, and by the referee
if one is given. OPTIONs go to `reprise plan`. The table is Markdown.
"""

import argparse
import os
import sys
import tempfile

from command import Command


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reprise")
    parser.add_argument("graphs", nargs="+")
    parser.add_argument("--at", default="60%,50%,40%,30%")
    parser.add_argument("--smallest", action="store_true")
    parser.add_argument("--referee", default="")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:split])
    options = sys.argv[split + 1:]
    budgets = arguments.at.split(",")
    heads = ["graph", *budgets]
    if arguments.smallest:
        heads = ["graph", "smallest", "floor", "seconds"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with tempfile.TemporaryDirectory() as folder:
        command = Command(arguments.reprise, arguments.referee, folder)
        for graph in arguments.graphs:
            cells = [os.path.basename(graph).removesuffix(".json")]
            if arguments.smallest:
                summary, seconds, _ = command.smallest(graph, options)
                peak = summary["baseline"]["peak_memory"]
                cells += [f"{100 * summary['peak_memory'] / peak:.1f}%",
                          f"{100 * summary['floor_memory'] / peak:.1f}%",
                          f"{seconds:.1f}"]
            else:
                for budget in budgets:
                    summary, seconds, _ = command.plan(graph, budget,
                                                       extra=options)
                    cells.append(f"- / - / {seconds:.1f}" if summary is None
                                 else f"{100 * summary['overhead']:.3f} / "
                                      f"{100 * summary['gap']:.3f} / "
                                      f"{seconds:.1f}")
            print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
