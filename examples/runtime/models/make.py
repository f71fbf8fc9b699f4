#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the forward graphs that the example runs: mlp, cnn, transformer."""
import json
import os

FLOAT, INT64 = 1, 7


class Model:
    def __init__(self, name):
        self.graph = {"name": name, "input": [], "initializer": [],
                      "output": [], "valueInfo": [], "node": []}
        self.shapes = {}

    def value(self, name, shape, element=FLOAT):
        self.shapes[name] = shape
        dims = [{"dimValue": d} for d in shape]
        return {"name": name, "type": {"tensorType": {
            "elemType": element, "shape": {"dim": dims}}}}

    def input(self, name, shape, element=FLOAT):
        self.graph["input"].append(self.value(name, shape, element))
        return name

    def weight(self, name, *shape):
        self.graph["initializer"].append(self.value(name, shape))
        return name

    def op(self, op, inputs, shape, **attributes):
        """Adds a node; returns its output, which is called like the node."""
        number = sum(n["opType"] == op for n in self.graph["node"])
        name = f"{op.lower()}{number}"
        node = {"name": name, "opType": op, "input": inputs, "output": [name]}
        listed = [{"name": k, "ints": v} if isinstance(v, list) else
                  {"name": k, "i": v} for k, v in attributes.items()]
        if listed:
            node["attribute"] = listed
        if op in ("Reshape", "Flatten"):
            node["alias"] = {name: inputs[0]}
        self.graph["node"].append(node)
        self.graph["valueInfo"].append(self.value(name, shape))
        return name

    def loss(self, logits, labels):
        loss = self.op("SoftmaxCrossEntropyLoss", [logits, labels], [])
        self.graph["output"].append({"name": loss})

    def write(self):
        folder = os.path.dirname(os.path.abspath(__file__))
        parts = []
        for key, value in self.graph.items():
            if isinstance(value, list):
                lines = ",\n".join(json.dumps(v) for v in value)
                parts.append(f'"{key}": [\n{lines}]')
            else:
                parts.append(f'"{key}": {json.dumps(value)}')
        with open(os.path.join(folder, self.graph["name"] + ".json"), "w") as f:
            f.write('{"graph": {\n' + ",\n".join(parts) + "}}\n")

    def dense(self, name, x, features):
        """x W + b over the last axis."""
        shape = self.shapes[x]
        w = self.weight(name + ".weight", shape[-1], features)
        b = self.weight(name + ".bias", features)
        out = shape[:-1] + [features]
        return self.op("Add", [self.op("MatMul", [x, w], out), b], out)

    def norm(self, name, x):
        features = self.shapes[x][-1]
        return self.op("LayerNormalization",
                       [x, self.weight(name + ".scale", features),
                        self.weight(name + ".shift", features)],
                       self.shapes[x])

    def conv(self, name, x, channels, kernel=3, stride=1):
        batch, before, height, width = self.shapes[x]
        w = self.weight(name + ".weight", channels, before, kernel, kernel)
        b = self.weight(name + ".bias", channels)
        pad = kernel // 2
        size = lambda n: (n + 2 * pad - kernel) // stride + 1
        return self.op("Conv", [x, w, b],
                       [batch, channels, size(height), size(width)],
                       kernel_shape=[kernel] * 2, strides=[stride] * 2,
                       pads=[pad] * 4)


def mlp(batch=96, width=24, layers=10, classes=5):
    m = Model("mlp")
    x, labels = m.input("x", [batch, 12]), m.input("labels", [batch], INT64)
    for i in range(layers):
        features = m.shapes[x][1]
        h = m.op("Gemm", [x, m.weight(f"l{i}.weight", width, features),
                          m.weight(f"l{i}.bias", width)], [batch, width],
                 transB=1)
        x = m.op(("Relu", "Tanh", "Gelu")[i % 3], [h], [batch, width])
    m.loss(m.dense("head", x, classes), labels)
    m.write()


def cnn(batch=8, size=12, channels=6, blocks=6, classes=5):
    """Convolutions, residual blocks, one of them strided, pooling."""
    m = Model("cnn")
    image = m.input("image", [batch, 3, size, size])
    labels = m.input("labels", [batch], INT64)

    def activate(name, x):
        shape = m.shapes[x]
        c = shape[1]
        names = [m.weight(f"{name}.{s}", c) for s in ("scale", "shift")]
        moments = [m.input(f"{name}.{s}", [c]) for s in ("mean", "var")]
        x = m.op("BatchNormalization", [x] + names + moments, shape)
        return m.op("Relu", [x], shape)

    x = activate("n0", m.conv("c0", image, channels))
    half = [batch, channels, size // 2, size // 2]
    x = m.op("MaxPool", [x], half, kernel_shape=[2, 2], strides=[2, 2])
    for i in range(blocks):
        y = activate(f"b{i}.n1", m.conv(f"b{i}.c1", x, channels))
        y = m.conv(f"b{i}.c2", y, channels)
        x = m.op("Relu", [m.op("Add", [x, y], half)], half)
    x = activate("n9", m.conv("c9", x, 2 * channels, stride=2))
    x = m.op("GlobalAveragePool", [x], [batch, 2 * channels, 1, 1])
    x = m.op("Flatten", [x], [batch, 2 * channels])
    m.loss(m.dense("head", x, classes), labels)
    m.write()


def transformer(batch=4, length=10, heads=2, width=8, blocks=2, words=11):
    m = Model("transformer")
    tokens = m.input("tokens", [batch, length], INT64)
    labels = m.input("labels", [batch * length], INT64)
    scale = m.input("scale", [1])
    rows = [batch, length, width]
    split = [batch, length, heads, width // heads]
    per_head = [batch, heads, length, width // heads]
    x = m.op("Gather", [m.weight("words", words, width), tokens], rows)
    x = m.op("Add", [x, m.weight("places", length, width)], rows)

    def head(name, h, perm):
        h = m.op("Reshape", [m.dense(name, h, width)], split)
        shape = [split[p] for p in perm]
        return m.op("Transpose", [h], shape, perm=perm)

    for i in range(blocks):
        h = m.norm(f"{i}.norm1", x)
        q = head(f"{i}.q", h, [0, 2, 1, 3])
        k = head(f"{i}.k", h, [0, 2, 3, 1])
        v = head(f"{i}.v", h, [0, 2, 1, 3])
        square = [batch, heads, length, length]
        scores = m.op("Mul", [m.op("MatMul", [q, k], square), scale], square)
        h = m.op("MatMul", [m.op("Softmax", [scores], square, axis=-1), v],
                 per_head)
        h = m.op("Transpose", [h], split, perm=[0, 2, 1, 3])
        h = m.dense(f"{i}.out", m.op("Reshape", [h], rows), width)
        x = m.op("Add", [x, h], rows)
        h = m.dense(f"{i}.up", m.norm(f"{i}.norm2", x), 4 * width)
        h = m.op("Gelu", [h], m.shapes[h])
        x = m.op("Add", [x, m.dense(f"{i}.down", h, width)], rows)
    x = m.op("Reshape", [m.norm("norm", x)], [batch * length, width])
    m.loss(m.dense("head", x, words), labels)
    m.write()


mlp()
cnn()
transformer()
