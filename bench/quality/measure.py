# SPDX-License-Identifier: Apache-2.0
"""Runs cases and keeps what came out, row by row, so that nothing is lost."""

import json
import os
import platform
import resource
import subprocess
import tempfile
from dataclasses import asdict
from pathlib import Path

import suites


CASE = ("suite", "graph", "budget", "strategy", "limit", "threads", "order", "seed")
RESULT = ("outcome", "ratio", "bound", "seconds")


def key(row):
    """What two rows about the same case agree in."""
    return tuple(row[name] for name in CASE)


def read(path):
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict) or "rows" not in data:
        raise ValueError(f"{path} is not a file of measurements: it has no rows")
    for i, row in enumerate(data["rows"]):
        for name in CASE + RESULT:
            if name not in row:
                raise ValueError(f"{path}: row {i} has no '{name}'")
    return data


def write(path, data):
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    os.replace(part, path)


class Graphs:
    """The files of the graphs; made here where they are synthetic."""

    def __init__(self, program, folder, scratch):
        self.program = program
        self.folder = folder
        self.scratch = Path(scratch)

    def path(self, name):
        """None if it is not there."""
        if name.startswith("transformer "):
            return self.transformer(int(name.split()[1]))
        path = self.folder / f"{name}.json"
        return path if path.is_file() else None

    def transformer(self, ops):
        path = self.scratch / f"transformer_{ops}.json"
        if not path.is_file():
            subprocess.run([self.program, "generate", "transformer", "--training",
                            "--ops", str(ops), "-o", path], check=True)
        return path


def solve(program, path, case):
    """One row. Memory is that of the largest process so far: an upper bound."""
    command = [program, "plan", path, "--budget", case.budget,
               "--strategy", case.strategy, "--time-limit", case.limit,
               "--threads", case.threads, "--order", case.order,
               "--seed", case.seed, "--json"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          check=False)
    if not done.stdout:
        raise ValueError(f"{case.label}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    base = answer["base_cost"] or 1
    cost, bound = answer["cost"], answer["lower_bound"]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    return asdict(case) | {
        "outcome": answer["outcome"],
        "ratio": None if cost is None else cost / base,
        "bound": None if bound is None else bound / base,
        "gap": answer["gap"],
        "seconds": answer["seconds"],
        "most_memory_bytes": memory,
    }


def line(row):
    ratio = "no plan" if row["ratio"] is None else f"{row['ratio']:.6f}"
    bound = "-" if row["bound"] is None else f"{row['bound']:.6f}"
    mark = "*" if row["outcome"] == "optimal" else " "
    return (f"{row['suite']:<10}  {row['graph']:<20}  {row['budget']:<6}  "
            f"{row['strategy']:<18}  {row['limit']:>5g} s  {row['order']:<5}  "
            f"{ratio:>9}{mark} {bound:>9}  {row['seconds']:.3f} s")


def machine():
    return {"cores": os.cpu_count(), "system": platform.machine()}


def run(options):
    if not options.program.is_file():
        raise ValueError(f"there is no {options.program}; run make build")
    wanted = [case for case in suites.cases(options.suites)
              if options.only in case.label]
    data = {"machine": machine(), "rows": []}
    if options.output.is_file():
        data = read(options.output)
    done = {key(row) for row in data["rows"]}
    missing = set()
    with tempfile.TemporaryDirectory() as scratch:
        graphs = Graphs(options.program, options.graphs, scratch)
        for case in wanted:
            path = graphs.path(case.graph)
            if path is None and case.graph not in missing:
                missing.add(case.graph)
                print(f"the public graph {case.graph} is not in {options.graphs}")
            if path is None or key(asdict(case)) in done:
                continue
            row = solve(options.program, path, case)
            print(line(row), flush=True)
            data["rows"].append(row)
            write(options.output, data)
    return 0
