# SPDX-License-Identifier: Apache-2.0
"""Peak and time of training steps on a GPU, ours and others'.

Usage: python3 bench/peers [MODEL ...] [--kernels auto|eager|fused] [--peers LIST]
                           [--compile LIST] [--budgets LIST] [--time-limit S]
                           [--json FILE] [--graphs FOLDER]

For each model, in one run: eager, checkpoint around every block, both under
torch.compile, torch.compile at PyTorch's own budgets, which are ratios; then ours in
the memory of each of them, at the budgets given (shares are of what keeping everything
takes), and in the least memory that works, if `least` is one of them. Peaks are of
requested bytes, everything on the device counted; times are of forward, loss and
backward. `--graphs` writes each model's measured graph. `report.py` makes a table of
the rows, `picture.py` a picture.
"""

import argparse
import functools
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

    ways = {"eager": runs.eager, "every block": runs.every_block,
            "compiled every block": runs.compiled_every_block}
    peers = [(way, functools.partial(ways[way], case)) for way in options.peers]
    peers += [(f"compiled {budget}", functools.partial(runs.compiled, case, budget))
              for budget in options.compile]
    peaks = []
    for way, run in peers:
        found = row(way, run())
        yield found
        if "peak" in found:
            peaks.append((way, found["peak"]))

    def keep(graph, milliseconds):
        if options.graphs and not any(run.number for run in graph.schedule.runs):
            options.graphs.mkdir(parents=True, exist_ok=True)
            path = options.graphs / f"{name}.json"
            path.write_text(graph_text(graph, name, case.text, milliseconds),
                            encoding="utf-8")

    def ours(way, budget, on_graph=None):
        return row(f"ours {way}", runs.ours(case, budget, options, on_graph))

    for way, peak in peaks:
        yield ours(f"at {way}", peak)
    for budget in options.budgets:
        if budget == "least":
            refused = ours("least", 1)
            least = refused.get("least")
            yield ours("least", least) if least else refused
        else:
            yield ours(budget, budget, keep)


def show(row):
    head = f"{row['model']:<10}{row['way']:<22}"
    if "error" in row:
        return head + row["error"]
    text = head + f"{row['peak'] / GIB:9.4f} GiB {row['ms']:8.1f} ms"
    if "predicted" in row:
        text += (f"  predicted {row['peak'] - row['predicted']:+d} B, "
                 f"{row['ms'] / row['predicted_ms'] - 1:+.1%}; {row['kernels']}, "
                 f"{row['ops']} ops")
    text += f", {row['start_seconds']:.0f} s to start"
    return text


def names(text):
    return [item for item in text.split(",") if item]


def numbers(text):
    return [float(item) for item in names(text)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=list(MODELS))
    parser.add_argument("--budgets", type=names,
                        default=names("100%,80%,65%,50%,35%,25%,least"))
    parser.add_argument("--peers", type=names,
                        default=names("eager,every block,compiled every block"))
    parser.add_argument("--kernels", default="auto")
    parser.add_argument("--compile", type=numbers,
                        default=[1.0, 0.7, 0.5, 0.3, 0.1, 0.0])
    parser.add_argument("--time-limit", type=float, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--graphs", type=Path, metavar="FOLDER")
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
