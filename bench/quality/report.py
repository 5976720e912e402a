# SPDX-License-Identifier: Apache-2.0
"""docs/results.md, from a file of measurements."""

import statistics
from pathlib import Path

import measure
import suites

HEAD = """# Results

Made by `bench/quality`; [bench/README.md](../bench/README.md) says how to make it
again. A number is the cost of the plan as a multiple of computing every op once;
`*` marks a proved optimum, `-` that no plan was found, and a range
`bound - cost` what is left open. Budgets are shares of the keep-all peak. The
graphs are the published ones of Checkmate (training graphs) and Moccasin
(`rl100`, `rl500`). Measured on {cores} cores of a shared machine.
"""

# Duration increase in percent at 90% / 80% / 70%, as published.
PUBLISHED = {
    "rl100": ("0.8 (19 s) / 2.3 (23 s)", "0.8 (9 s) / 2.3 (10 s)", "0 / 0.3 / 2.2"),
    "rl500": ("none / none", "0.7 (1803 s) / 3.4 (1805 s)", "0.03 / 2.3 / 4.8"),
    "fcn8_b32_train": ("0.0 (6 s) / 0.1 (6 s)", "0.0 (3 s) / 0.1 (3 s)",
                       "0.1 / 0.1 / 3.0"),
    "resnet50_b256_train": ("0.1 (434 s) / 0.3 (485 s)", "0.2 (65 s) / 0.3 (69 s)",
                            "0.2 / 0.4 / 0.8"),
}


def table(head, rows):
    lines = ["| " + " | ".join(line) + " |" for line in [head, *rows]]
    lines.insert(1, "|" + "---|" * len(head))
    return "\n".join(lines) + "\n"


def digits(ratio):
    return f"{ratio:.5f}"


def cell(row, with_bound=False):
    if row is None:
        return ""
    if row["outcome"] == "infeasible":
        return "infeasible"
    if row["ratio"] is None:
        return "-"
    if row["outcome"] == "optimal":
        return digits(row["ratio"]) + "\\*"
    if with_bound and row["bound"] is not None:
        return f"{digits(row['bound'])} - {digits(row['ratio'])}"
    return digits(row["ratio"])


class Rows:
    def __init__(self, rows):
        self.rows = rows

    def where(self, **wanted):
        return Rows([row for row in self.rows
                     if all(row[name] == value for name, value in wanted.items())])

    def one(self, **wanted):
        found = self.where(**wanted).rows
        return found[0] if found else None

    def names(self, field):
        return list(dict.fromkeys(row[field] for row in self.rows))


def anytime(rows):
    rows = rows.where(suite="anytime")
    limits = rows.names("limit")
    lines = []
    for graph in rows.names("graph"):
        for budget in rows.where(graph=graph).names("budget"):
            at = rows.where(graph=graph, budget=budget)
            lines.append([graph, budget, *(cell(at.one(limit=limit), with_bound=True)
                                           for limit in limits)])
    return ("## `auto` as time goes by\n\nTwo threads, fixed order.\n\n"
            + table(["graph", "budget", *(f"{limit:g} s" for limit in limits)], lines))


def strategies(rows):
    rows = rows.where(suite="strategies")
    names = rows.names("strategy")
    parts = ["## Every strategy\n\nOne thread, fixed order; 5 s for `lp_rounding`, "
             "`milp` and `anneal`.\n"]
    for graph in rows.names("graph"):
        budgets = rows.where(graph=graph).names("budget")
        lines = [[name, *(cell(rows.one(graph=graph, budget=budget, strategy=name))
                          for budget in budgets)] for name in names]
        parts.append(f"### {graph}\n\n" + table(["strategy", *budgets], lines))
    return "\n".join(parts)


def anneal(rows):
    rows = rows.where(suite="anneal")
    lines = []
    for graph in rows.names("graph"):
        for budget in rows.where(graph=graph).names("budget"):
            at = rows.where(graph=graph, budget=budget)
            short = [row["ratio"] for row in at.where(limit=1).rows]
            median = ""
            if short:
                found = None not in short
                median = digits(statistics.median(short)) if found else "-"
            lines.append([graph, budget, median, cell(at.one(limit=30))])
    return ("## `anneal` alone\n\nFixed order. At 1 s the median of "
            f"{suites.SEEDS} seeds on one thread; at 30 s one run on two threads.\n\n"
            + table(["graph", "budget", "1 s", "30 s"], lines))


def increase(row):
    if row is None or row["ratio"] is None:
        return "none"
    mark = "\\*" if row["outcome"] == "optimal" else ""
    return f"{100 * (row['ratio'] - 1):.2f}{mark} ({row['seconds']:.1f} s)"


def published(rows):
    rows = rows.where(suite="published")
    lines = []
    for graph in rows.names("graph"):
        ours = [" / ".join(increase(rows.one(graph=graph, budget=budget, order=order))
                           for budget in ("90%", "80%", "70%"))
                for order in ("fixed", "free")]
        milp, moccasin, fast = PUBLISHED[graph]
        lines.append([graph, milp, moccasin, ours[0], fast, ours[1]])
    return ("## Beside published results\n\nIncrease of the duration in percent at "
            "90% / 80% / 70% of the peak, and the time it took. Checkmate's program "
            "and Moccasin: fixed order, 90% / 80%, 16 cores, from Moccasin's paper. "
            "FastSA: free order, one thread; on rl100 and rl500 at 70% its plans "
            "missed the budget. Ours: `auto`, up to 10 s on two threads.\n\n"
            + table(["graph", "Checkmate, fixed", "Moccasin, fixed", "Rematch, fixed",
                     "FastSA, free", "Rematch, free"], lines))


def scale(rows):
    lines = []
    for row in rows.where(suite="scale").rows:
        gap = "" if row["gap"] is None else f"{100 * row['gap']:.3f}%"
        bound = "" if row["bound"] is None else digits(row["bound"])
        lines.append([row["graph"], row["budget"], cell(row), bound, gap,
                      f"{row['seconds']:.2f} s",
                      f"{row['most_memory_bytes'] / 2**20:.0f} MiB"])
    return ("## Transformers of any size\n\nFrom `rematch generate transformer "
            "--training --ops N`; `auto` on two threads. Memory is that of the "
            "largest process up to the row.\n\n"
            + table(["graph", "budget", "plan", "bound", "gap", "time", "memory"],
                    lines))


def run(options):
    data = measure.read(options.file)
    rows = Rows(data["rows"])
    parts = [HEAD.format(cores=data["machine"]["cores"])]
    for part in (anytime, published, anneal, scale, strategies):
        if rows.where(suite=part.__name__).rows:
            parts.append(part(rows))
    Path(options.output).write_text("\n".join(parts), encoding="utf-8")
    return 0
