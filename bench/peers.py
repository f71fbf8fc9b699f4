#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares plans with the best that other planners are known to reach.

usage: peers.py REPRISE [--shared DIR] [--match TEXT] [-- OPTION...]

Each entry of DIR/peers/best_known.json is a graph, a budget in bytes and the
least overhead that anybody reached there (an integer program for one order,
TwRemat, DTR, Chen, annealing). Overheads and gaps are percents of the cost of
the baseline. An entry is lost when our overhead is above theirs by more than
the 0.5% of the baseline's cost that a solver's tolerance explains for the
integer program, by anything for the others, or when we find no plan. OPTIONs
go to `reprise plan`. Exit 1 when an entry is lost.
"""

import argparse
import json
import os
import sys
import tempfile

from command import Command


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reprise")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--match", default="")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:split])
    options = sys.argv[split + 1:]
    shared = arguments.shared
    with open(os.path.join(shared, "peers", "best_known.json"),
              encoding="utf-8") as file:
        entries = json.load(file)["entries"]
    print(f"{'graph':36} {'budget':>12} {'by':>18} {'theirs':>8} {'ours':>8} "
          f"{'gap':>8} {'seconds':>8} {'MiB':>6}")
    count = lost = 0
    with tempfile.TemporaryDirectory() as folder:
        command = Command(arguments.reprise,
                          os.path.join(shared, "tools", "referee.py"), folder)
        for entry in entries:
            if arguments.match not in entry["file"]:
                continue
            theirs, by = entry.get("best_overhead"), entry.get("by", "")
            summary, seconds, mib = command.plan(
                os.path.join(shared, "graphs", entry["file"]), entry["budget"],
                extra=options)
            count += 1
            known = f"{100 * theirs:8.3f}" if theirs is not None else " " * 8
            row = (f"{entry['file'].removesuffix('.json'):36} "
                   f"{entry['budget']:12} {by[:18]:>18} {known} ")
            if summary is None:
                is_lost = theirs is not None
                row += f"{'none':>8} {'':8}"
            else:
                allowed = 0.005 if "ilp" in by else 1e-5
                is_lost = (theirs is not None and
                           summary["overhead"] > theirs + allowed)
                row += (f"{100 * summary['overhead']:8.3f} "
                        f"{100 * summary['gap']:8.3f}")
            lost += is_lost
            print(f"{row} {seconds:8.2f} {mib:6.0f}"
                  f"{'  LOST' if is_lost else ''}", flush=True)
    print(f"{count} entries, {lost} lost")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
