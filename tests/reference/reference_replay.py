# SPDX-License-Identifier: Apache-2.0
"""A second, naive replay to check the program against.

It shares nothing with the program but the file formats, and it takes no
shortcut: at every step it works out again, from the live tensors alone, which
storages take memory.
"""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

# The rules that a plan can break.
INPUT_NOT_LIVE = "a step computes an op one of whose inputs is not live"
DROP_NOT_LIVE = "a step drops a tensor that is not live"
DROP_GRAPH_INPUT = "a step drops a graph input"
DROP_GRAPH_OUTPUT = "a step drops a graph output"
RUN_TWICE = "an op that must not be recomputed runs twice"
OUT_OF_ORDER = "first computations are not in the order of the graph"
NEVER_COMPUTED = "an op is never computed"


class InvalidPlan(Exception):
    """A plan breaks `rule` at `step` (none: at its end)."""

    def __init__(self, rule, step=None):
        super().__init__(rule if step is None else f"step {step}: {rule}")
        self.rule = rule
        self.step = step


@dataclass
class Op:
    name: str
    inputs: list
    outputs: list
    cost: float
    workspace: int
    recomputable: bool


@dataclass
class Graph:
    ops: list  # In the order of first computation.
    inputs: set  # Names of the tensors that no op produces.
    outputs: set  # Names of the tensors that stay live to the end.
    storage: dict  # Tensor name -> name of the tensor whose storage it is in.
    sizes: dict  # Storage -> bytes of its largest tensor.
    fixed_bytes: int  # Declared, and the storages that hold a graph input.

    def resident(self):
        return {self.storage[name] for name in self.inputs}


@dataclass
class Replay:
    peak: int
    cost: float  # Runs times cost of each op, added in the order of the graph.
    footprint: list  # Bytes per step.
    step_costs: list = field(default_factory=list)  # Of the compute steps.

    def cost_of_steps(self):
        return math.fsum(self.step_costs)


def load(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def outputs_of(op):
    """An op with `bytes` has one output, named like itself."""
    if "bytes" in op:
        return [{"name": op["name"], "bytes": op["bytes"]}]
    return op["outputs"]


def all_tensors(document):
    tensors = list(document.get("inputs", []))
    for op in document["ops"]:
        tensors += outputs_of(op)
    return tensors


def storages(tensors):
    """Follows storage_of from each tensor to one with a storage of its own."""
    parent = {t["name"]: t.get("storage_of", t["name"]) for t in tensors}
    roots = {}
    for name in parent:
        root = name
        while parent[root] != root:
            root = parent[root]
        roots[name] = root
    return roots


def read_op(op):
    return Op(
        name=op["name"],
        inputs=op.get("inputs", []),
        outputs=[tensor["name"] for tensor in outputs_of(op)],
        cost=op["cost"],
        workspace=op.get("workspace_bytes", 0),
        recomputable=op.get("recomputable", True),
    )


def read_graph(document):
    tensors = all_tensors(document)
    storage = storages(tensors)
    sizes = {}
    for tensor in tensors:
        root = storage[tensor["name"]]
        sizes[root] = max(sizes.get(root, 0), tensor["bytes"])
    inputs = {tensor["name"] for tensor in document.get("inputs", [])}
    graph = Graph(
        ops=[read_op(op) for op in document["ops"]],
        inputs=inputs,
        outputs={t["name"] for t in tensors if t.get("output", False)},
        storage=storage,
        sizes=sizes,
        fixed_bytes=document.get("fixed_bytes", 0),
    )
    graph.fixed_bytes += sum(sizes[root] for root in graph.resident())
    return graph


def steps_of(document):
    """The steps of a plan, or of the plan in a solution."""
    if document["format"] == "rematch.solution":
        document = document["plan"]
    return document["steps"]


def bytes_of(graph, live):
    """What a set of tensors takes, the fixed bytes included."""
    taken = {graph.storage[name] for name in live} - graph.resident()
    return graph.fixed_bytes + sum(graph.sizes[root] for root in taken)


def check_compute(graph, op, live, done, step, order):
    if any(name not in live for name in op.inputs):
        raise InvalidPlan(INPUT_NOT_LIVE, step)
    if op.name in done and not op.recomputable:
        raise InvalidPlan(RUN_TWICE, step)
    if order == "fixed" and op.name not in done:
        if graph.ops[len(set(done))].name != op.name:
            raise InvalidPlan(OUT_OF_ORDER, step)
    if not op.recomputable:
        once = [other.name for other in graph.ops if not other.recomputable]
        if any(name not in done for name in once[: once.index(op.name)]):
            raise InvalidPlan(OUT_OF_ORDER, step)


def check_drop(graph, name, live, step):
    if name in graph.inputs:
        raise InvalidPlan(DROP_GRAPH_INPUT, step)
    if name not in live:
        raise InvalidPlan(DROP_NOT_LIVE, step)
    if name in graph.outputs:
        raise InvalidPlan(DROP_GRAPH_OUTPUT, step)


def replay(graph_document, plan_document, order="fixed"):
    """Measures a plan; raises InvalidPlan if it breaks a rule."""
    graph = read_graph(graph_document)
    ops = {op.name: op for op in graph.ops}
    live = set(graph.inputs)
    done = []  # Names of the ops computed so far, repeats included.
    footprint = []
    for number, step in enumerate(steps_of(plan_document)):
        if "drop" in step:
            check_drop(graph, step["drop"], live, number)
            live = live - {step["drop"]}
            footprint.append(bytes_of(graph, live))
            continue
        op = ops[step["compute"]]
        check_compute(graph, op, live, done, number, order)
        live = live | set(op.outputs)
        done.append(op.name)
        footprint.append(bytes_of(graph, live) + op.workspace)
    if any(op.name not in done for op in graph.ops):
        raise InvalidPlan(NEVER_COMPUTED)
    cost = 0.0
    for op in graph.ops:
        cost += done.count(op.name) * op.cost
    return Replay(
        peak=max(footprint, default=graph.fixed_bytes),
        cost=cost,
        footprint=footprint,
        step_costs=[ops[name].cost for name in done],
    )
