# SPDX-License-Identifier: Apache-2.0
"""A long run ends when it is told to, with the best answer that it has."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
import reference_replay as reference
from program import ANSWERED, NOTHING_FOUND, PROGRAM, environment, generate, run

SOON = 30  # Seconds, on a slow machine.


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A graph that takes minutes to plan."""
    path = tmp_path_factory.mktemp("large") / "graph.json"
    generate(path, "transformer", "--ops", "60000", "--training")
    return path


def catches(pid, number):
    """Whether a process has a handler for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def wait_until_searching(process):
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline and not catches(process.pid, signal.SIGINT):
        time.sleep(0.05)
    time.sleep(0.5)
    assert process.poll() is None, "the run ended before it could be interrupted"


def interrupted(graph, output, number):
    """(exit code, summary) of a long run that gets a signal."""
    process = subprocess.Popen(
        [PROGRAM, "plan", graph, "--budget", "50%", "--time-limit", "300"]
        + ["-o", output, "--json"],
        stdout=subprocess.PIPE,
        env=environment(),
    )
    try:
        wait_until_searching(process)
        process.send_signal(number)
        printed, _ = process.communicate(timeout=SOON)
    finally:
        process.kill()
    return process.returncode, json.loads(printed)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_gives_an_answer(large, tmp_path, number):
    output = tmp_path / "plan.json"
    code, found = interrupted(large, output, number)
    assert found["stop_reason"] == "interrupted"
    assert code == (ANSWERED if found["cost"] is not None else NOTHING_FOUND)
    assert output.exists() == (code == ANSWERED)
    assert code == NOTHING_FOUND or reference.load(output)["plan"]["steps"]


def test_time_limit_is_kept(large):
    start = time.monotonic()
    done = run("plan", large, "--budget", "50%", "--time-limit", 1, "--json")
    assert time.monotonic() - start < 60
    assert done.returncode in (ANSWERED, NOTHING_FOUND)


def test_time_limit_is_never_called_infeasible(large):
    done = run("plan", large, "--budget", "50%", "--time-limit", 0, "--json")
    found = json.loads(done.stdout)
    assert found["outcome"] in ("feasible", "unknown")
    assert found["stop_reason"] == "time_limit"


@pytest.mark.parametrize("limit", ["--time-limit", "--work-limit"])
def test_limit_leaves_a_proved_bound(chain, limit):
    least = "0" if limit == "--time-limit" else "1"
    done = run("plan", chain, "--budget", 4, limit, least, "--json")
    found = json.loads(done.stdout)
    assert found["lower_bound"] >= found["base_cost"] == 17


def test_work_limit_stops_at_the_same_place(chain):
    command = ("plan", chain, "--budget", 4, "-s", "exhaustive", "--work-limit", 50)
    found = json.loads(run(*command, "--json").stdout)
    assert (found["outcome"], found["stop_reason"]) == ("unknown", "work_limit")


def test_gap_accepts_a_plan_that_is_near_enough(chain):
    command = ("plan", chain, "--budget", 3, "--json", "--gap")
    assert json.loads(run(*command, "1000%").stdout)["cost"] >= 45
