#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the training step of a model as a graph for `reprise plan`.

  export.py MODEL -o graph.json

What is a view, what is overwritten and how many bytes there are is not taken
from documentation but seen: every call is run once, on real tensors, and the
storages of its results are looked at.
"""
import argparse
import json
import math

import torch

import models
from capture import Capture, batch_norm

# Calls that draw random numbers, for versions of PyTorch without tags.
RANDOM = {"bernoulli", "bernoulli_", "native_dropout", "rand", "rand_like",
          "randn", "randn_like", "randint", "random_mask", "randperm",
          "normal", "normal_", "uniform", "uniform_", "multinomial",
          "rrelu_with_noise"}


def storage(tensor):
    """The storage of `tensor`: its identity while it lives, and its bytes."""
    get = getattr(tensor, "untyped_storage", tensor.storage)
    found = get()
    return found._cdata, found.nbytes()


def operator_name(target):
    packet = getattr(target, "overloadpacket", target)
    return packet.__name__


def is_random(target):
    tag = getattr(torch.Tag, "nondeterministic_seeded", None) if hasattr(
        torch, "Tag") else None
    return (operator_name(target) in RANDOM
            or tag is not None and tag in getattr(target, "tags", ()))


def flops(call, inputs, outputs):
    """FLOPs: two for each multiply-add, else one for each element made."""
    name = operator_name(call.target)
    if name in ("mm", "bmm", "addmm", "baddbmm"):
        return 2 * outputs[0].numel() * inputs[-1].shape[-2]
    if name == "convolution":
        # Each element of the smaller side of the kernel: (in, out, k, k).
        is_transposed = call.args[6]
        side = inputs[0] if is_transposed else outputs[0]
        return 2 * side.numel() * math.prod(inputs[1].shape[1:])
    if name == "convolution_backward":
        is_transposed, wanted = call.args[7], call.args[10]
        side = inputs[1] if is_transposed else inputs[0]
        return (2 * side.numel() * math.prod(inputs[2].shape[1:])
                * (wanted[0] + wanted[1]))
    return sum(t.numel() for t in outputs if t is not None)


class Exporter:
    """Runs a Capture once, keeps all of it, and describes what it sees."""

    def __init__(self, capture):
        self.capture = capture
        self.tensors = {k: t.detach().clone()
                        for k, t in capture.constants.items()}
        self.on_storage = {}  # names of tensors, by storage
        for name, tensor in self.tensors.items():
            self.on_storage.setdefault(storage(tensor)[0], []).append(name)
        self.constant_storages = set(self.on_storage)
        self.updated = set()  # storages of constants that the step writes to
        for call in capture.calls:
            if call.mutates and call.args[0] in self.tensors:
                self.updated.add(storage(self.tensors[call.args[0]])[0])

    def is_never(self, call, inputs):
        """Must it run once? Random draws; updates of constants; and readers of
        such constants, which would read something else after the update. Batch
        norm is no such reader: it makes y without the running statistics."""
        if is_random(call.target) or call.mutates:
            return True
        return call.target is not batch_norm and any(
            storage(t)[0] in self.updated for t in inputs)

    def uses(self, call, name, tensor):
        """The bytes of an output; what it views; what it overwrites."""
        key, size = storage(tensor)
        residents = self.on_storage.setdefault(key, [])
        shared = [i for i in call.inputs() if i in residents]
        if not residents:
            residents.append(name)
            return size, None, None
        if not shared:
            raise NotImplementedError(f"{name} shares memory with no input")
        if call.mutates and key not in self.constant_storages:
            if len(residents) > 1:
                raise NotImplementedError(f"{name} overwrites what has views")
            self.on_storage[key] = [name]
            return 0, None, shared[0]
        residents.append(name)
        return 0, shared[0], None

    def node(self, call):
        inputs = [self.tensors[i] for i in call.inputs()]
        results = call.run(self.tensors)
        call.outputs = [
            None if r is None else
            call.name if len(results) == 1 else f"{call.name}.{i}"
            for i, r in enumerate(results)]
        node = {"name": call.name, "opType": operator_name(call.target),
                "input": list(map(str, call.inputs())),
                "output": [o or "" for o in call.outputs],
                "flops": flops(call, inputs, results), "memory": []}
        alias, inplace = {}, {}
        for name, tensor in zip(call.outputs, results):
            if name is None:
                node["memory"].append(0)
                continue
            self.tensors[name] = tensor
            size, viewed, overwritten = self.uses(call, name, tensor)
            node["memory"].append(size)
            if viewed:
                alias[name] = viewed
            if overwritten:
                inplace[name] = overwritten
        if alias:
            node["alias"] = alias
        if inplace:
            node["inplace"] = inplace
        if self.is_never(call, inputs):
            node["recompute"] = "never"
        if call.is_backward:
            node["phase"] = "backward"
        return node

    @torch.no_grad()
    def graph(self, name):
        capture = self.capture
        entries = {k: {"name": k, "memory": storage(t)[1]}
                   for k, t in self.tensors.items()}
        outputs = dict.fromkeys([capture.loss, *filter(
            None, capture.gradients.values())])
        return {"graph": {
            "name": name,
            "input": [e for k, e in entries.items()
                      if k not in capture.parameters],
            "initializer": [entries[k] for k in capture.parameters],
            "output": [{"name": str(o)} for o in outputs],
            "node": [self.node(call) for call in capture.calls]}}


def export(capture, name):
    """The graph of `capture` as text. Also names the outputs of its calls."""
    graph = Exporter(capture).graph(name)["graph"]
    parts = [f'"name": {json.dumps(name)}']
    for key in ("input", "initializer", "output", "node"):
        lines = ",\n".join(json.dumps(v) for v in graph[key])
        parts.append(f'"{key}": [\n{lines}]')
    return '{"graph": {\n' + ",\n".join(parts) + "}}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=models.MODELS)
    parser.add_argument("-o", "--output", required=True)
    arguments = parser.parse_args()
    text = export(Capture(*models.make(arguments.model)), arguments.model)
    with open(arguments.output, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
