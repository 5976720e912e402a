# SPDX-License-Identifier: Apache-2.0
"""Rows of bench/peers as a Markdown table.

Usage: python3 bench/peers/report.py [--summary | --beside | --claims] [--waited]
                                     ROWS.json ...

All rows; with `--summary` a line for each model, of the strongest of the others, of ours in
their memory, and of the least; with `--beside` a line for each row of the others, and the
fastest of ours in no more memory; with `--claims` what the rows say of ours against each of
the others, in no more memory, and of what was predicted. Times are of steps one after the
other; with `--waited` of steps that each begin when the GPU is idle.
"""

import argparse
import json
import statistics
from pathlib import Path

GIB = 2**30
# Of the summary: the head of a column, and the row that it shows.
SUMMARY = [("`torch.compile`", "compiled 1.0"), ("ours there", "ours at compiled 1.0"),
           ("every block, compiled", "compiled every block"),
           ("ours there", "ours at compiled every block"), ("ours, least", "ours least")]


def cells(row):
    if "error" in row:
        least = row.get("least")
        return ["", "", f"least {least / GIB:.3f} GiB" if least else "failed", "", ""]
    found = [f"{row['peak'] / GIB:.3f}", f"{row['ms']:.1f}"]
    if "as" in row:
        return [*found, f"as {row['as']}", "", ""]
    if "predicted" not in row:
        return [*found, "", "", ""]
    return [*found, f"{row['peak'] - row['predicted']:+d} B",
            f"{row['ms'] / row['predicted_ms'] - 1:+.1%}",
            "" if row["gap"] is None else f"{row['gap']:.2%}"]


def table(head, lines):
    lines = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def all_of(rows):
    head = ["model", "run as", "GiB", "ms", "peak against predicted",
            "time against predicted", "gap"]
    names = [row["model"] for row in rows]
    return table(head, [
        [name if name != before else "", row["way"], *cells(row)]
        for name, before, row in zip(names, [None, *names], rows)])


def by_model(rows):
    """Rows by how they were run, by model."""
    found = {}
    for row in rows:
        found.setdefault(row["model"], {})[row["way"]] = row
    return found


def summary(rows):
    def cell(row):
        return f"{row['peak'] / GIB:.2f}, {row['ms']:.1f}" if "peak" in row else ""

    return table(["model", *(head for head, _ in SUMMARY)], [
        [model, *(cell(ways.get(way, {})) for _, way in SUMMARY)]
        for model, ways in by_model(rows).items()])


def best_within(ways, peak):
    """The fastest of ours in no more memory, if there is one."""
    ours = [row for way, row in ways.items()
            if way.startswith("ours") and "peak" in row and row["peak"] <= peak]
    return min(ours, key=lambda row: row["ms"], default=None)


def pairs(rows):
    """Each of the others that ran, and the fastest of ours in no more memory or None."""
    for ways in by_model(rows).values():
        for way, row in ways.items():
            if not way.startswith("ours") and "peak" in row:
                yield row, best_within(ways, row["peak"])


def against(rows):
    """By how the others were run, and by model: how many times as long ours takes."""
    found = {}
    for row, ours in pairs(rows):
        found.setdefault(row["way"], {})[row["model"]] = ours and ours["ms"] / row["ms"]
    return found


def beside(rows):
    lines, before = [], None
    for row, ours in pairs(rows):
        lines.append([row["model"] if row["model"] != before else "", row["way"],
                      *cells(row)[:2], *(cells(ours)[:2] if ours else ["", ""]),
                      f"{ours['ms'] / row['ms'] - 1:+.1%}" if ours else ""])
        before = row["model"]
    return table(["model", "run as", "GiB", "ms", "ours GiB", "ms", "time"], lines)


def waited(rows):
    """With the times of steps that each begin when the GPU is idle, where known."""
    return [{**row, "ms": row["waited_ms"]} for row in rows if "waited_ms" in row]


def slower_with_more(rows):
    """By model, how much longer than one of ours in less memory another took at most; 0 if
    more memory never cost time."""
    found = {}
    for model, ways in by_model(rows).items():
        ours = sorted((row["peak"], row["ms"]) for way, row in ways.items()
                      if way.startswith("ours") and "peak" in row and "as" not in row)
        best, found[model] = ours[0][1] if ours else 0, 0.0
        for _, ms in ours:
            found[model] = max(found[model], ms / best - 1)
            best = min(best, ms)
    return found


def claims(rows):
    lines = []
    for way, ratios in against(rows).items():
        known = {model: ratio for model, ratio in ratios.items() if ratio}
        said = ", ".join(f"{model} {ratios[model] - 1:+.1%}" if model in known
                         else f"{model} needs more" for model in ratios)
        mean = f" (mean {statistics.geometric_mean(known.values()) - 1:+.1%})" \
            if known else ""
        lines.append(f"- time against {way}{mean}: {said}")
    planned = [row for row in rows if "predicted" in row and "as" not in row]
    if planned:
        off = max(abs(row["peak"] - row["predicted"]) / row["peak"] for row in planned)
        over = sum(row["peak"] > row["budget"] for row in planned if "budget" in row)
        times = [row["ms"] / row["predicted_ms"] - 1 for row in planned]
        lines += [f"- peak against predicted: {off:.3%} off at most, {over} of "
                  f"{len(planned)} above their budget",
                  f"- time against predicted: {min(times):+.1%} to {max(times):+.1%}",
                  "- slower in more memory by at most: " + ", ".join(
                      f"{model} {most:.1%}"
                      for model, most in slower_with_more(rows).items())]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--summary", dest="show", action="store_const", const=summary)
    shape.add_argument("--beside", dest="show", action="store_const", const=beside)
    shape.add_argument("--claims", dest="show", action="store_const", const=claims)
    parser.add_argument("--waited", action="store_true")
    parser.add_argument("rows", nargs="+", type=Path, metavar="ROWS.json")
    options = parser.parse_args()
    rows = [row for path in options.rows
            for row in json.loads(path.read_text(encoding="utf-8"))]
    rows = waited(rows) if options.waited else [row for row in rows if "peak" not in row
                                                or "ms" in row]
    print((options.show or all_of)(rows))


if __name__ == "__main__":
    main()
