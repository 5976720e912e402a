# SPDX-License-Identifier: Apache-2.0
"""The backend of torch.compile: capture, plan, check, run."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import default_partition

import rematch
from rematch.torch import agreement, codegen, memory, planner, profiling
from rematch.torch.cudnn import use_cudnn_batch_norm
from rematch.torch.dynamo import Graphs
from rematch.torch.errors import PlanMismatch
from rematch.torch.explain import explain
from rematch.torch.lowering import GENERATOR_STATE, lower
from rematch.torch.profile_cache import ProfileCache
from rematch.torch.program import Program, Ref
from rematch.torch.rewrite import rewrite
from rematch.torch.schedule import Copy, Schedule

log = logging.getLogger("rematch")


@dataclass
class Options:
    """What people may say."""

    budget: int | str = "auto"  # Bytes, "6GiB", "50%" of all kept, or "auto".
    kernels: str = "eager"
    time_limit: float = 10.0  # Seconds for each graph.
    gap: float = 0.001  # Good enough.
    threads: int = 0  # 0: all.
    seed: int = 0
    reserve: int | str = 0  # Bytes to leave alone: optimizer state to come, ...
    cache: bool = True  # Profiles on disk.
    on_plan: Callable | None = None  # Called with each PlannedGraph.

    @classmethod
    def parse(cls, given: dict[str, Any] | None) -> Options:
        known = [item.name for item in fields(cls)]
        for name in given or {}:
            if name not in known:
                raise ValueError(f"rematch has no option '{name}'; there are "
                                 f"{', '.join(known)}")
        options = cls(**(given or {}))
        if options.kernels != "eager":
            raise ValueError(f"kernels must be 'eager', not {options.kernels!r}")
        return options


class PlannedGraph:
    """One captured graph with its plan; makes the functions that run it."""

    def __init__(self, options: Options, name: str) -> None:
        self.options = options
        self.name = name
        self.program: Program | None = None
        self.planned: planner.Planned | None = None
        self.functions: dict[str, Callable] = {}
        self.ranks = agreement.Alone()

    @property
    def schedule(self) -> Schedule:
        return self.planned.schedule

    # -- planning ----------------------------------------------------------

    def partition(self, joint: fx.GraphModule, joint_inputs, *, num_fwd_outputs: int,
                  **extra) -> tuple[fx.GraphModule, fx.GraphModule]:
        """What AOTAutograd calls in place of its own partitioner."""
        device = memory.device_of(joint)
        if device.type == "cuda":
            use_cudnn_batch_norm(joint)
        program = self.program = lower(joint, num_fwd_outputs, device)
        self.ranks = agreement.join(program)
        self.ranks.measured(program, lambda: self._profile(device))
        program.outside_bytes = memory.outside_bytes(
            program, device, memory.parse_bytes(self.options.reserve))
        self._plan(device)
        rewritten = rewrite(joint, self.schedule)
        known = inspect.signature(default_partition).parameters
        modules = default_partition(
            rewritten, joint_inputs, num_fwd_outputs=num_fwd_outputs,
            **{key: value for key, value in extra.items() if key in known})
        self._check(*modules)
        if self.options.on_plan:
            self.options.on_plan(self)
        return modules

    def _profile(self, device: torch.device) -> None:
        cache = None
        if self.options.cache:
            cache = ProfileCache(profiling.device_name(device), profiling.settings())
        try:
            profiling.profile(self.program, device, cache)
        finally:
            if cache:
                cache.close()

    def _plan(self, device: torch.device) -> None:
        options = self.options
        everything = planner.keep_all(self.program)
        budget = self.ranks.tightest(
            self.program, memory.resolve(options.budget, everything.peak, device))
        self.planned = self.ranks.planned(self.program, budget, self.name, lambda: (
            planner.plan(
                self.program, budget, time_limit=options.time_limit, gap=options.gap,
                threads=options.threads, seed=options.seed, name=self.name)))
        log.info("%s", self.summary())

    def summary(self) -> str:
        planned, solution = self.planned, self.planned.solution
        gap = solution.gap if solution.gap is not None else float("inf")
        return (f"{self.name}: {len(self.program.ops)} ops, peak "
                f"{rematch.format_bytes(planned.schedule.peak)} of "
                f"{rematch.format_bytes(planned.keep_all_peak)}, "
                f"{solution.overhead:.2%} more time, at most {gap:.2%} from the best")

    def explain(self) -> str:
        """What sits at the peak and what is recomputed, in words."""
        return explain(self.summary(), self.schedule)

    # -- checks ------------------------------------------------------------

    def _check(self, forward: fx.GraphModule, backward: fx.GraphModule) -> None:
        """What PyTorch would run is what was planned."""
        for phase, module in (("forward", forward), ("backward", backward)):
            wanted = [Copy(run.op.name, run.number).name
                      for run in self.schedule.part(phase) if run.op.call is not None]
            names = set(wanted)
            got = [node.name for node in module.graph.nodes
                   if node.op == "call_function" and node.name in names]
            # States of generators that nobody reads are left out of the graph.
            missing = [name for name in wanted if name not in got]
            order = [name for name in wanted if name in got]
            writes = {run.op.name for run in self.schedule.part(phase)
                      if not run.op.outputs}
            if [n for n in order if n not in writes] != \
                    [n for n in got if n not in writes]:
                raise PlanMismatch(f"PyTorch changed the order of the {phase} pass")
            for name in missing:
                run = next(r for r in self.schedule.part(phase)
                           if Copy(r.op.name, r.number).name == name)
                if any(run.makes) and run.op.kind != GENERATOR_STATE:
                    raise PlanMismatch(f"PyTorch left '{name}' out of the {phase} pass")
        self._check_saved(forward, backward)

    def _check_saved(self, forward, backward) -> None:
        saved = {node.name for node in backward.graph.nodes if node.op == "placeholder"}
        saved -= set(self.program.inputs) | set(self.program.tangents)
        wanted = {copy.name for copy in self.schedule.boundary.values()}
        kept = {Copy(ref.name).name for ref in self.program.forward_outputs
                if isinstance(ref, Ref)}
        if not saved <= wanted:
            raise PlanMismatch("PyTorch saves more than was planned: "
                               + ", ".join(sorted(saved - wanted)))
        read = {copy.name for run in self.schedule.part("backward")
                for copy in run.reads.values()}
        if missing := (wanted & read) - saved - kept:
            raise PlanMismatch("PyTorch does not save " + ", ".join(sorted(missing)))

    def _check_reads(self, phase: str, there: set[str]) -> None:
        """Every run has what it reads."""
        for run in self.schedule.part(phase):
            for copy in run.reads.values():
                if copy.name not in there:
                    raise PlanMismatch(f"'{run.op.name}' of the {phase} pass reads "
                                       f"'{copy.name}', which is not there")
            there.update(copy.name for copy in run.makes if copy)
            there.difference_update(copy.name for copy in run.drops)

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
        self._check_reads(phase, {*inputs, *constants})
        now = {**schedule.boundary} if phase == "forward" else schedule.final
        now = {name: copy for name, copy in now.items() if name in program.values}
        function = codegen.generate(program, schedule.part(phase), inputs, outputs,
                                    now, phase, constants)
        self.functions[phase] = function
        return function


def make_backend(options: Options) -> Callable:
    def backend(module: fx.GraphModule, inputs) -> Callable:
        graph = PlannedGraph(options, f"graph{len(backend.graphs)}")
        backend.graphs.append(graph)
        compiler = aot_autograd(
            fw_compiler=lambda gm, _: graph.compile("forward", gm),
            bw_compiler=lambda gm, _: graph.compile("backward", gm),
            inference_compiler=lambda gm, _: _boxed(gm),
            partition_fn=graph.partition, decompositions={},
            keep_inference_input_mutations=True)
        with torch._functorch.config.patch(_functorch_settings()):
            return compiler(module, inputs)

    backend.graphs = Graphs()
    return backend


def _functorch_settings() -> dict[str, Any]:
    wanted = {"donated_buffer": False, "backward_pass_autocast": "off",
              "enable_autograd_cache": False}
    return {name: value for name, value in wanted.items()
            if hasattr(torch._functorch.config, name)}


def _boxed(module: fx.GraphModule) -> Callable:
    """Without gradients there is nothing to plan."""
    interpreter = fx.Interpreter(module)

    def call(args):
        return interpreter.boxed_run(args)

    call._boxed_call = True
    return call


def rematch_backend(module: fx.GraphModule, inputs, *, options=None, mode=None):
    """torch.compile(model, backend="rematch", options={"budget": "6GiB"})."""
    if mode is not None:
        raise ValueError(f"rematch has no mode {mode!r}; say what you want in options")
    return make_backend(Options.parse(options))(module, inputs)
