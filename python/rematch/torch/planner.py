# SPDX-License-Identifier: Apache-2.0
"""From a program and a budget to a schedule, by way of the core."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import rematch
from rematch.torch.errors import InfeasibleBudget, PlanMismatch
from rematch.torch.identity import digest
from rematch.torch.program import Program, numbered
from rematch.torch.saved import SavedPlan
from rematch.torch.schedule import Schedule, fixed_bytes, trace

# How often a plan that needs a little more than it seemed is made again.
_MOST_TRIES = 6
_LEAST_PEAK_SECONDS = 1.0  # At least, for the search for the least peak.


class NothingBetter(Exception):
    """No plan takes less time than what is there already."""


@dataclass
class Planned:
    schedule: Schedule
    sequence: list[int]  # Of ops, as they are computed.
    solution: rematch.Solution | None  # None: not searched for.
    graph: rematch.Graph

    def as_answer_to(self, asked: rematch.Solution | None) -> Planned:
        """A plan for less memory, with what is proved of the budget that there is."""
        is_known = self.solution is not None and asked is not None
        return replace(self, solution=self.solution.as_answer_to(asked)
                       if is_known else None)


def to_json(program: Program, name: str = "") -> dict:
    """The graph of a program, in Rematch's format. Values are tensors."""
    kept = set(program.tangents)
    kept.update(program.roots([program.forward_outputs, program.backward_outputs]))

    def tensor(value, is_made):
        record = {"name": value.name, "bytes": value.bytes}
        if is_made and value.name in kept:
            record["output"] = True
        if value.storage_of:
            record["storage_of"] = value.storage_of
        return record

    ops = []
    for op in program.ops:
        ops.append({
            "name": op.name,
            "kind": op.kind,
            # What the first run alone reads is there: see `steps_of`.
            "inputs": program.inputs_of(op, 1),
            "outputs": [tensor(program.values[n], True) for n in op.outputs if n],
            "cost": op.cost,
            "workspace_bytes": op.workspace,
            "phase": op.phase,
            "recomputable": op.recomputable,
        })
    return {
        "format": "rematch.graph", "version": 1, "name": name,
        "cost_unit": "us", "fixed_bytes": program.outside_bytes,
        "inputs": [tensor(value, False) for value in program.inputs.values()],
        "ops": ops,
    }


def to_graph(program: Program, name: str = "") -> rematch.Graph:
    return rematch.Graph.from_json(json.dumps(to_json(program, name)))


def keep_all(program: Program) -> Schedule:
    """Every op once; each value goes after its last reader."""
    last: dict[str, int] = {}
    for index, op in enumerate(program.ops):
        for name in (*program.inputs_of(op), *(n for n in op.outputs if n)):
            last[name] = index
    kept = set(program.tangents) | set(program.inputs)
    kept.update(program.roots([program.forward_outputs, program.backward_outputs]))
    steps: list[tuple] = []
    for index in range(len(program.ops)):
        steps.append(("compute", index))
        steps.extend(("drop", name) for name, at in last.items()
                     if at == index and name not in kept)
    return trace(program, steps)


def without_unread(program: Program, sequence: list[int]) -> list[int]:
    """Without the runs whose results nobody reads. A plan may have them where an
    op has to come at its turn, though it is computed again before it is needed."""
    needed = set(program.roots([program.forward_outputs, program.backward_outputs]))
    kept = []
    for index, number in reversed(numbered(sequence)):
        op = program.ops[index]
        made = op.makes_in(number)
        is_first = number == 0 and op.made_once  # And not the one after it.
        if op.has_effect or is_first or not needed.isdisjoint(made):
            needed -= made
            needed.update(program.inputs_of(op, number))
            kept.append(index)
    return kept[::-1]


def steps_of(program: Program, sequence: list[int]) -> list[tuple]:
    """For `trace`: each value goes after its last reader, as Python will do it, and is
    made anew where it is needed again. What only a first run makes right is kept until
    it is read by all who do."""
    kept = set(program.tangents)
    kept.update(program.roots([program.forward_outputs, program.backward_outputs]))
    needed = set(kept)
    steps: list[tuple] = []  # From the last to the first.
    for index, number in reversed(numbered(sequence)):
        op = program.ops[index]
        made, read = op.makes_in(number), program.inputs_of(op, number)
        gone = (made.union(read) - needed).difference(program.inputs)
        steps.extend(("drop", name) for name in sorted(gone))
        steps.append(("compute", index))
        needed -= made - kept
        needed.update(read)
    return steps[::-1]


def schedule_of(program: Program, sequence: list[int]) -> Schedule:
    """Of a sequence of ops, by their indices."""
    return trace(program, steps_of(program, without_unread(program, sequence)))


