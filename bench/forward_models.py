#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports forward models and plans the training steps derived from them.

usage: forward_models.py REPRISE [--shared DIR] [--at 60%,50%,40%]
                         [--match TEXT]

Every model of DIR/graphs/onnx (in protobuf and in JSON) and DIR/graphs/forward
is imported and planned at each budget; `reprise check` and the referee verify
the schedules. A cell is overhead % / gap %, or "-" where no plan was found. The
columns "flops" and "bytes" say by how many percents the imported model differs
in total from its twin with costs (*_costs.json), where there is one; "torch"
compares the baseline's peak, pooling with indices, with that of the training
graph which PyTorch itself made of the model (DIR/graphs/train).
"""

import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

from command import Command


def totals(path):
    """(FLOPs, bytes) of all nodes of a graph file."""
    with open(path, encoding="utf-8") as file:
        nodes = json.load(file)["graph"]["node"]
    return (sum(node.get("flops", 0) for node in nodes),
            sum(sum(node.get("memory", ())) for node in nodes))


def baseline(reprise, path):
    """Peak bytes of the baseline of a graph file."""
    done = subprocess.run([reprise, "info", "--json", path], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)["baseline_peak_memory"]


def percent(ours, theirs):
    return f"{100 * (ours / theirs - 1):+.2f}%" if theirs else "-"


def compare(reprise, model, graph, shared, folder):
    """The cells flops, bytes, torch."""
    stem = os.path.splitext(model)[0]
    twin, cells = stem + "_costs.json", ["", ""]
    if os.path.exists(twin):
        cells = [percent(*pair) for pair in zip(totals(graph), totals(twin))]
    name = os.path.basename(stem).removeprefix("onnx_") + ".json"
    torch = os.path.join(shared, "graphs", "train", name)
    if not os.path.exists(torch) or "forward" not in model:
        return cells + [""]
    indexed = os.path.join(folder, "indexed.json")
    subprocess.run([reprise, "import", model, "--pool-indices", "-o", indexed],
                   check=True)
    return cells + [percent(baseline(reprise, indexed),
                            baseline(reprise, torch))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reprise")
    parser.add_argument("--shared", default="../shared")
    parser.add_argument("--at", default="60%,50%,40%")
    parser.add_argument("--match", default="")
    arguments = parser.parse_args()
    graphs = os.path.join(arguments.shared, "graphs")
    models = sorted(model for pattern in ("onnx/original/*.onnx", "onnx/*.json",
                                          "forward/*.json")
                    for model in glob.glob(os.path.join(graphs, pattern))
                    if "_costs" not in model and arguments.match in model)
    budgets = arguments.at.split(",")
    heads = ["model", "flops", "bytes", "torch", *budgets]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    with tempfile.TemporaryDirectory() as folder:
        command = Command(arguments.reprise, os.path.join(
            arguments.shared, "tools", "referee.py"), folder)
        for model in models:
            graph = os.path.join(folder, "imported.json")
            subprocess.run([arguments.reprise, "import", model, "-o", graph],
                           check=True)
            cells = [os.path.relpath(model, graphs)]
            cells += compare(arguments.reprise, model, graph, arguments.shared,
                             folder)
            for budget in budgets:
                summary, _, _ = command.plan(graph, budget)
                cells.append("-" if summary is None else
                             f"{100 * summary['overhead']:.3f} / "
                             f"{100 * summary['gap']:.3f}")
            print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
