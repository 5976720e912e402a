# SPDX-License-Identifier: Apache-2.0
"""Rows that were measured before, in a file."""

import json


def read(path):
    """All of them; none if there is no file."""
    if path is None or not path.exists():
        return []
    return json.loads(path.read_text(encoding="utf-8"))


def write(path, rows):
    if path is not None:
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(path)


def merged(before, rows):
    """Each row once, those of a model together, models in the order in which they
    came."""
    found = {}
    for row in (*before, *rows):
        found.setdefault(row["model"], {})[row["way"]] = row
    return [row for ways in found.values() for row in ways.values()]