def plan(program: Program, budget: int, *, time_limit: float = 10.0,
         gap: float = 0.0, threads: int = 0, seed: int = 0,
         name: str = "", known: Sequence[list[int]] = (),
         below: float = math.inf,
         meanwhile: Callable[[], None] | None = None) -> Planned:
    """The cheapest schedule found whose peak, as memory is really used, is at
    most `budget`. `known` are sequences that were found for this or other budgets: what
    fits is begun with, and nothing worse is found. Raises InfeasibleBudget. If there is
    a schedule already, which takes `below`, in microseconds: NothingBetter, where none
    is found, and once it is proved that none takes less. `meanwhile` is called now and
    then while a search runs."""
    def look(found: rematch.SearchProgress | rematch.Solution) -> None:
        if math.inf > below <= found.lower_bound:
            raise NothingBetter

    def on_progress(found: rematch.SearchProgress) -> None:
        look(found)
        if meanwhile:
            meanwhile()

    graph = to_graph(program, name)
    before = [planned for sequence in known
              if (planned := _known(program, graph, sequence)) is not None]
    start = min((planned for planned in before if planned.schedule.peak <= budget),
                key=lambda planned: planned.schedule.cost, default=None)
    begin = start and rematch.plan_from_sequence(graph, start.sequence)
    limit, asked = budget, None
    for _ in range(_MOST_TRIES):
        solution = rematch.solve(graph, limit, time_limit=time_limit, gap=gap,
                                 threads=threads or None, seed=seed, start=begin,
                                 on_progress=on_progress if meanwhile or
                                 below < math.inf else None)
        asked = asked or solution  # What is proved for less is not for the budget.
        look(solution)
        if solution.plan is None:
            break
        sequence = solution.plan.computed_ops()
        schedule = schedule_of(program, sequence)
        if schedule.peak <= budget:
            if start is not None and start.schedule.cost < schedule.cost:
                break
            return Planned(schedule, sequence, solution.as_answer_to(asked), graph)
        limit -= schedule.peak - budget
    if start is not None:
        return start
    if below < math.inf:  # Who has a plan does without the least.
        raise NothingBetter
    found = None
    try:
        found = plan_least(program, time_limit=time_limit, name=name, known=before)
    except InfeasibleBudget:
        pass
    if found is not None and found.schedule.peak <= budget:
        return found
    raise infeasible(program, budget, found, asked.outcome == "infeasible")


def _known(program: Program, graph: rematch.Graph,
           sequence: list[int]) -> Planned | None:
    """As it was found before; None if it is damaged."""
    try:
        if _damage(program, sequence):
            return None
        return Planned(schedule_of(program, sequence), sequence, None, graph)
    except (rematch.Error, IndexError, KeyError, TypeError):
        return None


def restored(program: Program, sequence: list[int], solution: str | None,
             outside_bytes: int, name: str) -> Planned:
    """A plan that was found elsewhere or before, when there were `outside_bytes`;
    peaks are those here. `solution` is JSON."""
    graph = to_graph(replace(program, outside_bytes=outside_bytes), name)
    return Planned(schedule_of(program, sequence), sequence,
                   rematch.Solution.from_json(solution, graph) if solution else None,
                   graph)


def plan_least(program: Program, *, time_limit: float = 0.0, name: str = "",
               known: Sequence[Planned] = ()) -> Planned:
    """The schedule that was found to need the least memory, now or before."""
    graph = to_graph(program, name)
    least = rematch.solve_least_peak(
        graph, time_limit=max(time_limit, _LEAST_PEAK_SECONDS))
    choices = [*known]
    if least.plan is not None:
        sequence = least.plan.computed_ops()
        choices.append(Planned(schedule_of(program, sequence), sequence, least,
                               graph))
    if not choices:
        raise InfeasibleBudget("no plan was found at all")
    return min(choices, key=lambda planned: planned.schedule.peak)


def reuse(program: Program, saved: SavedPlan, budget: int, name: str) -> Planned:
    """The schedule of a saved plan. Raises PlanMismatch and InfeasibleBudget."""
    if saved.digest != digest(program):
        raise PlanMismatch("the saved plan is of another model, another batch or "
                           "another version of PyTorch; plan this one anew")
    graph = to_graph(program, name)
    if complaint := _damage(program, saved.sequence):
        raise PlanMismatch(f"the saved plan is damaged: {complaint}")
    try:
        schedule = schedule_of(program, saved.sequence)
    except (rematch.Error, IndexError, KeyError, TypeError) as error:
        raise PlanMismatch(f"the saved plan is damaged: {error}") from None
    found = Planned(schedule, saved.sequence, None, graph)
    need = found.schedule.peak
    if need > budget:
        raise InfeasibleBudget(
            f"the saved plan takes {rematch.format_bytes(need)} ({need} bytes), more "
            f"than the budget of {rematch.format_bytes(budget)} ({budget} bytes); "
            "plan anew", need, found.sequence)
    return found


def _damage(program: Program, sequence: list[int]) -> str:
    """What is missing in a sequence of ops."""
    there = set(program.inputs)
    for index, number in numbered(sequence):
        if not 0 <= index < len(program.ops):
            return f"there is no op {index}, of {len(program.ops)}"
        op = program.ops[index]
        for name in program.inputs_of(op, number):
            if name not in there:
                return f"'{op.name}' reads '{name}', which is not there"
        there.update(op.makes_in(number))
    roots = program.roots([program.forward_outputs, program.backward_outputs])
    missing = [name for name in roots if name not in there]
    return f"'{missing[0]}' is not computed" if missing else ""


def infeasible(program: Program, budget: int, least: Planned | None,
               proved: bool) -> InfeasibleBudget:
    """The error, with the least budget that works, if there is one."""
    text = (f"no plan was found within {rematch.format_bytes(budget)} "
            f"({budget} bytes)")
    if proved:
        text = (f"nothing can run within {rematch.format_bytes(budget)} "
                f"({budget} bytes)")
    text += (f"; {rematch.format_bytes(fixed_bytes(program))} are taken by weights, "
             "the batch and what else is on the device")
    if least is None:
        return InfeasibleBudget(text)
    need = least.schedule.peak
    return InfeasibleBudget(
        f"{text}; the least budget that works is {rematch.format_bytes(need)} "
        f"({need} bytes)", need, least.sequence)
