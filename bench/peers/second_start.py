# SPDX-License-Identifier: Apache-2.0
"""How long the same training takes to start again: torch.compile, and ours.

Usage: python3 bench/peers/second_start.py [MODEL ...] [--budget B] [--times N]
                                           [--json FILE]

Each start is a process of its own; seconds are from the call that compiles to the end
of the first step. Caches are empty at the first start of each, which also leaves in
them what the second one finds; starts after that alternate.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from alone import VARIABLE  # noqa: E402

WAYS = ("torch.compile", "ours")


def start(model, way, budget):
    """Seconds, here and now."""
    import time

    import torch
    from models import MODELS
    from rematch.torch import TrainStep
    from rematch.torch.step import WithLoss
    from runs import GATE

    case = MODELS[model]()
    torch.ones(64, 64, device="cuda").mm(torch.ones(64, 64, device="cuda"))
    torch.cuda.synchronize()
    with GATE.held():
        begin = time.perf_counter()
        if way == "ours":
            step = TrainStep(case.model, case.loss_fn, budget=budget)
            step(case.inputs, case.targets)
        else:
            module = torch.compile(WithLoss(case.model, case.loss_fn), dynamic=False)
            module(case.inputs, case.targets).backward()
        torch.cuda.synchronize()
        return time.perf_counter() - begin


def started(model, way, budget, folder, is_first=False):
    """Seconds, in a process of its own that finds its caches in the folder. Nobody
    waits for those that compile."""
    caches = {name: str(folder / way / name.lower()) for name in (
        "REMATCH_CACHE", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")}
    environment = {**os.environ, **caches}
    if is_first:
        environment.pop(VARIABLE, None)
    done = subprocess.run(
        [sys.executable, "-B", __file__, model, "--budget", budget, "--one", way],
        env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout.split()[-1])


def row(model, options):
    with tempfile.TemporaryDirectory() as folder:
        def one(way, **how):
            return started(model, way, options.budget, Path(folder), **how)

        first = {way: one(way, is_first=True) for way in WAYS}
        one("ours")  # Libraries may hold more at the second start, which is seen then.
        again = {way: [] for way in WAYS}
        for _ in range(options.times):
            for way in WAYS:
                again[way].append(one(way))
    return {"model": model, "budget": options.budget, "first": first, "again": again}


def show(found):
    return "\n".join(
        f"{found['model']:<10}{way:<15}{found['first'][way]:6.1f} s at first, again "
        f"{statistics.median(found['again'][way]):5.1f} ({min(found['again'][way]):.1f})"
        for way in WAYS)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=["gpt2"])
    parser.add_argument("--budget", default="80%")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(start(options.models[0], options.one, options.budget))
        return
    rows = []
    for model in options.models:
        rows.append(row(model, options))
        print(show(rows[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
