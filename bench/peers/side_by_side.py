# SPDX-License-Identifier: Apache-2.0
"""torch.compile, and ours in its memory, in one process, in turn.

Usage: python3 bench/peers/side_by_side.py [MODEL ...] [--times N] [--json FILE]

Milliseconds of a step, of many one after the other. What differs from minute to minute,
and from process to process, is the same for both.
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import runs  # noqa: E402
import torch  # noqa: E402
from models import MODELS  # noqa: E402
from rematch.torch import TrainStep  # noqa: E402
from rematch.torch.step import WithLoss  # noqa: E402


def row(name, times):
    case = MODELS[name]()
    compiled = torch.compile(WithLoss(case.model, case.loss_fn), dynamic=False)
    found = runs.measured(case, runs.forward_and_backward(compiled, case))
    step = TrainStep(case.model, case.loss_fn, budget=found["peak"])
    ours = runs.measured(case, lambda: step(case.inputs, case.targets))
    ways = {"torch.compile": runs.forward_and_backward(compiled, case),
            "ours": lambda: step(case.inputs, case.targets)}
    ms = {way: [] for way in ways}
    with runs.GATE.held():
        for _ in range(times):
            for way, run in ways.items():
                steps = runs.stepper(case, run)
                steps()  # The other one has left the caches.
                ms[way].append(steps(runs.stretch(found["ms"] / 1e3))[0] * 1e3)
    return {"model": name, "peak": found["peak"], "ours_peak": ours["peak"], "ms": ms}


def show(found):
    gib = 2**30
    lines = [f"{found['model']}: torch.compile in {found['peak'] / gib:.3f} GiB, ours in "
             f"{found['ours_peak'] / gib:.3f}"]
    for way, times in found["ms"].items():
        lines.append(f"  {way:<14}{statistics.median(times):8.2f} ms  of "
                     + " ".join(f"{time:.2f}" for time in times))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=["resnet50"])
    parser.add_argument("--times", type=int, default=7)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    runs.time_alone()
    rows = []
    for name in options.models:
        rows.append(row(name, options.times))
        print(show(rows[-1]), flush=True)
        runs.clean()
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
