# SPDX-License-Identifier: Apache-2.0
"""The GPU, or the whole machine, for one of several processes at a time.

Models compile for minutes on a few cores and are timed for seconds, which must not be
disturbed. Processes that share a Gate compile at once. In `with gate.held():` one of
them has the machine, and the others stand still, with all that they have started; in
`with gate.held(quiet=False):` it has the GPU among those that ask for it.
"""

import fcntl
import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "REMATCH_PEERS_GATE"  # The file of the gate, and the process that made it.
_SETTLE_SECONDS = 0.05  # What the others have given the GPU still runs.


def children_of():
    """Processes by the one that started them."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in brackets, may hold anything.
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # It has ended.
            continue
        found.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    return found


def family_of(pid, without=None):
    """The process and all that it has started, but for one and what that has."""
    children, found, waiting = children_of(), set(), [pid]
    while waiting:
        one = waiting.pop()
        if one != without and one not in found:
            found.add(one)
            waiting += children.get(one, ())
    return found


def tell(pids, what):
    for pid in pids:
        try:
            os.kill(pid, what)
        except ProcessLookupError:
            pass


class Gate:
    """May be held again by who holds it."""

    def __init__(self, path, owner):
        """`owner` is the process that started all that share the gate, itself not
        stopped."""
        self.path, self.owner = Path(path), owner
        self.depth = 0
        self.stopped = set()
        self.file = None

    @classmethod
    def of_environment(cls):
        """Where nothing is said of a gate, one that is always open."""
        text = os.environ.get(VARIABLE)
        if not text:
            return cls("", 0)
        owner, _, path = text.partition(":")
        return cls(path, int(owner))

    def environment(self):
        """For processes that are to share it."""
        return {VARIABLE: f"{self.owner}:{self.path}"}

    @contextmanager
    def held(self, quiet=True):
        if not self.owner:
            yield
            return
        if not self.depth:
            self.file = self.path.open("w")
            fcntl.flock(self.file, fcntl.LOCK_EX)
        self.depth += 1
        is_first = quiet and not self.stopped
        try:
            if is_first:
                self._stop_others()
            yield
        finally:
            if is_first:
                tell(self.stopped, signal.SIGCONT)
                self.stopped = set()
            self.depth -= 1
            if not self.depth:
                self.file.close()

    def _stop_others(self):
        while more := (family_of(self.owner, without=os.getpid()) - {self.owner}
                       - self.stopped):
            self.stopped |= more
            tell(more, signal.SIGSTOP)
        time.sleep(_SETTLE_SECONDS)

    def around(self, function, quiet=False):
        """The function, which has the GPU, or the machine."""
        def call(*args, **kwargs):
            with self.held(quiet):
                return function(*args, **kwargs)

        return call
