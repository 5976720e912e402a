# SPDX-License-Identifier: Apache-2.0
"""Known costs and peaks on the uniform training chain: n forward ops, a loss, n
backward ops, each of cost 1 and 1 byte."""

import json
from functools import cache

import pytest
from program import ANSWERED, INFEASIBLE, answer, run

# (n, budget) -> the least cost of any plan.
LEAST_COST = {
    (8, 3): 45,
    (8, 4): 26,
    (8, 5): 22,
    (8, 6): 21,
    (16, 4): 67,
    (32, 3): 561,
    (32, 5): 130,
    (32, 10): 89,
}
# n -> (cost, peak) of checkpoints at every sqrt(n)-th op.
CHEN_SQRT = {4: (11, 5), 8: (21, 7), 16: (45, 10), 32: (89, 14)}
LENGTHS = (1, 2, 4, 8, 16, 32)
PLENTY = "1MiB"


@cache
def chain(n):
    return answer("generate", "chain", "--length", n, "--training")


def plan(n, budget, strategy):
    """(exit code, summary) of planning the chain of length n."""
    command = ("plan", "-", "--budget", budget, "--strategy", strategy, "--json")
    done = run(*command, stdin=chain(n))
    return done.returncode, json.loads(done.stdout)


def cost_and_peak(n, strategy):
    _, found = plan(n, PLENTY, strategy)
    return found["cost"], found["peak_bytes"]


@pytest.mark.parametrize("n, budget", LEAST_COST)
def test_chain_dp_finds_the_known_optimum(n, budget):
    _, found = plan(n, budget, "chain_dp")
    assert found["cost"] == LEAST_COST[n, budget]


@pytest.mark.parametrize("n, budget", LEAST_COST)
def test_chain_dp_proves_its_optimum(n, budget):
    code, found = plan(n, budget, "chain_dp")
    assert (code, found["outcome"], found["gap"]) == (ANSWERED, "optimal", 0)


@pytest.mark.parametrize("n, budget", LEAST_COST)
def test_auto_finds_the_known_optimum(n, budget):
    _, found = plan(n, budget, "auto")
    assert (found["outcome"], found["cost"]) == ("optimal", LEAST_COST[n, budget])


@pytest.mark.parametrize("n, budget", LEAST_COST)
def test_revolve_is_not_below_the_known_optimum(n, budget):
    _, found = plan(n, budget, "revolve")
    assert found["cost"] is None or found["cost"] >= LEAST_COST[n, budget]


@pytest.mark.parametrize("strategy", ["chain_dp", "auto", "keep_all", "dtr"])
@pytest.mark.parametrize("n", [8, 16, 32])
def test_two_bytes_are_infeasible(n, strategy):
    code, found = plan(n, 2, strategy)
    assert (code, found["outcome"]) == (INFEASIBLE, "infeasible")
    assert found["peak_floor_bytes"] == 3


@pytest.mark.parametrize("n", LENGTHS)
def test_keep_all_computes_every_op_once(n):
    assert cost_and_peak(n, "keep_all") == (2 * n + 1, n + 2)


@pytest.mark.parametrize("n", LENGTHS)
def test_keep_last_recomputes_from_the_start_for_each_backward_op(n):
    cost = 2 * n + 1 + n * (n + 1) // 2
    assert cost_and_peak(n, "keep_last") == (cost, 3)


@pytest.mark.parametrize("n", CHEN_SQRT)
def test_chen_sqrt_has_its_known_cost_and_peak(n):
    assert cost_and_peak(n, "chen_sqrt") == CHEN_SQRT[n]
