# SPDX-License-Identifier: Apache-2.0
"""Whether what PyTorch would run is what was planned."""

from __future__ import annotations

from torch import fx

from rematch.torch.errors import PlanMismatch
from rematch.torch.lowering import GENERATOR_STATE
from rematch.torch.program import Ref
from rematch.torch.schedule import Copy, Schedule


def check_order(schedule: Schedule, phase: str, module: fx.GraphModule) -> None:
    """The module of a pass has the runs of the schedule, in its order."""
    planned = {Copy(run.op.name, run.number).name: run
               for run in schedule.part(phase) if run.op.call is not None}
    got = [node.name for node in module.graph.nodes
           if node.op == "call_function" and node.name in planned]
    # PyTorch puts what writes to inputs at the end.
    placed = [name for name, run in planned.items() if name in set(got)
              and run.op.outputs]
    if placed != [name for name in got if planned[name].op.outputs]:
        raise PlanMismatch(f"PyTorch changed the order of the {phase} pass")
    for name in planned.keys() - set(got):
        # States of generators that nobody reads are left out of the graph.
        if any(planned[name].makes) and planned[name].op.kind != GENERATOR_STATE:
            raise PlanMismatch(f"PyTorch left '{name}' out of the {phase} pass")


def check_saved(schedule: Schedule, backward: fx.GraphModule) -> None:
    """What crosses from forward to backward is what the schedule has there."""
    program = schedule.program
    saved = {node.name for node in backward.graph.nodes if node.op == "placeholder"}
    saved -= set(program.inputs) | set(program.tangents)
    wanted = {copy.name for copy in schedule.boundary.values()}
    kept = {Copy(ref.name).name for ref in program.forward_outputs
            if isinstance(ref, Ref)}
    if not saved <= wanted:
        raise PlanMismatch("PyTorch saves more than was planned: "
                           + ", ".join(sorted(saved - wanted)))
    read = {copy.name for run in schedule.part("backward")
            for copy in run.reads.values()}
    if missing := (wanted & read) - saved - kept:
        raise PlanMismatch("PyTorch does not save " + ", ".join(sorted(missing)))


def check_reads(schedule: Schedule, phase: str, there: set[str]) -> None:
    """Every run has what it reads, if the pass begins with what is `there`."""
    there = set(there)
    for run in schedule.part(phase):
        for copy in run.reads.values():
            if copy.name not in there:
                raise PlanMismatch(f"'{run.op.name}' of the {phase} pass reads "
                                   f"'{copy.name}', which is not there")
        there.update(copy.name for copy in run.makes if copy)
        there.difference_update(copy.name for copy in run.drops)
