# SPDX-License-Identifier: Apache-2.0
"""What holds for every plan: any synthetic graph, any budget, any strategy."""

import json
import math
from dataclasses import dataclass
from functools import cache

import pytest
import reference_replay as reference
from program import EXIT_CODES, answer, answer_json, run, strategy_names

BUDGETS = (100, 80, 60, 40, 25)
SWEEP = (100, 90, 80, 70, 60, 50, 40, 30, 20)
# Searches use all the time that they have; what they find by then is enough.
SECONDS = {"auto": 2, "anneal": 1, "milp": 1, "lp_rounding": 1}
ROUNDING = 1e-9  # Of sums of costs, relative.

# Arguments of `rematch generate`.
GRAPHS = [
    "chain --length 5",
    "chain --length 4 --training",
    "chain --length 9 --training",
    "chain --length 6 --training --numbers realistic --seed 3",
    "chain --length 12 --training --numbers realistic --seed 4",
    "residual --length 1",
    "residual --length 2 --training",
    "unet --length 1 --training",
    "unet --length 2",
    "unet --length 2 --training",
    "transformer --length 1 --training",
    "transformer --length 2",
    "transformer --length 2 --training",
    "random --length 6 --training",
    "random --length 12 --seed 5",
    "random --length 15 --training --seed 2",
    "random --length 25 --training --seed 7 --numbers unit",
]


@dataclass(frozen=True)
class Case:
    graph: str
    budget: int  # Percent of the keep-all peak.
    strategy: str
    order: str = "fixed"

    def command(self):
        return (
            f"rematch generate {self.graph} | rematch plan - --budget "
            f"{self.budget}% --strategy {self.strategy} --order {self.order}"
        )


@dataclass(frozen=True)
class Answer:
    exit_code: int
    summary: dict  # What --json prints.
    solution: dict | None  # What -o writes.
    replay: dict | None  # What `rematch replay --json` says about that.


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("plans")


def graph_file(folder, graph):
    path = folder / (graph.replace(" ", "_") + ".json")
    if not path.exists():
        answer("generate", *graph.split(), "-o", path)
    return path


@cache
def ask(folder, case):
    graph = graph_file(folder, case.graph)
    output = folder / "solution.json"
    output.unlink(missing_ok=True)
    done = run(
        *("plan", graph, "--budget", f"{case.budget}%"),
        *("--strategy", case.strategy, "--order", case.order),
        *("--time-limit", SECONDS.get(case.strategy, 20), "--work-limit", 100_000, "-o", output, "--json"),
    )
    assert done.stderr == "", case.command()
    summary = json.loads(done.stdout)
    if not output.exists():
        return Answer(done.returncode, summary, None, None)
    replayed = answer_json("replay", graph, output)
    return Answer(done.returncode, summary, reference.load(output), replayed)


@pytest.fixture(params=GRAPHS)
def graph(request):
    return request.param


@pytest.fixture(params=strategy_names())
def strategy(request):
    return request.param


@pytest.fixture
def answers(folder, graph, strategy):
    """(case, answer) for each budget."""
    cases = [Case(graph, budget, strategy) for budget in BUDGETS]
    return [(case, ask(folder, case)) for case in cases]


@pytest.fixture
def plans(answers):
    """Those that have a plan."""
    return [(case, found) for case, found in answers if found.solution is not None]


def test_exit_code_says_the_outcome(answers):
    for case, found in answers:
        assert found.exit_code == EXIT_CODES[found.summary["outcome"]], case.command()


def test_plan_is_written_where_there_is_one(answers):
    for case, found in answers:
        has_plan = found.summary["outcome"] in ("optimal", "feasible")
        assert (found.solution is not None) == has_plan, case.command()
        assert (found.summary["cost"] is not None) == has_plan, case.command()


def test_file_says_what_the_summary_says(plans):
    for case, found in plans:
        for name, value in found.summary.items():
            if name == "seconds":
                continue
            assert found.solution[name] == value, (name, case.command())


def test_reference_replay_gives_the_same_peak_and_cost(folder, plans):
    for case, found in plans:
        document = reference.load(graph_file(folder, case.graph))
        expected = reference.replay(document, found.solution)
        assert found.summary["peak_bytes"] == expected.peak, case.command()
        assert found.summary["cost"] == expected.cost, case.command()
        assert math.isclose(
            expected.cost, expected.cost_of_steps(), rel_tol=ROUNDING
        ), case.command()


