# SPDX-License-Identifier: Apache-2.0
"""Peak and time of training steps on a GPU, ours and others'.

Usage: python3 bench/peers [MODEL ...] [--budgets LIST] [--compile LIST]
                           [--compile-blocks] [--time-limit S] [--json FILE]
                           [--graphs FOLDER]

For each model, in one run: eager, checkpoint around every block, torch.compile at
PyTorch's own budgets, then ours at shares of what keeping everything takes, at the
memory of eager and at that of checkpoint around every block. Peaks are of requested
bytes, everything on the device counted; times are of forward, loss and backward.
`--compile ""` leaves out torch.compile, `--compile-blocks` adds checkpoint around
every block under torch.compile. `--graphs` writes each model's measured graph.
"""

import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import runs  # noqa: E402
from graphs import graph_text  # noqa: E402
from models import MODELS  # noqa: E402

GIB = 2**30


def rows_of(name, options):
    case = MODELS[name]()

    def row(way, found):
        runs.clean()
        return {"model": name, "way": way, **found}

    eager = row("eager", runs.eager(case))
    yield eager
    blocks = row("every block", runs.every_block(case))
    yield blocks
    if options.compile_blocks:
        yield row("compiled every block", runs.compiled_every_block(case))
    for budget in options.compile:
        yield row(f"compiled {budget}", runs.compiled(case, budget))

    def keep(graph, milliseconds):
        if options.graphs and not any(run.number for run in graph.schedule.runs):
            options.graphs.mkdir(parents=True, exist_ok=True)
            path = options.graphs / f"{name}.json"
            path.write_text(graph_text(graph, name, case.text, milliseconds),
                            encoding="utf-8")

    for budget in options.budgets:
        yield row(f"ours {budget}", runs.ours(case, budget, options.time_limit, keep))
    for peer in (eager, blocks):
        yield row(f"ours at {peer['way']}",
                  runs.ours(case, peer["peak"], options.time_limit))


def show(row):
    head = f"{row['model']:<10}{row['way']:<22}"
    if "error" in row:
        return head + row["error"]
    text = head + f"{row['peak'] / GIB:9.4f} GiB {row['ms']:8.1f} ms"
    if "predicted" in row:
        text += (f"  predicted {row['peak'] - row['predicted']:+d} B, "
                 f"{row['ms'] / row['predicted_ms'] - 1:+.1%}; gap {row['gap']:.2%}, "
                 f"{row['ops']} ops, {row['compile_seconds']:.0f} s")
    return text


def numbers(text):
    return [float(item) for item in text.split(",") if item]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=list(MODELS))
    parser.add_argument("--budgets", type=lambda text: text.split(","),
                        default="100%,80%,65%,50%,35%,25%".split(","))
    parser.add_argument("--compile", type=numbers, default=[1.0, 0.5, 0.3])
    parser.add_argument("--time-limit", type=float, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--graphs", type=Path, metavar="FOLDER")
    parser.add_argument("--compile-blocks", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in options.models:
        for row in rows_of(name, options):
            print(show(row), flush=True)
            rows.append(row)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n",
                                        encoding="utf-8")
        runs.clean()


if __name__ == "__main__":
    main()
