# SPDX-License-Identifier: Apache-2.0
"""Peak and time of training steps on a GPU, ours and others'.

Usage: python3 bench/peers [MODEL ...] [--kernels auto|eager|fused] [--peers LIST]
                           [--compile LIST] [--budgets LIST] [--time-limit S]
                           [--at-once N] [--row-limit S] [--json FILE]
                           [--graphs FOLDER]

For each model, in one run: torch.compile, checkpoint around every block under
torch.compile, eager, and checkpoint around every block, each followed by ours in the same
memory, unless ours was no slower in no more before; ours at the budgets given (shares are
of what keeping everything takes), and in the least memory that works, if `least` is one
of them; then torch.compile at PyTorch's own budgets, which are ratios and may take minutes
to compile, each followed by ours, too. Peaks are of requested bytes,
everything on the device counted; times are of forward, loss and backward. With
`--at-once` as many models compile at the same time, each in a process of its own, and
all but one stand still while it is timed. A row of others that takes longer than
`--row-limit` is given up. `--graphs` writes each model's measured graph. `report.py`
makes a table of the rows, `picture.py` a picture.
"""

import argparse
import functools
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import runs  # noqa: E402
import together  # noqa: E402
from covered import no_worse  # noqa: E402
from graphs import graph_text  # noqa: E402
from limit import TooLong, limited  # noqa: E402
from models import MODELS  # noqa: E402

GIB = 2**30


def rows_of(name, options):
    case = MODELS[name]()

    def row(way, found):
        runs.clean()
        return {"model": name, "way": way, **found}

    ways = {"eager": runs.eager, "every block": runs.every_block,
            "compiled every block": runs.compiled_every_block}
    compiled = [(f"compiled {budget}", functools.partial(runs.compiled, case, budget))
                for budget in options.compile]
    peers = [(way, functools.partial(ways[way], case)) for way in options.peers]

    def keep(graph, milliseconds):
        if options.graphs and not any(run.number for run in graph.schedule.runs):
            options.graphs.mkdir(parents=True, exist_ok=True)
            path = options.graphs / f"{name}.json"
            path.write_text(graph_text(graph, name, case.text, milliseconds),
                            encoding="utf-8")

    before = []  # Of ours.

    def ours(way, budget, on_graph=None):
        found = row(f"ours {way}", runs.ours(case, budget, options, on_graph))
        before.extend([found] * ("peak" in found))
        return found

    def both(way, run):
        found = row(way, run_of(run, options.row_limit))
        yield found
        if "peak" in found:
            if (known := no_worse(before, found)) is None:
                yield ours(f"at {way}", found["peak"])
            else:
                yield {**known, "way": f"ours at {way}", "as": known["way"]}

    for peer in (*compiled[:1], *peers):
        yield from both(*peer)
    for budget in options.budgets:
        if budget == "least":
            refused = ours("least", 1)
            least = refused.get("least")
            yield ours("least", least) if least else refused
        else:
            yield ours(budget, budget, keep)
    for peer in compiled[1:]:
        yield from both(*peer)


def run_of(run, seconds):
    try:
        with limited(seconds):
            return run()
    except TooLong:
        return {"error": f"longer than {seconds:g} s"}


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
    return text + (f"; as {row['as']}" if "as" in row else "")


def names(text):
    return [item for item in text.split(",") if item]


def numbers(text):
    return [float(item) for item in names(text)]


def arguments(options):
    """For the processes that measure one model each."""
    lists = {"budgets": options.budgets, "peers": options.peers,
             "compile": map(str, options.compile)}
    values = {"kernels": options.kernels, "time-limit": options.time_limit,
              "row-limit": options.row_limit}
    if options.graphs:
        values["graphs"] = options.graphs
    values |= {name: ",".join(items) for name, items in lists.items()}
    return [part for name, value in values.items() for part in (f"--{name}", str(value))]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=list(MODELS))
    parser.add_argument("--budgets", type=names,
                        default=names("100%,80%,65%,50%,35%,25%,least"))
    parser.add_argument("--peers", type=names,
                        default=names("compiled every block,eager,every block"))
    parser.add_argument("--kernels", default="auto")
    parser.add_argument("--compile", type=numbers,
                        default=[1.0, 0.7, 0.5, 0.3, 0.1, 0.0])
    parser.add_argument("--time-limit", type=float, default=5)
    parser.add_argument("--at-once", type=int, default=1, metavar="N")
    parser.add_argument("--row-limit", type=float, default=0, metavar="S")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--graphs", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if unknown := [name for name in options.models if name not in MODELS]:
        parser.error(f"no model is called {unknown[0]}; there are {', '.join(MODELS)}")

    def write(rows):
        if options.json:
            unfinished = options.json.with_suffix(".part")
            unfinished.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            unfinished.replace(options.json)

    if options.at_once > 1:
        sys.exit(min(1, together.run(options.models, options.at_once,
                                     arguments(options), write)))
    runs.time_alone()
    rows = []
    for name in options.models:
        for row in rows_of(name, options):
            print(show(row), flush=True)
            rows.append(row)
            write(rows)
        runs.clean()


if __name__ == "__main__":
    main()