def test_reference_replay_gives_the_same_footprint_at_every_step(folder, plans):
    for case, found in plans:
        document = reference.load(graph_file(folder, case.graph))
        expected = reference.replay(document, found.solution)
        assert found.replay["footprint_bytes"] == expected.footprint, case.command()
        peak_step = expected.footprint.index(expected.peak)
        assert found.replay["peak_step"] == peak_step, case.command()


def test_replay_repeats_the_numbers_of_the_plan(plans):
    for case, found in plans:
        for name in ("peak_bytes", "fixed_bytes", "cost", "base_cost", "overhead"):
            same = found.replay[name] == found.summary[name]
            assert same, (name, case.command())


def test_peak_is_within_the_budget(plans):
    for case, found in plans:
        peak = found.summary["peak_bytes"]
        assert found.summary["peak_floor_bytes"] <= peak, case.command()
        assert peak <= found.summary["budget_bytes"], case.command()


def test_cost_is_not_below_the_bound(plans):
    for case, found in plans:
        bound = found.summary["lower_bound"]
        assert found.summary["cost"] >= bound, case.command()
        assert bound >= found.summary["base_cost"], case.command()


def test_optimal_means_that_cost_and_bound_meet(plans):
    for case, found in plans:
        if found.summary["outcome"] == "optimal":
            assert found.summary["cost"] == found.summary["lower_bound"], case.command()
            assert found.summary["gap"] == 0, case.command()


def test_infeasible_means_below_the_floor_or_proved(answers):
    for case, found in answers:
        below = found.summary["budget_bytes"] < found.summary["peak_floor_bytes"]
        if below:
            assert found.summary["outcome"] == "infeasible", case.command()
        if found.summary["outcome"] == "infeasible":
            assert found.summary["stop_reason"] == "proved", case.command()


def test_no_two_strategies_contradict_each_other(folder, graph):
    for budget in BUDGETS:
        found = {
            name: ask(folder, Case(graph, budget, name)).summary
            for name in strategy_names()
        }
        outcomes = {name: summary["outcome"] for name, summary in found.items()}
        costs = [s["cost"] for s in found.values() if s["cost"] is not None]
        bounds = [s["lower_bound"] for s in found.values() if s["lower_bound"]]
        if costs:
            assert "infeasible" not in outcomes.values(), (budget, outcomes)
            assert max(bounds) <= min(costs) * (1 + ROUNDING), (budget, found)


def test_auto_is_at_least_as_good_as_each_strategy(folder, graph):
    for budget in BUDGETS:
        best = ask(folder, Case(graph, budget, "auto")).summary["cost"]
        for name in set(strategy_names()) - set(SECONDS):
            cost = ask(folder, Case(graph, budget, name)).summary["cost"]
            assert cost is None or best <= cost, (graph, budget, name)


def test_auto_at_the_full_peak_is_optimal_without_overhead(folder, graph):
    found = ask(folder, Case(graph, 100, "auto")).summary
    assert (found["outcome"], found["overhead"]) == ("optimal", 0)


def test_proved_optimum_never_costs_more_with_more_budget(folder, graph):
    found = [ask(folder, Case(graph, budget, "auto")).summary for budget in SWEEP]
    costs = [summary["cost"] for summary in found if summary["outcome"] == "optimal"]
    assert costs == sorted(costs)  # Budgets shrink along the sweep.


def test_free_order_plan_replays_to_the_same_numbers(folder, graph):
    case = Case(graph, 60, "auto", order="free")
    found = ask(folder, case)
    if found.solution is None:
        return
    document = reference.load(graph_file(folder, graph))
    expected = reference.replay(document, found.solution, "free")
    assert found.summary["order"] == found.replay["order"] == "free"
    assert found.replay["footprint_bytes"] == expected.footprint, case.command()
    assert found.summary["cost"] == expected.cost, case.command()


def test_least_budget_is_the_peak_of_its_plan(folder, graph):
    path = graph_file(folder, graph)
    limits = ("--work-limit", 10_000, "--time-limit", 2)
    least = answer_json("plan", path, "--budget", "min", *limits)
    assert least["budget_bytes"] == least["peak_bytes"] >= least["peak_floor_bytes"]


def test_every_strategy_finds_a_plan_somewhere(folder, strategy):
    cases = [Case(graph, budget, strategy) for graph in GRAPHS for budget in BUDGETS]
    assert any(ask(folder, case).solution is not None for case in cases)
