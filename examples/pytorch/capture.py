# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Captures the training step of a module as a list of operator calls.

PyTorch traces forward and backward together (make_fx) and takes mutation out
(functionalize): what the module does in place becomes calls that return new
tensors, and one `copy_` at the end for each buffer that the step updates.
Works with PyTorch 1.13 and 2.x; what is where is found by asking.
"""
import operator
from dataclasses import dataclass, field

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_aggregate, map_arg

try:
    from torch.func import functional_call, functionalize, grad_and_value
except ImportError:  # before 2.0
    from functorch import functionalize, grad_and_value
    from torch.nn.utils.stateless import functional_call


def training_step(module, loss_function):
    """(parameters, buffers, x, target) -> loss and gradients, a pure function
    but for the buffers."""

    def loss_of(parameters, buffers, x, target):
        y = functional_call(module, {**parameters, **buffers}, (x,))
        return loss_function(y, target)

    def step(parameters, buffers, x, target):
        gradients, loss = grad_and_value(loss_of)(parameters, buffers, x,
                                                  target)
        return loss, gradients

    return step


def batch_norm(x, weight, bias, mean, var, training, momentum, epsilon):
    """native_batch_norm without its side effect: the new statistics are two
    more outputs. PyTorch 2 has that as _native_batch_norm_legit_functional."""
    mean, var = mean.clone(), var.clone()
    y = torch.ops.aten.native_batch_norm(x, weight, bias, mean, var, training,
                                         momentum, epsilon)
    return (*y, mean, var)


def make_batch_norm_pure(graph):
    """Replaces the calls that update statistics on the quiet."""
    aten = torch.ops.aten
    updating = [getattr(aten, name).default
                for name in ("native_batch_norm", "_native_batch_norm_legit")
                if hasattr(aten, name)]
    output = next(n for n in graph.nodes if n.op == "output")
    for node in list(graph.nodes):
        if node.target not in updating:
            continue
        _, _, _, mean, var, training = node.args[:6]
        if not training or mean is None:
            continue
        node.target = batch_norm
        for position, old in ((3, mean), (4, var)):
            with graph.inserting_before(output):
                new = graph.call_function(operator.getitem, (node, position))
                graph.call_function(aten.copy_.default, (old, new))


def random_mask(like, probability):
    return torch.empty_like(like).bernoulli_(probability)


def keep_mask_layout(graph):
    """Functional dropout in PyTorch 2 draws its mask without a look at the
    strides of what is masked. Another order in memory is another mask."""
    for node in graph.nodes:
        if str(node.target) != "aten.bernoulli.p":
            continue
        mask = node
        users = list(mask.users)
        if users and str(users[0].target) == "aten.div.Scalar":
            mask = users[0]
        for user in mask.users:
            if (str(user.target) == "aten.mul.Tensor"
                    and user.args[1] is mask):
                node.target = random_mask
                node.args = (user.args[0], node.args[1])
                break


def is_mutation(node):
    """Does `node` write to one of its arguments?"""
    schema = getattr(node.target, "_schema", None)
    return schema is not None and any(
        a.alias_info is not None and a.alias_info.is_write
        for a in schema.arguments)


def remove_unused(graph):
    for node in reversed(list(graph.nodes)):
        if (node.op == "call_function" and not node.users
                and not is_mutation(node)):
            graph.erase_node(node)


class Ref(str):
    """The name of a tensor, where it stands among the arguments of a call."""


@dataclass
class Call:
    """One operator call: a node of the graph file."""

    name: str
    target: object
    args: tuple
    kwargs: dict
    mutates: bool
    is_backward: bool
    outputs: list = field(default_factory=list)  # names; None: no tensor

    def inputs(self):
        found = []
        map_aggregate((self.args, self.kwargs),
                      lambda a: found.append(a) if isinstance(a, Ref) else a)
        return found

    def run(self, tensors):
        """What it returns, as a list, given the `tensors` by name."""
        args, kwargs = map_aggregate(
            (self.args, self.kwargs),
            lambda a: tensors[a] if isinstance(a, Ref) else a)
        result = self.target(*args, **kwargs)
        return list(result) if isinstance(result, (tuple, list)) else [result]


class Capture:
    """The calls of a training step, in order.

    constants   tensors by name that the caller has: parameters, buffers, the
                input x, the target
    parameters  names of those that get gradients
    calls       the list of Calls
    loss        name of the loss
    gradients   names of the gradients, by parameter; None where it has none
    """

    def __init__(self, module, loss_function, x, target):
        parameters = dict(module.named_parameters())
        buffers = dict(module.named_buffers())
        self.parameters = list(parameters)
        self.constants = {**parameters, **buffers, "x": x, "target": target}
        traced = trace(module, loss_function, parameters, buffers, x, target)
        self._read(traced, list(self.constants))

    def _read(self, traced, names):
        """Turns FX nodes into calls: getitem becomes a name."""
        refs, self.calls, names = {}, [], iter(names)
        is_backward = False
        output = next(n for n in traced.graph.nodes if n.op == "output")
        loss = output.args[0][0]
        for node in traced.graph.nodes:
            if node.op == "placeholder":
                refs[node] = Ref(next(names))
            elif node.op == "get_attr":
                refs[node] = Ref(node.name)
                self.constants[node.name] = getattr(traced, node.target)
            elif node.op == "output":
                self.loss, *gradients = map_arg(node.args[0],
                                                lambda n: refs[n])
                self.gradients = dict(zip(self.parameters, gradients))
            elif node.target is operator.getitem:
                refs[node] = Ref(f"{node.args[0].name}.{node.args[1]}")
            else:
                refs[node] = Ref(node.name)
                args, kwargs = map_arg((node.args, node.kwargs),
                                       lambda n: refs[n])
                self.calls.append(Call(node.name, node.target, args, kwargs,
                                       is_mutation(node), is_backward))
            # What comes after the loss belongs to the backward pass.
            is_backward = is_backward or node is loss


def trace(module, loss_function, parameters, buffers, x, target):
    """The FX graph module of the step; leaves the module as it was."""
    state = torch.random.get_rng_state()
    saved = {k: b.clone() for k, b in buffers.items()}
    step = functionalize(training_step(module, loss_function))
    traced = make_fx(step)(parameters, buffers, x, target)
    torch.random.set_rng_state(state)
    with torch.no_grad():
        for k, b in buffers.items():
            b.copy_(saved[k])
    make_batch_norm_pure(traced.graph)
    keep_mask_layout(traced.graph)
    remove_unused(traced.graph)
    traced.graph.lint()
    return traced
