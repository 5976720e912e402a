# SPDX-License-Identifier: Apache-2.0
"""A plan in words: what sits at the peak, what is recomputed, by module."""

from __future__ import annotations

import re
from collections import defaultdict

import rematch
from rematch.torch.program import Program
from rematch.torch.schedule import Run, Schedule

_MOST_ROWS = 12


def shown(kind: str) -> str:
    """Without what tells kernels of one name apart."""
    return re.sub(r" [0-9a-f]{16}\b", "", kind)


def live_at(schedule: Schedule, at: int) -> dict[str, int]:
    """Bytes of each value that is there while run number `at` runs."""
    values = schedule.program.values
    live: dict[str, int] = {}
    for index, run in enumerate(schedule.runs):
        for copy in run.makes:
            if copy:
                live[copy.value] = values[copy.value].bytes
        if index == at:
            return live
        for copy in run.drops:
            live.pop(copy.value, None)
    return live


def makers(program: Program) -> dict[str, str]:
    """By value, the module or the op that makes it."""
    names = {}
    for op in program.ops:
        for name in op.outputs:
            if name:
                names[name] = f"{op.module or '-'} ({shown(op.kind)})"
    return names


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in
                             zip(row, widths)).rstrip() for row in rows]


def _grouped(amounts: dict[str, float], show) -> list[str]:
    order = sorted(amounts.items(), key=lambda item: -item[1])
    rows = [(show(amount), name) for name, amount in order[:_MOST_ROWS]]
    if len(order) > _MOST_ROWS:
        rest = sum(amount for _, amount in order[_MOST_ROWS:])
        rows.append((show(rest), f"({len(order) - _MOST_ROWS} more)"))
    return _table(rows) if rows else ["  nothing"]


def at_the_peak(schedule: Schedule) -> list[str]:
    if not schedule.runs:
        return []
    at = max(range(len(schedule.runs)), key=lambda i: schedule.runs[i].bytes)
    run = schedule.runs[at]
    amounts = {f"{name}: {makers(schedule.program)[name]}": size
               for name, size in live_at(schedule, at).items() if size}
    if run.op.workspace:
        amounts[f"workspace of {run.op.name}"] = run.op.workspace
    amounts["weights, batch and what else is on the device"] = schedule.fixed_bytes
    head = (f"at the peak, {rematch.format_bytes(run.bytes)}, while "
            f"{run.op.name} of {run.op.module or 'the model'} runs in {run.phase}:")
    return [head, *_grouped(amounts, lambda size: rematch.format_bytes(int(size)))]


def recomputed(schedule: Schedule, scale: float) -> list[str]:
    """`scale` is how many times as long ops take in a step as alone."""
    amounts: dict[str, float] = defaultdict(float)
    runs: list[Run] = [run for run in schedule.runs if run.number]
    for run in runs:
        name = f"{shown(run.op.kind)} of {run.op.module or 'the model'}"
        amounts[name] += run.op.cost * scale
    total = sum(amounts.values())
    return [f"recomputed: {len(runs)} ops, {total / 1e3:.2f} ms:",
            *_grouped(amounts, lambda cost: f"{cost / 1e3:.2f} ms")]


def explain(summary: str, schedule: Schedule, scale: float = 1.0) -> str:
    return "\n".join([summary, *at_the_peak(schedule), *recomputed(schedule, scale)])
