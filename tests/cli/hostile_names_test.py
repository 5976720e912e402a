# SPDX-License-Identifier: Apache-2.0
"""Names in a file come from strangers: they reach a terminal only tamed, and a
file unchanged."""

import json
import unicodedata

import pytest
import reference_replay as reference
from program import BAD_INPUT, PROGRAM, answer, answer_json, run

NAMES = {
    "markup": "<script>alert('x')</script>",
    "newline": "two\nlines\r\nand\ta tab",
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "eight_bit_escape": "\u009b31mred",
    "line_separator": "two\u2028lines",
    "right_to_left": "\u202egnp.txt\u2066\u200f",
    "delete": "\x7f\x08\x08",
    "long": "x" * 10_000,
    "long_emoji": "a" + "🙂" * 3000,
    "emoji": "🧠👩‍👩‍👧",
    "quotes": "\"'`$(ls) \\ %s {} {0} %n",
    "space": " ",
}
NUMBERS = {"bytes": 4, "cost": 1}
LINE_END = "\n"
# Embeddings, overrides and isolates, which reorder the text around them.
REORDERING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def document(name):
    """A graph in which everything is called `name`, and a bit more."""
    return {
        "format": "rematch.graph",
        "version": 1,
        "name": name,
        "description": name,
        "cost_unit": name,
        "inputs": [{"name": name + "input", "bytes": 8}],
        "ops": [
            {"name": name, "kind": name, "inputs": [name + "input"], **NUMBERS},
            {"name": name + "2", "inputs": [name], **NUMBERS},
            {"name": name + "3", "inputs": [name, name + "2"], **NUMBERS},
        ],
    }


@pytest.fixture(params=NAMES)
def name(request):
    return NAMES[request.param]


@pytest.fixture
def graph(name, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(document(name)))
    return path


@pytest.fixture
def solution(graph):
    path = graph.with_name("plan.json")
    answer("plan", graph, "--budget", "100%", "-o", path)
    return path


def broken_plan(graph, name):
    """A plan file that reads what it dropped."""
    path = graph.with_name("broken.json")
    steps = [{"compute": name}, {"drop": name}, {"compute": name + "2"}]
    plan = {"format": "rematch.plan", "version": 1, "steps": steps}
    path.write_text(json.dumps(plan))
    return path


def broken_graph(graph, name):
    """A graph file in which an op reads what is not there."""
    path = graph.with_name("broken_graph.json")
    broken = document(name)
    broken["ops"][0]["inputs"] = [name + "nowhere"]
    path.write_text(json.dumps(broken))
    return path


def texts(graph, solution, name):
    """Everything that the program says to people about the graph."""
    for arguments in (
        ["inspect", graph],
        ["plan", graph, "--budget", "100%"],
        ["plan", graph, "--budget", 1],
        ["compare", graph, "--budgets", "100%"],
        ["replay", graph, solution],
        ["replay", graph, broken_plan(graph, name)],
        ["inspect", broken_graph(graph, name)],
        ["inspect", name.replace("\n", "")[:200]],
        ["plan", graph, "--budget", name[:200]],
        ["plan", graph, "--budget", "1", "--strategy", name[:200]],
        [name[:200]],
    ):
        done = run(*arguments)
        yield arguments[0], done.stdout + done.stderr


def test_no_control_character_reaches_the_terminal(graph, solution, name):
    for command, text in texts(graph, solution, name):
        controls = [c for c in text if unicodedata.category(c) == "Cc"]
        assert set(controls) <= {LINE_END}, (command, text)


def test_no_reordering_character_reaches_the_terminal(graph, solution, name):
    for command, text in texts(graph, solution, name):
        assert not REORDERING & set(text), (command, text)


def test_text_for_people_stays_short(graph, solution, name):
    for command, text in texts(graph, solution, name):
        assert len(text) < 5000, command


def test_error_is_one_line_of_valid_text(graph, name):
    done = run("replay", graph, broken_plan(graph, name))  # Decodes strictly.
    assert done.returncode == BAD_INPUT
    assert done.stderr.startswith("rematch: ") and done.stderr.count(LINE_END) == 1


def test_error_about_the_graph_is_one_line_of_valid_text(graph, name):
    done = run("inspect", broken_graph(graph, name))
    assert done.returncode == BAD_INPUT
    assert done.stderr.startswith("rematch: ") and done.stderr.count(LINE_END) == 1


def test_inspect_prints_the_name_unchanged_as_json(graph, name):
    assert answer_json("inspect", graph)["name"] == name


def test_infeasible_answer_is_valid_json(graph):
    found = json.loads(run("plan", graph, "--budget", 1, "--json").stdout)
    assert found["outcome"] == "infeasible"


def test_plan_names_the_ops_unchanged(solution, name):
    steps = reference.steps_of(reference.load(solution))
    computed = [step["compute"] for step in steps if "compute" in step]
    assert computed == [name, name + "2", name + "3"]


def test_plan_replays(graph, solution, name):
    expected = reference.replay(document(name), reference.load(solution))
    measured = answer_json("replay", graph, solution)
    assert measured["footprint_bytes"] == expected.footprint


def test_import_keeps_every_name(graph, name):
    again = json.loads(answer("import", graph))
    assert [op["name"] for op in again["ops"]] == [name, name + "2", name + "3"]
    assert (again["name"], again["cost_unit"]) == (name, name)


def test_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "binary.json"
    path.write_bytes(PROGRAM.read_bytes()[:4096])
    done = run("inspect", path)
    assert (done.returncode, done.stdout) == (BAD_INPUT, "")
    assert done.stderr.count(LINE_END) == 1
