# SPDX-License-Identifier: Apache-2.0
"""Colours and pictures are for people who look at a terminal that can show them."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

import pytest
from program import PROGRAM, TIMEOUT, answer, environment, generate

ESCAPE = "\x1b"


def read_all(descriptor):
    chunks = []
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:  # Linux: the other side is closed.
            break
        if not chunk:
            break
        chunks.append(chunk)
    return b"".join(chunks).decode("utf-8")


def on_terminal(*arguments, columns=80, **variables):
    """What a terminal receives."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment(**variables),
    )
    os.close(theirs)
    try:
        return read_all(ours)
    finally:
        os.close(ours)
        process.wait(TIMEOUT)


def commands(chain):
    return {
        "plan": ["plan", chain, "--budget", 5],
        "compare": ["compare", chain, "--budgets", "50%,20%"],
        "frontier": ["frontier", chain, "--budgets", "50%,20%"],
        "strategies": ["strategies"],
    }


@pytest.mark.parametrize("name", commands(None))
def test_terminal_shows_colours(name, chain):
    assert ESCAPE in on_terminal(*commands(chain)[name])


@pytest.mark.parametrize("name", commands(None))
def test_pipe_has_no_escape_sequences(name, chain):
    assert ESCAPE not in answer(*commands(chain)[name])


@pytest.mark.parametrize("name", commands(None))
def test_no_color_turns_colours_off(name, chain):
    assert ESCAPE not in on_terminal(*commands(chain)[name], NO_COLOR="1")


@pytest.mark.parametrize("name", commands(None))
def test_dumb_terminal_has_no_colours(name, chain):
    assert ESCAPE not in on_terminal(*commands(chain)[name], TERM="dumb")


def test_empty_no_color_means_nothing(chain):
    assert ESCAPE in on_terminal("plan", chain, "--budget", 5, NO_COLOR="")


def test_json_has_no_colours_on_a_terminal(chain):
    assert ESCAPE not in on_terminal("plan", chain, "--budget", 5, "--json")


@pytest.mark.parametrize("name", ["plan", "strategies"])
def test_text_is_the_same_with_and_without_colours(name, chain):
    plain = on_terminal(*commands(chain)[name], NO_COLOR="1")
    words = [word for word in plain.split() if "." not in word]  # No seconds.
    coloured = on_terminal(*commands(chain)[name])
    assert all(word in coloured for word in words)


BLOCKS = set("▁▂▃▄▅▆▇█")


def chart(text):
    """The lines between the summary and the certificate."""
    return text.replace("\r", "").split("\n\n")[1].splitlines()


def test_plan_draws_its_memory_and_says_how_good_it_is(chain):
    seen = on_terminal("plan", chain, "--budget", 5, NO_COLOR="1")
    lines = chart(seen)
    assert len(lines) == 9
    assert any(line.endswith(" budget") and " 5 B " in line for line in lines)
    assert BLOCKS & set(seen)
    assert "the best possible within the budget, proved; no plan needs less" in seen


def test_picture_is_plain_where_the_locale_is(chain):
    seen = on_terminal("plan", chain, "--budget", 5, LC_ALL="C", NO_COLOR="1")
    assert seen.isascii() and "#" in seen


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_picture_fits_the_terminal(tmp_path, columns):
    graph = tmp_path / "graph.json"
    generate(graph, "transformer", "--length", 2, "--training")
    seen = on_terminal("plan", graph, "-b", "60%", "-s", "gap", columns=columns, NO_COLOR="1")
    widths = [len(line.rstrip()) for line in chart(seen)[:8]]
    assert max(widths) <= columns
    assert max(widths) > min(columns, 118) - 20


def test_terminal_that_is_too_narrow_gets_no_picture(chain):
    seen = on_terminal("plan", chain, "--budget", 5, columns=20, NO_COLOR="1")
    assert not BLOCKS & set(seen)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_pipe_gets_no_picture(chain, options):
    seen = answer("plan", chain, "--budget", 5, *options)
    assert not BLOCKS & set(seen) and "best possible within the budget" not in seen


def test_frontier_is_shown_while_it_fills_and_then_once(tmp_path):
    graph = tmp_path / "graph.json"
    generate(graph, "transformer", "--length", 4, "--training")
    command = ("frontier", graph, "--budgets", "40%,60%", "--time-limit", 2)
    seen = on_terminal(*command, NO_COLOR="1")
    assert seen.count("found by") > 1  # Headings.
    assert f"{ESCAPE}[A" in seen
    last = seen.split(ESCAPE)[-1]
    assert last.count("found by") == 1
    assert "60.0%" in last and "proved" in last


def test_batch_is_shown_while_it_grows(tmp_path):
    graph = tmp_path / "graph.json"
    generate(graph, "random", "--ops", 200, "--training")
    seen = on_terminal("max-batch", graph, "--memory", "1GB", "--overhead", "20%",
                       "--time-limit", 2, NO_COLOR="1")
    assert ", at most " in seen and f"{ESCAPE}[" in seen
    assert ", at most " not in seen.split(ESCAPE)[-1]


def test_reader_that_goes_away_is_no_news():
    generate = [PROGRAM, "generate", "chain", "--length", "20000"]
    with subprocess.Popen(
        generate, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode != 0
