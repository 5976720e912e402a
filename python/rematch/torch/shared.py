# SPDX-License-Identifier: Apache-2.0
"""Runs a compiled model; if it is in pieces, plans them together."""

from __future__ import annotations

import logging
from collections.abc import Callable

import torch

import rematch
from rematch.torch import memory, planner, residents
from rematch.torch.identity import digest
from rematch.torch.saved import SavedPlan
from rematch.torch.sharing import Part, Sharing, total

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
        return self.compiled(*args, **kwargs)

    def _plan_together(self) -> None:
        graphs = [graph for graph in self.backend.graphs if graph.planned]
        plans = plan_together(graphs, graphs[0].device)
        log.info("%d graphs share %s", len(graphs),
                 rematch.format_bytes(next(iter(plans.values())).budget_bytes))
        self.backend = self.backend.with_plans(plans)
        self.compiled = self.compile_with(self.backend)


def plan_together(graphs: list, device: torch.device) -> dict[str, SavedPlan]:
    """By digest, a plan for each, all within the budget."""
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
    everything = total(parts, [planner.keep_all(part.program) for part in parts],
                       outside)
    budget = memory.resolve(options.budget, everything, device, options.gpu)
    sharing = Sharing(parts, budget, outside, options.time_limit, gap=options.gap,
                      threads=options.threads, seed=options.seed)
    found = {}
    for (graph, _), planned in zip(pieces.values(), sharing.plans()):
        graph.planned, graph.budget = planned, budget
        found[digest(graph.program)] = graph.saved()
    return found
