# SPDX-License-Identifier: Apache-2.0
"""Runs the program under test."""

import json
import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(
    os.environ.get("REMATCH_SOURCE_DIR", Path(__file__).resolve().parents[2])
)
PROGRAM = Path(os.environ.get("REMATCH_PROGRAM", ROOT / "build/rematch")).resolve()
DATA = Path(__file__).resolve().parent / "data"
TIMEOUT = 120

ANSWERED, BAD_INPUT, INFEASIBLE, NOTHING_FOUND = 0, 2, 3, 4
EXIT_CODES = {
    "optimal": ANSWERED,
    "feasible": ANSWERED,
    "infeasible": INFEASIBLE,
    "unknown": NOTHING_FOUND,
}


def environment(**changes):
    """This process's environment without what changes how output looks."""
    result = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    result.update({"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **changes})
    return result


def run(*arguments, stdin=None, **options):
    """Runs one command; text in, text out."""
    return subprocess.run(
        [PROGRAM, *map(str, arguments)],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        encoding="utf-8",
        timeout=TIMEOUT,
        env=environment(),
        **options,
    )


def answer(*arguments, **options):
    """The standard output of a command that should succeed."""
    done = run(*arguments, **options)
    assert done.returncode == ANSWERED, done.stderr
    return done.stdout


def answer_json(*arguments, **options):
    return json.loads(answer(*arguments, "--json", **options))


def generate(path, *arguments):
    answer("generate", *arguments, "-o", path)


@cache
def strategy_names():
    listed = answer_json("strategies")["strategies"]
    return [strategy["name"] for strategy in listed]


@cache
def command_names():
    """The commands that --help lists."""
    listed = answer("--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]
