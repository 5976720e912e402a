# SPDX-License-Identifier: Apache-2.0
"""Ways to run a training step, each as rows of peak and time."""

import functools
import gc
import statistics
import time
from contextlib import contextmanager

import torch
from alone import Gate
from rematch.torch import RematchTorchError, TrainStep, calibration, profiling
from rematch.torch.profiling import requested
from rematch.torch.step import WithLoss
from torch._inductor.runtime.benchmarking import Benchmarker, InductorBenchmarker
from torch.utils.checkpoint import checkpoint

WARM_UPS = 4
REPEATS = 3
# Steps one after the other, as in training: nobody waits for the GPU between them.
STRETCH_SECONDS = 0.8
FEWEST, MOST = 4, 25
GATE = Gate.of_environment()


def time_alone():
    """What is timed before a step is: by plans, and by Inductor, which chooses by it."""
    profiling.profile = GATE.around(profiling.profile)
    calibration.measure = GATE.around(calibration.measure, quiet=True)
    for kind in (Benchmarker, InductorBenchmarker):
        if "benchmark_gpu" in vars(kind):
            kind.benchmark_gpu = GATE.around(kind.benchmark_gpu)


def clean():
    torch._dynamo.reset()
    gc.collect()
    torch.cuda.empty_cache()


def stepper(case, run):
    """Runs steps, one after the other; gives seconds of each, and until the last was
    launched."""
    def steps(count=1):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            case.model.zero_grad(set_to_none=True)
            run()
        launched = time.perf_counter()
        torch.cuda.synchronize()
        return (time.perf_counter() - begin) / count, (launched - begin) / count

    return steps


def stretch(seconds):
    """How many steps of so many seconds are timed together."""
    return min(MOST, max(FEWEST, round(STRETCH_SECONDS / seconds)))


def measured(case, run):
    """Peak in requested bytes and milliseconds of a step, warm: medians, of steps one
    after the other, of steps that each begin when the GPU is idle, and of the latter
    until all is launched. What a compiler does is done before, in the first step."""
    steps = stepper(case, run)
    start, _ = steps()
    with GATE.held():
        for _ in range(WARM_UPS):
            seconds, _ = steps()
        gc.collect()
        case.model.zero_grad(set_to_none=True)
        torch.cuda.reset_peak_memory_stats()
        steps()
        peak = requested(torch.device("cuda"), "peak")
        together = statistics.median(steps(stretch(seconds))[0] for _ in range(REPEATS))
        alone, launched = map(statistics.median,
                              zip(*(steps() for _ in range(FEWEST))))
    case.model.zero_grad(set_to_none=True)
    return {"peak": peak, "ms": together * 1e3, "waited_ms": alone * 1e3,
            "launched_ms": launched * 1e3, "start_seconds": start}


def forward_and_backward(module, case):
    return lambda: module(case.inputs, case.targets).backward()


def eager(case):
    return measured(case, forward_and_backward(WithLoss(case.model, case.loss_fn), case))


@contextmanager
def checkpointed(blocks):
    """Every block as torch.utils.checkpoint runs it."""
    for block in blocks:
        block.forward = functools.partial(checkpoint, block.forward,
                                          use_reentrant=False)
    try:
        yield
    finally:
        for block in blocks:
            del block.forward


def every_block(case):
    with checkpointed(case.blocks):
        return eager(case)


def compiled(case, budget):
    """torch.compile with PyTorch's own budget, a ratio."""
    with torch._functorch.config.patch(activation_memory_budget=budget):
        module = torch.compile(WithLoss(case.model, case.loss_fn), dynamic=False)
        try:
            return measured(case, forward_and_backward(module, case))
        except Exception as error:  # Some budgets are too much for PyTorch.
            return {"error": str(error).strip().partition("\n")[0]}


def compiled_every_block(case):
    with checkpointed(case.blocks):
        return compiled(case, 1.0)


def ours(case, budget, options, on_graph=None):
    """`budget` is in bytes, or a share of what keeping everything takes."""
    begin = time.perf_counter()
    try:
        step = TrainStep(case.model, case.loss_fn, budget=budget,
                         kernels=options.kernels, time_limit=options.time_limit,
                         threads=options.threads)
        step(case.inputs, case.targets)
    except RematchTorchError as error:
        return {"error": str(error), "least": getattr(error, "least_budget", None)}
    torch.cuda.synchronize()
    seconds = time.perf_counter() - begin
    graph = step.graphs[0]
    predicted_ms = graph.step_seconds * 1e3  # Before it has run often.
    found = measured(case, lambda: step(case.inputs, case.targets))
    if on_graph:
        on_graph(graph, found["ms"])
    solution = graph.solution
    return {**found, "predicted": graph.peak_bytes, "budget": graph.budget,
            "predicted_ms": predicted_ms, "overhead": graph.overhead,
            "gap": solution.gap if solution else None, "kernels": str(graph.kernels),
            "ops": len(graph.program.ops), "start_seconds": seconds}
