# SPDX-License-Identifier: Apache-2.0
"""One captured graph: planned, checked, and made to run."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

import rematch
from rematch.torch import (agreement, calibration, checks, choice, codegen, cuda_graphs,
                           memory, planner, profiling, remembered, roofline)
from rematch.torch.cuda_graphs import CudaGraphs
from rematch.torch.eager_kernels import EagerKernels, Reference
from rematch.torch.errors import InfeasibleBudget, UnsupportedModel
from rematch.torch.explain import explain
from rematch.torch.figures import Figures
from rematch.torch.identity import digest
from rematch.torch.meanwhile import Meanwhile
from rematch.torch.options import Options
from rematch.torch.profile_cache import ProfileCache
from rematch.torch.program import Program, Ref
from rematch.torch.recording import Recording, bytes_to_record
from rematch.torch.residents import Residents
from rematch.torch.saved import SavedPlan
from rematch.torch.schedule import Schedule
from rematch.torch.step_timer import StepTimer

log = logging.getLogger("rematch")


def _constants(joint: fx.GraphModule) -> dict[str, Any]:
    return {node.name: getattr(joint, node.target)
            for node in joint.graph.find_nodes(op="get_attr")}


class PlannedGraph:
    """One captured graph with its plan; makes the functions that run it."""

    def __init__(self, options: Options, name: str, inputs: Sequence = (), *,
                 plans: dict[str, SavedPlan] | None = None,
                 is_piece: bool = False, kernels: Any = None,
                 on_measured: Callable[[PlannedGraph], None] | None = None,
                 key: Callable[[Any], str] | None = None) -> None:
        self.options = options
        self.kernels = kernels or EagerKernels()
        if is_piece or on_measured or options.plan is not None:
            # Pieces are planned together; measured programs, and those of saved
            # plans, are taken as they are.
            self.kernels.settle()
        self.key = key  # By budget, of the choice of kernels in the cache.
        self.on_measured = on_measured
        self.name = name
        self.device: torch.device | None = None
        self._program: Program | None = None
        self._planned: planner.Planned | None = None
        # Of a graph that was started again: what is known before somebody asks for
        # the plan, and what makes the plan then.
        self._figures: Figures | None = None
        self._digest = ""
        self._find_plan: Callable[[], tuple[Program, planner.Planned]] | None = None
        self.functions: dict[str, Callable] = {}
        self.cuda_graphs: CudaGraphs | None = None  # If they are wanted.
        self.ranks = agreement.Alone()
        self.wanted: int | None = None  # What the budget is here, in bytes,
        self.budget: int | None = None  # and where it is tightest.
        self.measured_seconds: float | None = None  # Of steps that were run.
        # A step takes this many times the sum of its ops; None: not known.
        self.scale: float | None = None
        # One of several graphs of a model: planned with the others once all are
        # known, until then run in the least memory.
        self.is_piece = is_piece
        self.is_provisional = False
        # Calls since the model was called whose backward has not come yet, and the
        # most of them.
        self.open = self.most_open = 0
        self.residents = Residents(inputs)
        self._meanwhile = Meanwhile()
        self._plans = plans or {}
        self._inputs: Sequence | None = inputs  # Until the graph is planned.

    # -- what was planned --------------------------------------------------

    @property
    def program(self) -> Program | None:
        self._look()
        return self._program

    @program.setter
    def program(self, program: Program | None) -> None:
        self._look()
        self._program, self._figures, self._digest = program, None, ""

    @property
    def planned(self) -> planner.Planned | None:
        self._look()
        return self._planned

    @planned.setter
    def planned(self, planned: planner.Planned | None) -> None:
        self._look()
        self._planned, self._figures = planned, None

    def _look(self) -> None:
        """For the plan of a graph that was started again."""
        if self._find_plan is not None:
            find, self._find_plan = self._find_plan, None
            self._program, self._planned = find()

    @property
    def figures(self) -> Figures:
        return self._figures or Figures.of(self.program, self.planned,
                                           self.kernels.reference)

    @property
    def digest(self) -> str:
        """Of the program."""
        return self._digest or digest(self.program)

    @property
    def schedule(self) -> Schedule:
        return self.planned.schedule

    @property
    def solution(self) -> rematch.Solution | None:
        """The certificate; None if the plan was loaded."""
        return self.planned.solution

    @property
    def graph(self) -> rematch.Graph:
        return self.planned.graph

    @property
    def peak_bytes(self) -> int:
        """Predicted, everything on the device counted."""
        return self.figures.peak

    @property
    def keep_all_peak_bytes(self) -> int:
        return self.figures.keep_all_peak

    @property
    def overhead(self) -> float:
        """Time for recomputation, as a share of the step without any."""
        return self.figures.overhead

    @property
    def step_seconds(self) -> float:
        """Predicted for forward and backward of this graph."""
        return self.figures.cost * (self.scale or 1.0) / 1e6

    def summary(self) -> str:
        return self.figures.summary(self.name, self.step_seconds)

    def explain(self) -> str:
        """What sits at the peak and what is recomputed, in words."""
        how = f", {self.cuda_graphs}" if self.cuda_graphs else ""
        return explain(f"{self.summary()}\nrun with {self.kernels}{how}",
                       self.schedule, self.scale or 1.0)

    def saved(self) -> SavedPlan:
        solution = self.solution
        return SavedPlan(
            self.digest, self.budget, self.peak_bytes,
            self.keep_all_peak_bytes, solution and solution.lower_bound,
            self.step_seconds * 1e6, self.explain(),
            planner.to_json(self.program, self.name), self.planned.sequence,
            self.kernels.record())

    def report(self, path: str | os.PathLike) -> None:
        """Writes a page that shows the plan: one HTML file that needs no network."""
        record = planner.to_json(self.program, self.name)
        for op, fields in zip(self.program.ops, record["ops"]):
            # The page groups by what stands before the slash.
            fields["name"] = f"{op.module}/{op.name}" if op.module else op.name
        graph = rematch.Graph.from_json(json.dumps(record))
        if self.solution is not None and self.solution.plan is not None:
            self.solution.report(graph, path)
        else:
            rematch.plan_from_sequence(graph, self.planned.sequence).report(graph, path)

    def save(self, path: str | os.PathLike) -> None:
        """For the option `plan`: the same model is then run without a search."""
        self.saved().save(path)

    # -- planning ----------------------------------------------------------

    def partition(self, joint: fx.GraphModule, joint_inputs, *, num_fwd_outputs: int,
                  **extra) -> tuple[fx.GraphModule, fx.GraphModule]:
        """What AOTAutograd calls in place of its own partitioner."""
        device = self.device = memory.device_of(joint)
        cache = self.open_cache()
        try:
            way = choice.choose(
                self.kernels, self.options.kernels == "auto",
                lambda kernels, below: self._plan_with(kernels, joint, num_fwd_outputs,
                                                       cache, below),
                lambda way: self._known_ways(cache, way), self._meanwhile)
            self._adopt(way)
            if way.planned is None:
                self._remember(cache, way.failure.least_budget, is_named=True)
                raise way.failure
            self._remember(cache, self.options.budget)
            self._remember_way(cache, way)
            if self.options.mode == cuda_graphs.MODE:
                self.cuda_graphs = self._graphs(joint, num_fwd_outputs, cache)
            self._calibrate(joint, device, cache)
            self.timer = StepTimer(device, self._ran)
        finally:
            self._inputs = None
            self.kernels.release()
            if cache:
                cache.close()
        modules = self.kernels.modules(joint, joint_inputs, self.schedule,
                                       num_fwd_outputs, extra)
        self.announce()
        return modules

    def announce(self) -> None:
        """That there is a plan."""
        log.info("%s", self.summary())
        if self.options.on_plan:
            self.options.on_plan(self)

    def _remember(self, cache: ProfileCache | None, budget: Any,
                  is_named: bool = False) -> None:
        """That these kernels are those for a budget."""
        if self.key and budget is not None and self.kernels.record():
            remembered.store_kernels(cache, self.key(budget), self.kernels.record(),
                                     is_named)

    def _remember_way(self, cache: ProfileCache | None, way: choice.Way) -> None:
        """For other budgets."""
        if self.key and way.kernels.record():
            remembered.store_way(
                cache, self.key(None), way.kernels.record(),
                way.schedule.peak - way.program.outside_bytes, way.schedule.cost)

    def _known_ways(self, cache: ProfileCache | None, way: choice.Way) -> list[dict]:
        """That are better, of those for other budgets."""
        if not self.key:
            return []
        room = self.budget - way.program.outside_bytes
        cost = way.planned.schedule.cost if way.planned else math.inf
        return remembered.ways(cache, self.key(None), room, cost)

    def _plan_with(self, kernels: Any, joint: fx.GraphModule, count: int,
                   cache: ProfileCache | None, below: float) -> choice.Way:
        device = self.device
        program = kernels.lower(joint, count, device)
        way = choice.Way(kernels, program, agreement.join(program), None)
        self._adopt(way)
        self.ranks.measured(program, lambda: self._profile(device, cache))
        program.outside_bytes = memory.outside_bytes(program, device, self.options)
        try:
            self._plan(device, cache, below)
        except InfeasibleBudget as error:
            way.failure = error
            if error.sequence is not None:
                way.schedule = planner.schedule_of(program, error.sequence)
            return way
        way.planned, way.schedule = self.planned, self.schedule
        return way

    def _adopt(self, way: choice.Way) -> None:
        self.kernels, self.program, self.ranks = way.kernels, way.program, way.ranks
        self.planned = way.planned

    def open_cache(self) -> ProfileCache | None:
        if not self.options.cache or self.options.gpu:
            return None
        return ProfileCache(profiling.device_name(self.device), profiling.settings())

    def _profile(self, device: torch.device, cache: ProfileCache | None) -> None:
        if self.options.gpu:
            roofline.estimate(self.program, roofline.find(self.options.gpu))
        elif device.type not in ("cpu", "cuda"):
            raise UnsupportedModel(
                f"the model is on {device.type}, where nothing can be measured; say "
                "for which GPU to estimate, as in gpu='H100'")
        else:
            profiling.profile(self.program, device, cache)

    def _plan(self, device: torch.device, cache: ProfileCache | None,
              below: float) -> None:
        options = self.options
        outside = self.program.outside_bytes
        if self.kernels.reference is None:
            self.kernels.reference = Reference(
                planner.keep_all(self.program).peak - outside,
                sum(op.cost for op in self.program.ops))
        if self.wanted is None:
            self.wanted = memory.resolve(
                options.wanted_budget(device), self.kernels.reference.peak + outside, device,
                options.gpu)
        self.budget = self.ranks.tightest(self.program, self.wanted)
        if self.on_measured:
            self.on_measured(self)
        if self.is_piece or self._plans:
            self._plan_piece()
            return
        if options.plan is not None:
            self.planned = planner.reuse(self.program, options.plan, self.budget,
                                         self.name)
            return
        self._search(self.budget, cache, below)

    def _search(self, budget: int, cache: ProfileCache | None,
                below: float = math.inf) -> None:
        options = self.options
        meanwhile: Callable[[], None] | None = self._meanwhile.work
        if type(self.ranks) is not agreement.Alone:  # Others wait for this one.
            below, meanwhile = math.inf, None
        known = remembered.sequences(cache, self.program)
        try:
            self.planned = self.ranks.planned(
                self.program, budget, self.name, lambda: remembered.plan(
                    cache, options, self.program, budget, self.name,
                    lambda: planner.plan(
                        self.program, budget, time_limit=options.time_limit,
                        gap=options.gap, threads=options.threads, seed=options.seed,
                        name=self.name, known=known, below=below,
                        meanwhile=meanwhile)))
        except InfeasibleBudget as error:
            if error.sequence is not None:
                # Whoever asks for that budget next is to have it.
                remembered.store_least(cache, self.program, error.sequence)
            raise
        remembered.store_sequence(cache, self.program, self.planned)

    def _plan_piece(self) -> None:
        """As planned together with the others, or for now."""
        saved = self._plans.get(digest(self.program))
        if saved is None:
            self.is_provisional = True
            self.planned = planner.plan_least(self.program, name=self.name)
        else:
            # What is outside is the business of the common plan.
            self.program.outside_bytes = 0
            self.planned = planner.reuse(self.program, saved, saved.peak_bytes,
                                         self.name)

    def _graphs(self, joint: fx.GraphModule, results: int,
                cache: ProfileCache | None) -> CudaGraphs:
        inputs, constants = self._inputs, _constants(joint)
        asked = self.planned.solution

        def search(budget: int) -> planner.Planned:
            self._search(budget, cache)
            return self.planned.as_answer_to(asked)

        why_not = cuda_graphs.why_not(self.schedule, self.device)
        if self.is_piece or self._plans or self.options.plan is not None:
            why_not = "the plan is given, or one of several pieces"
        if not why_not and calibration.can_run(self.program, inputs, constants):
            self.planned, why_not = cuda_graphs.with_room(
                self.planned, self.budget, search, lambda schedule: bytes_to_record(
                    schedule, inputs, constants, self.device))
        if why_not:
            log.info("no CUDA graphs: %s", why_not)
        return CudaGraphs(
            lambda: Recording(self.device, results),
            lambda size: cuda_graphs.too_much(self.schedule.fixed_bytes + size,
                                              self.budget),
            why_not, draws=any(op.state is not None for op in self.program.ops))

    def _calibrate(self, joint: fx.GraphModule, device: torch.device,
                   cache: ProfileCache | None) -> None:
        if self.options.gpu:
            return
        self.scale = remembered.scale(cache, self.digest, self.schedule.cost)
        if self.scale is None:
            whole = self._timed(_constants(joint), device)
            if whole is None:
                self.scale = remembered.scale(cache, self.digest)
                return
            self.scale = whole / self.schedule.cost
            remembered.store_scale(cache, self.digest, self.schedule.cost, self.scale)

    def _timed(self, constants: dict[str, Any], device: torch.device) -> float | None:
        """Microseconds of a step as planned; None where none can be run yet."""
        if not calibration.can_run(self.program, self._inputs, constants):
            return None
        try:
            return calibration.measure(self.schedule, self._inputs, constants, device)
        except torch.OutOfMemoryError:  # It needs a little more than a step.
            log.info("%s: too little memory to time a step beforehand", self.name)
            return None

    def _ran(self, microseconds: float) -> None:
        """A better estimate for this and other plans of the program."""
        self.measured_seconds = microseconds / 1e6
        cost = self.figures.cost
        if self.options.gpu or cost <= 0 or self.cuda_graphs:
            return
        scale = microseconds / cost
        log.debug("%s: a step takes %.1f ms, %.1f were predicted", self.name,
                  microseconds / 1e3, self.step_seconds * 1e3)
        if cache := self.open_cache():
            remembered.store_scale(cache, self.digest, cost, scale)
            cache.close()

    def start_again(self, kept: Any, kernels: Any, outside: int, budget: int,
                    cache: ProfileCache) -> None:
        """As it was planned before: `kept` is a KeptGraph, `outside` are the bytes
        that are now on the device besides the graph."""
        self.kernels, self.device = kernels, kept.device
        self.wanted = self.budget = budget
        self._figures = kept.figures.with_outside(outside - kept.outside)
        self._digest = kept.digest
        self._find_plan = lambda: kept.planned(kernels.compiled, outside, self.name)
        self.scale = remembered.scale(cache, self._digest, self._figures.cost)
        self.timer = StepTimer(kept.device, self._ran)
        self._inputs = None

    # -- running -----------------------------------------------------------

    def compile(self, phase: str, module: fx.GraphModule) -> Callable:
        nodes = list(module.graph.nodes)
        inputs = [node.name for node in nodes if node.op == "placeholder"]
        names = nodes[-1].args[0]
        schedule, program = self.schedule, self.program
        if phase == "forward":
            count = len(program.forward_outputs)
            outputs = list(program.forward_outputs)
            outputs += [Ref(node.name) for node in names[count:]]
        else:
            outputs = list(program.backward_outputs)
        constants = {node.name: getattr(module, node.target) for node in nodes
                     if node.op == "get_attr"}
        checks.check_reads(schedule, phase, {*inputs, *constants})
        now = {**schedule.boundary} if phase == "forward" else schedule.final
        now = {name: copy for name, copy in now.items() if name in program.values}
        function = codegen.generate(program, schedule.part(phase), inputs, outputs,
                                    now, phase, constants)
        prepared = self.kernels.prepared(phase, function, inputs, self.device)
        if self.cuda_graphs:
            written = program.written_inputs() if phase == "forward" else ()
            prepared = self.cuda_graphs.wrap(phase, prepared, frozenset(
                index for index, name in enumerate(inputs) if name in written))
        return self.running(phase, function, prepared)

    def running(self, phase: str, function: Callable, prepared: Callable) -> Callable:
        """What is called for a pass: `prepared` is the function with what is done
        before and after."""
        self.functions[phase] = function
        return self._observed(phase, prepared)

    def _observed(self, phase: str, function: Callable) -> Callable:
        change = 1 if phase == "forward" else -1

        def call(args):
            self.open = max(0, self.open + change)
            self.most_open = max(self.most_open, self.open)
            return self.timer.run(phase, function, args)

        call._boxed_call = True
        return call

    @property
    def is_open(self) -> bool:
        return self.open > 0

