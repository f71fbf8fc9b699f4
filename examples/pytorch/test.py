#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports, plans and executes every model in three budgets:

  test.py REPRISE FOLDER [MODEL...]
"""
import json
import os
import subprocess
import sys

import torch

import models
from capture import Capture
from export import export
from run import run

BUDGETS = (["--strategy", "keep-all"], ["--budget", "70%"],
           ["--budget", "50%"], ["--budget", "40%"])


def test(reprise, folder, name):
    capture = Capture(*models.make(name))
    graph = os.path.join(folder, name + ".json")
    with open(graph, "w") as file:
        file.write(export(capture, name))
    is_good = True
    for options in BUDGETS:
        path = os.path.join(folder, f"{name}-{options[1]}.schedule.json")
        subprocess.run([reprise, "plan", graph, *options, "--effort", "2000",
                        "-o", path], check=True, stderr=subprocess.PIPE)
        subprocess.run([reprise, "check", graph, path], check=True,
                       stdout=subprocess.DEVNULL)
        with open(path) as file:
            is_good = run(name, capture, json.load(file)) and is_good
    return is_good


def main():
    torch.set_num_threads(1)  # sums in one order
    reprise, folder, *names = sys.argv[1:]
    results = [test(reprise, folder, name) for name in names or models.MODELS]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
