# SPDX-License-Identifier: Apache-2.0
"""Searches: answers, options, progress, threads."""

import json
import threading

import pytest
import rematch


def test_the_optimum_of_the_unit_chain_is_found(chain):
    solution = rematch.solve(chain, 4)
    assert solution.outcome == "optimal"
    assert (solution.cost, solution.lower_bound, solution.gap) == (26, 26, 0)
    assert solution.peak_bytes == 4
    assert solution.stop_reason == "proved"
    assert rematch.replay(chain, solution.plan).cost == 26
    assert rematch.confirm(chain, solution).peak_bytes == 4


def built_chain(n):
    """The same chain, op by op."""
    builder = rematch.GraphBuilder()
    names = [f"f{i}" for i in range(n)] + ["loss"] + [f"b{i}" for i in reversed(range(n))]
    for place, name in enumerate(names):
        reads = [names[place - 1]] if place else []
        reads += [names[2 * n - place]] if place > n else []
        builder.add_op(name, reads, 1, 1, "backward" if place > n else "forward")
    return builder.build()


def test_a_built_graph_has_the_same_optimum():
    assert rematch.solve(built_chain(8), 4).cost == 26


@pytest.mark.parametrize("budget, peak", [(4, 4), ("4", 4), ("4B", 4), ("40%", 4), ("min", 3)])
def test_budgets_as_people_write_them(chain, budget, peak):
    assert rematch.solve(chain, budget).peak_bytes == peak
    expected = None if budget == "min" else peak
    assert rematch.resolve_budget(chain, budget) == expected


def test_no_plan_has_no_numbers(chain):
    solution = rematch.solve(chain, 2)
    assert solution.outcome == "infeasible"
    measures = (solution.plan, solution.peak_bytes, solution.cost, solution.overhead)
    assert measures == (None, None, None, None)
    assert solution.gap is None
    assert solution.peak_floor_bytes == 3


def test_fields_are_those_of_the_json_summary(chain):
    solution = rematch.solve(chain, 5, strategy="dtr", seed=7)
    for name, value in json.loads(solution.summary_to_json()).items():
        assert getattr(solution, name) == pytest.approx(value, abs=1e-5), name


def test_a_solution_goes_round_through_json(chain):
    solution = rematch.solve(chain, 4)
    again = rematch.Solution.from_json(solution.to_json(chain), chain)
    assert (again.plan, again.cost, again.outcome) == (solution.plan, 26, "optimal")


def test_a_solution_of_another_graph_is_not_written(chain):
    solution = rematch.solve(chain, 4)
    other = rematch.synthetic_graph("chain", length=3, training=True)
    with pytest.raises(rematch.InvalidPlan):
        solution.to_json(other)


def test_the_least_peak_is_found(chain):
    assert rematch.solve_least_peak(chain).peak_bytes == 3


def test_a_start_is_taken(chain):
    start = rematch.keep_all_plan(chain)
    assert rematch.solve(chain, 10, strategy="anneal", work_limit=1000, start=start).cost == 17


def test_the_largest_batch(chain):
    answer = rematch.max_batch(chain, 1000, "55%")
    assert (answer.batch, answer.batch_bound, answer.outcome) == (250, 250, "optimal")
    assert answer.keep_all_batch == 100
    assert answer.solution.peak_bytes == 4
    assert rematch.max_batch(chain, "1000B", "55%", fixed="500B").batch == 125


def test_strategies_are_listed():
    names = [strategy.name for strategy in rematch.strategies()]
    assert names[0] == "auto"
    assert {"milp", "anneal", "gap", "dtr"} <= set(names)
    assert next(s for s in rematch.strategies() if s.name == "milp").exact


@pytest.mark.parametrize("strategy", [strategy.name for strategy in rematch.strategies()])
def test_every_strategy_answers(chain, strategy):
    solution = rematch.solve(chain, 7, strategy=strategy, time_limit=5)
    assert solution.strategy == strategy
    assert solution.plan is None or solution.peak_bytes <= 7


def test_the_time_limit_ends_a_search(hard):
    solution = rematch.solve(hard, "40%", time_limit=0.3)
    assert solution.stop_reason == "time_limit"
    assert solution.outcome != "infeasible"
    assert solution.seconds < 5


def test_progress_reaches_the_callers_thread(hard):
    seen = []

    def note(progress):
        seen.append((progress.cost, progress.lower_bound, threading.get_ident()))
        if progress.plan is not None:
            assert rematch.replay(hard, progress.plan).cost >= progress.lower_bound

    solution = rematch.solve(hard, "40%", time_limit=1, on_progress=note)
    assert seen
    assert {thread for _, _, thread in seen} == {threading.get_ident()}
    assert all(bound <= solution.lower_bound for _, bound, _ in seen)


def test_what_a_callback_raises_ends_the_search(hard):
    def refuse(progress):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        rematch.solve(hard, "40%", time_limit=60, on_progress=refuse)


def test_other_threads_run_meanwhile(hard):
    done = threading.Event()
    ticks = []

    def tick():
        while not done.wait(0.02):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    rematch.solve(hard, "40%", time_limit=0.6, threads=1)
    done.set()
    thread.join()
    assert len(ticks) >= 5


def test_two_threads_solve_at_once(chain):
    found = []

    def search(budget):
        solutions = [rematch.solve(chain, budget, threads=1) for _ in range(5)]
        found.append({solution.cost for solution in solutions})

    threads = [threading.Thread(target=search, args=(budget,)) for budget in (4, 4, 3, 10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found, key=sorted) == [{17}, {26}, {26}, {45}]


def test_the_frontier_falls(chain):
    found = rematch.solve_frontier(chain, num_points=5, time_limit=2)
    costs = [point.cost for point in found.points]
    assert len(costs) == 5
    assert costs == sorted(costs, reverse=True)
    assert found.points[-1].outcome == "optimal"
    assert 1 <= found.num_proved <= 5
    assert found.least_peak <= found.points[0].budget_bytes
    assert found.outcome in ("feasible", "optimal")


def test_the_frontier_takes_budgets(chain):
    found = rematch.solve_frontier(chain, ["90%", "50%", 10**9])
    assert [point.budget_bytes for point in found.points] == [
        rematch.resolve_budget(chain, "50%"), rematch.resolve_budget(chain, "90%"),
        10**9]
    with pytest.raises(rematch.InvalidArgument, match="at least 1, not 0"):
        rematch.solve_frontier(chain, num_points=0)
    with pytest.raises(rematch.Error):
        rematch.solve_frontier(chain, ["lots"])
