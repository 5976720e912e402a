# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends a search soon, and nothing else."""

import json
import subprocess
import sys

import pytest

# Sends the signal to itself from another thread, and tells what came of it.
SCRIPT = """
import json, os, signal, sys, threading, time
import rematch

graph = rematch.synthetic_graph("random", ops=2000, training=True)
sent = []

def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.7, interrupt).start()
try:
    rematch.solve(graph, "40%", strategy=sys.argv[1], time_limit=100)
    what = "answer"
except KeyboardInterrupt:
    what = "KeyboardInterrupt"
late = time.monotonic() - sent[0]
chain = rematch.synthetic_graph("chain", length=8, training=True)
print(json.dumps({"what": what, "late": late, "next": rematch.solve(chain, 4).cost}))
"""


@pytest.mark.parametrize("strategy", ["auto", "anneal", "milp"])
def test_ctrl_c_ends_a_search(strategy):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, strategy],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told["what"] == "KeyboardInterrupt"
    assert told["late"] < 5  # A loaded machine; usually a tenth of a second.
    assert told["next"] == 26


HANDLED = """
import os, signal, threading
import rematch

seen = []
signal.signal(signal.SIGUSR1, lambda *_: seen.append(1))
graph = rematch.synthetic_graph("random", ops=2000, training=True)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1)).start()
solution = rematch.solve(graph, "40%", time_limit=1.5)
print(len(seen), solution.stop_reason)
"""


def test_a_signal_that_is_handled_does_not_end_it():
    done = subprocess.run(
        [sys.executable, "-c", HANDLED], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["1", "time_limit"]
