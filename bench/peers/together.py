# SPDX-License-Identifier: Apache-2.0
"""Several models at once, each in a process of its own; one at a time is timed."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import kept
from alone import Gate, family_of, tell

_PEERS = Path(__file__).resolve().parent
# Locks of files that a stopped process holds would stop the others too.
_FOLDERS = ("REMATCH_CACHE", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")


def _started(name, args, folder, caches, gate, cpus):
    own = {variable: str(caches / f"{name}-{variable.lower()}")
           for variable in _FOLDERS}
    # Each would start as many compilers, and threads of a search, as there are processors.
    own["TORCHINDUCTOR_COMPILE_THREADS"] = str(cpus)
    return subprocess.Popen(
        [sys.executable, "-B", _PEERS, name, *args, "--threads", str(cpus), "--json",
         folder / f"{name}.json"],
        env={**os.environ, **own, **gate.environment()})


def _rows(names, folder):
    return [row for name in names for row in kept.read(folder / f"{name}.json")]


def run(names, count, args, there, write, caches=None):
    """All models, `count` at a time, with these arguments. `there` are rows that are not
    measured again; `write` is given the rows so far now and then; `caches`, a folder,
    keeps what was compiled and planned. Returns how many models failed."""
    failed, running, waiting = 0, [], list(names)
    cpus = max(1, len(os.sched_getaffinity(0)) // min(count, len(names)))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in names:
            kept.write(folder / f"{name}.json",
                       [row for row in there if row["model"] == name])
        gate = Gate.of_environment()
        if not gate.owner:
            gate = Gate(folder / "gate", os.getpid())
        try:
            while running or waiting:
                while waiting and len(running) < count:
                    running.append(_started(waiting.pop(0), args, folder,
                                            caches or folder, gate, cpus))
                time.sleep(1)
                for process in [one for one in running if one.poll() is not None]:
                    running.remove(process)
                    failed += process.returncode != 0
                    if process.returncode < 0:  # Perhaps inside the gate.
                        tell(family_of(gate.owner), signal.SIGCONT)
                write(_rows(names, folder))
        finally:
            tell(family_of(os.getpid()) - {os.getpid()}, signal.SIGKILL)
    return failed
