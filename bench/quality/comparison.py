# SPDX-License-Identifier: Apache-2.0
"""What changed from one file of measurements to another."""

import math

import measure


def ratio_of(row):
    return math.inf if row["ratio"] is None else row["ratio"]


def change(before, after, tolerance):
    """better, worse or same; a proof of the same cost is better than none."""
    was, now = ratio_of(before), ratio_of(after)
    if was != now and not abs(now - was) <= tolerance:
        return "better" if now < was else "worse"
    proved = [row["outcome"] in ("optimal", "infeasible") for row in (before, after)]
    if proved[0] != proved[1]:
        return "better" if proved[1] else "worse"
    return "same"


def mean_overhead(rows):
    found = [row["ratio"] for row in rows if row["ratio"] is not None]
    if not found:
        return math.nan
    return math.exp(sum(map(math.log, found)) / len(found)) - 1


def run(options):
    before = {measure.key(row): row for row in measure.read(options.before)["rows"]}
    after = {measure.key(row): row for row in measure.read(options.after)["rows"]}
    both = [name for name in before if name in after]
    counts = {"better": 0, "worse": 0, "same": 0}
    for name in both:
        word = change(before[name], after[name], options.tolerance)
        counts[word] += 1
        if word != "same":
            print(f"{word:<6} {measure.line(before[name])}")
            print(f"       {measure.line(after[name])}")
    for where, only in ((options.before, before.keys() - after.keys()),
                        (options.after, after.keys() - before.keys())):
        if only:
            print(f"{len(only)} rows only in {where}")
    found = [name for name in both if before[name]["ratio"] is not None
             and after[name]["ratio"] is not None]
    print(", ".join(f"{n} {word}" for word, n in counts.items()))
    print(f"mean overhead where both have a plan: "
          f"{mean_overhead([before[n] for n in found]):.4%} before, "
          f"{mean_overhead([after[n] for n in found]):.4%} after")
    return 1 if counts["worse"] else 0
