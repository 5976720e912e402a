# SPDX-License-Identifier: Apache-2.0
"""Peak and time of training steps on a GPU, ours and others'.

Usage: python3 bench/peers [MODEL ...] [--kernels auto|eager|fused] [--peers LIST]
                           [--compile LIST] [--budgets LIST] [--time-limit S]
                           [--threads N] [--at-once N] [--row-limit S] [--json FILE]
                           [--graphs FOLDER] [--caches FOLDER]

For each model, in one run: torch.compile, checkpoint around every block under
torch.compile, eager, and checkpoint around every block, each followed by ours in the same
memory, unless ours was no slower in no more before; ours at the budgets given (shares are
of what keeping everything takes), and in the least memory that works, if `least` is one
of them; then torch.compile at PyTorch's own budgets, which are ratios and may take minutes
to compile, each followed by ours, too. Peaks are of requested bytes, everything on the
device counted; times are of forward, loss and backward.

With `--at-once` as many models compile at the same time, each in a process of its own with
its share of the processors, and all but one stand still while it is timed. A search may
lose its time then: give it more by `--time-limit`. A row of others that takes longer than
`--row-limit` is given up. Rows that are in the file of `--json` already are not measured
again, so that a run that was cut off is gone on with; `--caches` keeps what models at the
same time compiled and planned, so that it goes on sooner. `--graphs` writes each model's
measured graph. `report.py` makes a table of the rows, `picture.py` a picture.
"""

import argparse
import functools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import kept  # noqa: E402
import runs  # noqa: E402
import together  # noqa: E402
from covered import no_worse  # noqa: E402
from graphs import graph_text  # noqa: E402
from limit import TooLong, limited  # noqa: E402
from models import MODELS  # noqa: E402

GIB = 2**30


def rows_of(name, options, measured=()):
    """Of one model. `measured` are rows of it that are there already."""
    there = {row["way"]: row for row in measured}
    case = functools.cache(MODELS[name])  # Only if there is something to measure.

    def row(way, run):
        if way in there:
            return there[way]
        found = {"model": name, "way": way, **run(case())}
        runs.clean()
        return found

    ways = {"eager": runs.eager, "every block": runs.every_block,
            "compiled every block": runs.compiled_every_block}
    compiled = [(f"compiled {budget}", functools.partial(runs.compiled, budget=budget))
                for budget in options.compile]
    peers = [(way, ways[way]) for way in options.peers]

    def keep(graph, milliseconds):
        if options.graphs and not any(run.number for run in graph.schedule.runs):
            options.graphs.mkdir(parents=True, exist_ok=True)
            path = options.graphs / f"{name}.json"
            path.write_text(graph_text(graph, name, case().text, milliseconds),
                            encoding="utf-8")

    before = []  # Of ours.

    def ours(way, run):
        found = row(f"ours {way}", run)
        before.extend([found] * ("peak" in found and "as" not in found))
        return found

    def within(budget, on_graph=None):
        return functools.partial(runs.ours, budget=budget, options=options,
                                 on_graph=on_graph)

    def least(case):
        refused = within(1)(case)
        runs.clean()
        return within(refused["least"])(case) if refused.get("least") else refused

    def both(way, run):
        found = row(way, lambda case: run_of(functools.partial(run, case),
                                             options.row_limit))
        yield found
        if "peak" in found:
            known = no_worse(before, found)
            if known is None or f"ours at {way}" in there:
                yield ours(f"at {way}", within(found["peak"]))
            else:
                yield {**known, "way": f"ours at {way}", "as": known["way"]}

    for peer in (*compiled[:1], *peers):
        yield from both(*peer)
    for budget in options.budgets:
        yield ours(budget, least if budget == "least" else within(budget, keep))
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
                        default=names("least,25%,35%,50%,65%,80%,100%"))
    parser.add_argument("--peers", type=names,
                        default=names("compiled every block,eager,every block"))
    parser.add_argument("--kernels", default="auto")
    parser.add_argument("--compile", type=numbers,
                        default=[1.0, 0.7, 0.5, 0.3, 0.1, 0.0])
    parser.add_argument("--time-limit", type=float, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=1, metavar="N")
    parser.add_argument("--row-limit", type=float, default=0, metavar="S")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--graphs", type=Path, metavar="FOLDER")
    parser.add_argument("--caches", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    if unknown := [name for name in options.models if name not in MODELS]:
        parser.error(f"no model is called {unknown[0]}; there are {', '.join(MODELS)}")

    there = kept.read(options.json)

    def write(rows):
        kept.write(options.json, kept.merged(there, rows))

    if options.at_once > 1:
        sys.exit(min(1, together.run(options.models, options.at_once,
                                     arguments(options), there, write,
                                     options.caches)))
    runs.time_alone()
    rows = []
    for name in options.models:
        mine = [row for row in there if row["model"] == name]
        for row in rows_of(name, options, mine):
            if row not in mine:
                print(show(row), flush=True)
            rows.append(row)
            write(rows)
        runs.clean()


if __name__ == "__main__":
    main()
