#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares plans of chains and long networks with other planners' figures.

usage: chains.py REPRISE [--shared DIR] [--only rotor,revolve,pfnet]
                 [--strategy NAME] [--match TEXT]

rotor    heterogeneous chains: the optimal persistent cost at each budget
revolve  homogeneous chains: forward evaluations of binomial checkpointing
pfnet    real networks: what the lower-set programs and Chen's method reach

Every schedule is verified by `reprise check` and, where it is in DIR/tools, by
the referee. Cost columns are in the graph's unit (FLOPs), memory is that of the
whole process in MiB. Exit 1 when a plan costs more than the figure that it is
compared with, is over the budget or is not valid. --match limits the graphs
to those with TEXT in their names. DIR is ../shared unless given.
"""

import argparse
import json
import os
import sys
import tempfile

from command import Command


class Table:
    """Rows as they come, and what was lost."""

    def __init__(self, title):
        self.rows = self.losses = self.wins = 0
        self.slowest = self.largest = 0.0
        print(f"\n{title}\n{'graph':24} {'budget':>12} {'theirs':>14} "
              f"{'ours':>14} {'excess':>9} {'seconds':>8} {'MiB':>6}")

    def add(self, name, budget, theirs, answer):
        """A row: their cost, and what Command.plan() said."""
        summary, seconds, mebibytes = answer
        self.rows += 1
        self.slowest = max(self.slowest, seconds)
        self.largest = max(self.largest, mebibytes)
        ours = summary["cost"] if summary else float("inf")
        excess = ours / theirs - 1 if theirs else ours
        self.losses += excess > 1e-9
        self.wins += excess < -1e-9
        print(f"{name:24} {budget:12} {theirs:14.6g} {ours:14.6g} "
              f"{excess:9.3%} {seconds:8.2f} {mebibytes:6.0f}"
              f"{'  LOSS' if excess > 1e-9 else ''}", flush=True)

    def close(self):
        """Prints the sum of all rows; True where nothing was lost."""
        print(f"{self.rows} budgets, {self.losses} lost, {self.wins} cheaper; "
              f"at most {self.slowest:.2f} s, {self.largest:.0f} MiB")
        return self.losses == 0


def load(*path):
    """The JSON file at that path."""
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def rotor(command, arguments):
    """Optimal persistent costs of heterogeneous chains."""
    folder = os.path.join(arguments.shared, "peers", "rotor")
    suffix = ".graph.json"
    names = [f[:-len(suffix)] for f in os.listdir(folder)
             if f.endswith(suffix) and arguments.match in f]
    table = Table(f"heterogeneous chains, {arguments.strategy}")
    facts = {name: load(folder, name + ".json") for name in names}
    for name in sorted(names, key=lambda n: (facts[n]["chain"]["n"], n)):
        for row in facts[name]["budgets"]:
            answer = command.plan(os.path.join(folder, name + suffix),
                                  row["budget_bytes"], arguments.strategy)
            table.add(name, row["budget_bytes"],
                      row["optimal_persistent_cost"], answer)
    return table.close()


def homogeneous(length):
    """A chain of equal steps: a state and a tape each, one unit of work."""
    nodes = [{"name": f"f{i}", "opType": "Step", "flops": 1,
              "input": [f"a{i - 1}" if i else "x0"],
              "output": [f"a{i}", f"tape{i}"], "memory": [64, 4096]}
             for i in range(length)]
    for i in reversed(range(length)):
        above = [f"g{i + 1}"] if i + 1 < length else []
        nodes.append({"name": f"b{i}", "opType": "StepGrad", "flops": 0,
                      "phase": "backward", "input": [f"tape{i}"] + above,
                      "output": [f"g{i}"], "memory": [0]})
    return {"graph": {"name": f"revolve_{length}", "node": nodes,
                      "input": [{"name": "x0", "memory": 64}],
                      "output": [{"name": "g0"}]}}


def revolve(command, arguments):
    """Forward evaluations of homogeneous chains."""
    table = Table(f"homogeneous chains, {arguments.strategy}")
    path = os.path.join(command.folder, "chain.json")
    made = 0
    for row in load(arguments.shared, "peers", "revolve_table.json")["rows"]:
        name = f"revolve_{row['n']}"
        if arguments.match not in name:
            continue
        if row["n"] != made:
            made = row["n"]
            with open(path, "w", encoding="utf-8") as file:
                json.dump(homogeneous(made), file)
        budget = row["graph_budget_bytes"]
        table.add(f"{name}, s = {row['s']}", budget, row["total_forward"],
                  command.plan(path, budget, arguments.strategy))
    return table.close()


def pfnet(command, arguments):
    """What Kusumoto's programs and Chen's method reach on real networks."""
    table = Table(f"networks of pfnet, {arguments.strategy}")
    folder = os.path.join(arguments.shared, "graphs", "pfnet")
    graphs = load(arguments.shared, "peers", "pfnet.json")["graphs"]
    for name, rows in graphs.items():
        if arguments.match not in name:
            continue
        path = os.path.join(folder, name + ".json")
        nodes = load(path)["graph"]["node"]
        forward = sum(node["flops"] for node in nodes
                      if node.get("phase") != "backward")
        whole = sum(node["flops"] for node in nodes)
        for row in rows:
            theirs = whole + row["recompute_over_forward"] * forward
            # Their share has six digits: half of the last one is no loss.
            table.add(name, row["peak"], theirs + 5e-7 * forward,
                      command.plan(path, row["peak"], arguments.strategy))
    return table.close()


PARTS = {"rotor": rotor, "revolve": revolve, "pfnet": pfnet}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("reprise")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--strategy", default="chain")
    parser.add_argument("--match", default="")
    arguments = parser.parse_args()
    if not os.path.isdir(os.path.join(arguments.shared, "peers")):
        print(f"{arguments.shared}: not here, skipped")
        return 0
    referee = os.path.join(arguments.shared, "tools", "referee.py")
    with tempfile.TemporaryDirectory() as folder:
        command = Command(arguments.reprise, referee, folder)
        won = [PARTS[part](command, arguments)
               for part in arguments.only.split(",")]
    return 0 if all(won) else 1


if __name__ == "__main__":
    sys.exit(main())
