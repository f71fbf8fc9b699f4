#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes schedules of a model, and compares with PyTorch's own training step.

  run.py MODEL GRAPH SCHEDULE...

GRAPH is what export.py wrote. Exit code 0: each schedule gave the loss, the
gradients and the buffers of eager PyTorch, and the peak of all live storages
was what the schedule promises.
"""
import argparse
import copy
import json
import sys
import weakref

import torch

import models
from capture import Capture
from export import export, storage


class StorageTracker:
    """Bytes of the storages on which some tensor is alive. It looks at the
    tensors themselves: one that the program merely forgot to drop counts."""

    def __init__(self):
        self.tensors_on = {}  # how many, by storage
        self.live_bytes = 0
        self.peak_bytes = 0

    def track(self, tensor):
        key, size = storage(tensor)
        if not self.tensors_on.get(key):
            self.tensors_on[key] = 0
            self.live_bytes += size
        self.tensors_on[key] += 1
        weakref.finalize(tensor, self._forget, key, size)

    def _forget(self, key, size):
        self.tensors_on[key] -= 1
        if not self.tensors_on[key]:
            self.live_bytes -= size

    def sample(self):
        self.peak_bytes = max(self.peak_bytes, self.live_bytes)


@torch.no_grad()
def execute(capture, steps, constants):
    """Runs the `steps` of a schedule. Returns loss, gradients by parameter and
    the peak in bytes. Buffers among the `constants` are updated."""
    calls = {call.name: call for call in capture.calls}
    tensors = {k: t.detach() for k, t in constants.items()}
    tracker = StorageTracker()
    for tensor in tensors.values():
        tracker.track(tensor)
    for step in steps:
        if "free" in step:
            del tensors[step["free"]]
            continue
        call = calls[step["compute"]]
        results = call.run(tensors)
        fresh = [t for t in results
                 if t is not None and not any(t is old for old in
                                              tensors.values())]
        for tensor in fresh:
            tracker.track(tensor)
        tracker.sample()  # inputs and outputs are all there
        if call.mutates and call.args[0] not in capture.constants:
            del tensors[call.args[0]]  # overwritten
        for name, tensor in zip(call.outputs, results):
            if name is not None:
                # A second copy of what is there is dropped.
                tensors.setdefault(name, tensor)
        del results, fresh
        tensor = None
    gradients = {k: None if g is None else tensors[g]
                 for k, g in capture.gradients.items()}
    return tensors[capture.loss], gradients, tracker.peak_bytes


def eager_step(module, loss_function, x, target):
    """PyTorch's own step: loss, and gradients and buffers by name."""
    loss = loss_function(module(x), target)
    loss.backward()
    return (loss.detach(), {k: p.grad for k, p in module.named_parameters()},
            dict(module.named_buffers()))


class Comparison:
    """Counts tensors that are equal in all bits, or within 1e-5."""

    def __init__(self):
        self.is_bitwise = self.is_close = True

    def add(self, tensor, expected):
        if tensor is None or expected is None:
            self.is_close = self.is_close and tensor is expected
        elif not torch.equal(tensor, expected):
            self.is_bitwise = False
            tolerance = 1e-5 * expected.abs().max().item()
            self.is_close = self.is_close and torch.allclose(
                tensor, expected, rtol=1e-5, atol=tolerance)

    def __str__(self):
        return ("all bits equal" if self.is_bitwise and self.is_close else
                "equal within 1e-5" if self.is_close else "DIFFERENT")


def run(name, capture, schedule, seed=7):
    """Executes one schedule file's object; is all as it should be?"""
    module, loss_function, x, target = models.make(name)
    constants = {**capture.constants, **dict(module.named_parameters()),
                 **dict(module.named_buffers()), "x": x, "target": target}
    eager = copy.deepcopy(module)
    torch.manual_seed(seed)
    loss, gradients, peak = execute(capture, schedule["steps"], constants)
    torch.manual_seed(seed)
    eager_loss, eager_gradients, buffers = eager_step(eager, loss_function, x,
                                                      target)
    comparison = Comparison()
    comparison.add(loss, eager_loss)
    for key, gradient in eager_gradients.items():
        comparison.add(gradients[key], gradient)
    for key, buffer in buffers.items():
        comparison.add(constants[key], buffer)
    planned = schedule["peak_memory"]
    print(f"{name}: peak {peak} bytes,",
          "as planned;" if peak == planned else f"BUT {planned} PLANNED;",
          f"{100 * planned / schedule['baseline']['peak_memory']:.1f}% of the "
          f"baseline, cost {schedule['cost'] / schedule['baseline']['cost']:.3f};",
          f"loss {loss.item():.6f}, {comparison}", flush=True)
    return comparison.is_close and peak == planned


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=models.MODELS)
    parser.add_argument("graph")
    parser.add_argument("schedule", nargs="+")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # sums in one order
    capture = Capture(*models.make(arguments.model))
    text = export(capture, arguments.model)
    with open(arguments.graph) as file:
        if file.read() != text:
            sys.exit(f"run.py: error: {arguments.graph} is another graph: "
                     "export it again")
    is_good = True
    for path in arguments.schedule:
        with open(path) as file:
            is_good = run(arguments.model, capture,
                          json.load(file)) and is_good
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
