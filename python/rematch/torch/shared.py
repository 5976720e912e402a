# SPDX-License-Identifier: Apache-2.0
"""Runs a compiled model; if it is in pieces, plans them together."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence

import torch

import rematch
from rematch.torch import memory, planner, remembered, residents
from rematch.torch.errors import InfeasibleBudget
from rematch.torch.identity import digest
from rematch.torch.plain_graph import PlainGraph
from rematch.torch.planned_graph import PlannedGraph
from rematch.torch.saved import SavedPlan
from rematch.torch.sharing import Others, Part, Sharing, total

log = logging.getLogger("rematch")


class Shared:
    """The compiled model. Before a step that follows one in which pieces came up
    that were not known, it is planned and compiled anew."""

    def __init__(self, backend, compiled: Callable,
                 compile_with: Callable[[Callable], Callable]) -> None:
        self.backend = backend
        self.compiled = compiled
        self.compile_with = compile_with

    def __call__(self, *args, **kwargs):
        graphs = self.backend.graphs
        if torch.is_grad_enabled():
            if any(graph.is_provisional for graph in graphs):
                self._plan_together()
            for graph in graphs:
                graph.open = 0
            for plain in self.backend.plain_graphs:
                plain.calls = 0
        return self.compiled(*args, **kwargs)

    def _plan_together(self) -> None:
        graphs = [graph for graph in self.backend.graphs if graph.planned]
        plans = plan_together(graphs, graphs[0].device, self.backend.plain_graphs)
        log.info("%d graphs share %s", len(graphs),
                 rematch.format_bytes(next(iter(plans.values())).budget_bytes))
        self.backend = self.backend.with_plans(plans)
        self.compiled = self.compile_with(self.backend)


def plan_together(graphs: list[PlannedGraph], device: torch.device,
                  plain: Sequence[PlainGraph] = ()) -> dict[str, SavedPlan]:
    """By digest, a plan for each, all within the budget, with those that have no
    gradients."""
    options = graphs[0].options
    measured = device.type == "cuda" and not options.gpu
    pieces: dict[str, tuple] = {}
    for graph in graphs:
        key = digest(graph.program)
        before = pieces[key][1] if key in pieces else 0
        pieces[key] = (graph, before + max(1, graph.most_open))
    parts = [Part(graph.program, calls, graph.residents.bytes(),
                  graph.residents.gradient_bytes(there=not measured))
             for graph, calls in pieces.values()]
    there = residents.unique(tensor for graph in graphs
                             for tensor in graph.residents.tensors())
    outside = memory.outside(sum(map(residents.storage_bytes, there)), device, options)
    for part in parts:
        part.program.outside_bytes = 0
    others = Others.of(plain)
    everything = total(parts, [planner.keep_all(part.program) for part in parts],
                       outside, others)
    budget = memory.resolve(options.budget, everything, device, options.gpu)
    found = {}
    for (graph, _), planned in zip(pieces.values(),
                                   _plans(graphs[0], parts, budget, outside, others)):
        graph.planned, graph.budget = planned, budget
        found[digest(graph.program)] = graph.saved()
    return found


def _plans(graph: PlannedGraph, parts: list[Part], budget: int, outside: int,
           others: Others) -> list[planner.Planned]:
    """Those that need least are kept: whoever asks next for the budget that an
    error names is to have it."""
    options, programs = graph.options, [part.program for part in parts]
    with contextlib.ExitStack() as stack:
        cache = graph.open_cache()
        if cache:
            stack.callback(cache.close)
        sharing = Sharing(parts, budget, outside, options.time_limit,
                          remembered.least_together(cache, programs), others,
                          gap=options.gap, threads=options.threads, seed=options.seed)
        try:
            return sharing.plans()
        except InfeasibleBudget:
            remembered.store_least_together(
                cache, programs, [planned.sequence for planned in sharing.least])
            raise
