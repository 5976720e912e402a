# SPDX-License-Identifier: Apache-2.0
"""The same input gives the same bytes, whatever the number of threads."""

import pytest
from program import answer, generate, strategy_names

GRAPHS = {
    "chain": ["chain", "--length", "8", "--training"],
    "random": ["random", "--length", "15", "--training"],
    "transformer": ["transformer", "--length", "1", "--training"],
}


@pytest.fixture(params=GRAPHS)
def graph(request, tmp_path):
    path = tmp_path / "graph.json"
    generate(path, *GRAPHS[request.param])
    return path


def planned(graph, *options):
    """The bytes of the file that `plan` writes."""
    output = graph.with_name("plan.json")
    answer("plan", graph, "--budget", "80%", "-o", output, *options)
    return output.read_bytes()


@pytest.mark.parametrize("options", GRAPHS.values(), ids=GRAPHS)
def test_generate_repeats_itself(options):
    assert answer("generate", *options) == answer("generate", *options)


def test_seed_changes_a_random_graph():
    one, two = (
        answer("generate", "random", "--length", 15, "--seed", seed) for seed in (1, 2)
    )
    assert one != two


def test_plan_repeats_itself(graph):
    assert planned(graph) == planned(graph)


def test_plan_does_not_depend_on_the_number_of_threads(graph):
    assert planned(graph, "--threads", 1) == planned(graph, "--threads", 2)


def curve(graph, *options):
    command = ("frontier", graph, "--points", 5, "--csv", "--work-limit", 1000)
    return answer(*command, "--time-limit", 100, *options)


def test_frontier_with_a_work_limit_does_not_depend_on_the_number_of_threads(graph):
    assert curve(graph, "--threads", 1) == curve(graph, "--threads", 2)


@pytest.mark.parametrize("strategy", strategy_names())
def test_strategy_repeats_itself(strategy, tmp_path):
    graph = tmp_path / "graph.json"
    generate(graph, *GRAPHS["chain"])
    options = ("--strategy", strategy, "--budget", "100%")
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in files:
        answer("plan", graph, *options, "-o", file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_output_replaces_what_was_there(graph):
    output = graph.with_name("plan.json")
    output.write_text("what was there\n" * 10_000)
    assert planned(graph).startswith(b"{") and output.read_bytes().endswith(b"}\n")


def test_output_leaves_no_temporary_file(graph):
    planned(graph)
    names = {path.name for path in graph.parent.iterdir()}
    assert names == {"graph.json", "plan.json"}


def test_import_of_our_own_graph_changes_no_byte(graph):
    assert answer("import", graph) == graph.read_text(encoding="utf-8")
