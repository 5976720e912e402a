# SPDX-License-Identifier: Apache-2.0
"""Rows of bench/peers as a Markdown table.

Usage: python3 bench/peers/report.py ROWS.json ...
"""

import json
import sys
from pathlib import Path

GIB = 2**30


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


def table(rows):
    head = ["model", "run as", "GiB", "ms", "peak against predicted",
            "time against predicted", "gap"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    before = None
    for row in rows:
        name = row["model"] if row["model"] != before else ""
        before = row["model"]
        lines.append("| " + " | ".join([name, row["way"], *cells(row)]) + " |")
    return "\n".join(lines)


def main():
    rows = [row for path in sys.argv[1:]
            for row in json.loads(Path(path).read_text(encoding="utf-8"))]
    print(table(rows))


if __name__ == "__main__":
    main()
