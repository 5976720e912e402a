#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long it takes to prove plans of published and measured graphs optimal, on
one core.

Usage: bench/proofs.py [FOLDER] [--limit S] [--paper-limit S] [--only TEXT]
                       [--json FILE] [--program FILE]

FOLDER holds the published training graphs (default: ../shared/data beside the
tree); without it only the measured ones of data/h200 are solved. Each row is one
graph within one budget, solved by the split program; where the program as published
is of interest, it is solved beside it, and the last column is how many times longer
it took. A `>` says that it was stopped by its limit, `*` that the plan is proved
optimal.
"""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADER = ("graph", "budget", "outcome", "ratio", "bound", "seconds",
          "paper", "ratio", "bound", "seconds", "times")


@dataclass(frozen=True)
class Case:
    graph: str
    budget: str
    paper: bool = False  # Solve the program as published, too.
    folder: Path | None = None  # Of a graph that is part of the tree.

    @property
    def label(self):
        return f"{self.graph.removesuffix('.json')} {self.budget}"

    def path(self, folder):
        return (self.folder or folder) / self.graph


def measured():
    folder = ROOT / "data/h200"
    return [Case(path.name, budget, folder=folder)
            for path in sorted(folder.glob("*.json")) for budget in ("80%", "60%")]


def published():
    budgets = {
        "vgg16_b256_train.json": ["90%"],
        "fcn8_b32_train.json": ["70%", "62%"],
        "mobilenet_b512_train.json": ["80%", "50%", "40%", "30%", "20%"],
        "resnet50_b256_train.json": ["90%", "50%", "40%", "30%", "20%", "11.5%"],
        "rl100.json": ["80%", "70%"],
        "rl500.json": ["90%", "80%"],
    }
    paper = {
        ("vgg16_b256_train.json", "90%"),
        ("fcn8_b32_train.json", "70%"),
        ("mobilenet_b512_train.json", "80%"),
    }
    return [
        Case(graph, budget, (graph, budget) in paper)
        for graph, of_graph in budgets.items()
        for budget in of_graph
    ]


def solve(program, path, budget, formulation, limit):
    """The answer of the program, as its JSON summary."""
    command = [program, "plan", path, "--budget", budget, "--strategy", "milp"]
    command += ["--formulation", formulation, "--threads", "1"]
    command += ["--time-limit", str(limit), "--json"]
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False
    )
    if not done.stdout:
        sys.exit(f"proofs: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    base = answer["base_cost"] or 1
    return {
        "outcome": answer["outcome"],
        "ratio": answer["cost"] / base if answer["cost"] is not None else None,
        "bound": answer["lower_bound"] / base,
        "seconds": answer["seconds"],
        "proved": answer["outcome"] in ("optimal", "infeasible"),
    }


def run(case, folder, options):
    path = case.path(folder)
    row = {"graph": path.stem, "budget": case.budget, "paper": None, "times": None}
    row["split"] = solve(options.program, path, case.budget, "split", options.limit)
    if case.paper:
        paper = solve(
            options.program, path, case.budget, "paper", options.paper_limit
        )
        row["paper"] = paper
        row["times"] = paper["seconds"] / max(row["split"]["seconds"], 1e-6)
    return row


def cells_of(answer):
    if answer is None:
        return ["", "", "", ""]
    ratio = "-" if answer["ratio"] is None else f"{answer['ratio']:.6f}"
    mark = "*" if answer["outcome"] == "optimal" else " "
    return [
        answer["outcome"],
        ratio + mark,
        f"{answer['bound']:.6f}",
        f"{'' if answer['proved'] else '>'}{answer['seconds']:.3f}",
    ]


def cells(row):
    times = ""
    if row["times"] is not None and row["split"]["proved"]:
        stopped = not row["paper"]["proved"]
        times = f"{'>' if stopped else ''}{row['times']:.1f}x"
    return [
        row["graph"], row["budget"],
        *cells_of(row["split"]), *cells_of(row["paper"]), times,
    ]


def show(words):
    widths = (20, 7, 10, 10, 9, 8, 10, 10, 9, 8, 9)
    print("  ".join(f"{w:<{n}}" for w, n in zip(words, widths)).rstrip(), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(
        description="How long proofs take, on one core."
    )
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER",
                        default=ROOT.parent / "shared/data",
                        help="where the graphs are (default: ../shared/data)")
    parser.add_argument("--limit", type=float, default=60, metavar="S",
                        help="seconds for the split program (default: 60)")
    parser.add_argument("--paper-limit", type=float, default=60, metavar="S",
                        help="seconds for the published program (default: 60)")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only rows whose graph and budget contain this")
    parser.add_argument("--json", type=Path, metavar="FILE",
                        help="write the rows to this file, too")
    parser.add_argument("--program", type=Path, metavar="FILE",
                        default=ROOT / "build/release/bin/rematch",
                        help="the program (default: build/release/bin/rematch)")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if not options.program.is_file():
        sys.exit(f"proofs: there is no {options.program}; run make build")
    wanted = [case for case in [*published(), *measured()]
              if options.only in case.label]
    there = [case for case in wanted if case.path(options.folder).is_file()]
    for name in sorted({case.graph for case in wanted} - {c.graph for c in there}):
        print(f"proofs: the public graph {name} is not in {options.folder}")
    if not there:
        return
    show(HEADER)
    rows = []
    for case in there:
        rows.append(run(case, options.folder, options))
        show(cells(rows[-1]))
        if options.json:
            options.json.write_text(
                json.dumps({"rows": rows}, indent=2) + "\n", encoding="utf-8"
            )


if __name__ == "__main__":
    main()
