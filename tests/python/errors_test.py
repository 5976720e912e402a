# SPDX-License-Identifier: Apache-2.0
"""Bad input raises the exception of its kind, with the sentence of the library."""

import pytest
import rematch


@pytest.mark.parametrize(
    "name, also",
    [
        ("InvalidArgument", ValueError),
        ("InvalidGraph", ValueError),
        ("InvalidPlan", ValueError),
        ("OutOfRange", ValueError),
        ("ParseError", ValueError),
        ("IoError", OSError),
    ],
)
def test_exceptions_are_errors_and_what_python_has(name, also):
    assert issubclass(getattr(rematch, name), (rematch.Error,))
    assert issubclass(getattr(rematch, name), also)


@pytest.mark.parametrize(
    "options, words",
    [
        ({"budget": "4X"}, "budget '4X' is not a size"),
        ({"budget": -1}, "budget '-1' is not a size"),
        ({"budget": True}, "budget 'True' is not a size"),
        ({"strategy": "best"}, "there is no strategy 'best' .there are auto,"),
        ({"order": "any"}, "order 'any' is not 'fixed' or 'free'"),
        ({"time_limit": -1}, "a time limit of -1 s"),
        ({"time_limit": float("nan")}, "a time limit of nan s"),
        ({"work_limit": 0}, "a work limit of 0"),
        ({"gap": -0.5}, "a gap of -0.5"),
        ({"threads": 0}, "0 threads"),
    ],
)
def test_options_that_make_no_sense(chain, options, words):
    with pytest.raises(rematch.InvalidArgument, match=words):
        rematch.solve(chain, **{"budget": 4, **options})


def test_a_start_that_is_no_plan_is_refused(chain):
    start = rematch.Plan([rematch.Step.compute(99)])
    with pytest.raises(rematch.InvalidPlan, match="op 99 does not exist"):
        rematch.solve(chain, 4, start=start)


def test_numbers_out_of_range(chain):
    with pytest.raises(rematch.OutOfRange, match="too many digits or is more than"):
        rematch.solve(chain, 2**80)
    with pytest.raises(rematch.OutOfRange):
        rematch.parse_bytes("99999999999GiB")


def test_a_budget_of_another_type_is_a_type_error(chain):
    with pytest.raises(TypeError):
        rematch.solve(chain, 1.5)


def test_a_graph_that_breaks_a_rule():
    builder = rematch.GraphBuilder().add_op("a", ["b"], 1)
    with pytest.raises(rematch.InvalidGraph, match="'b'"):
        builder.build()
    with pytest.raises(rematch.InvalidArgument, match="phase 'up' is not"):
        builder.add_op("c", [], 1, 1, "up")


def test_text_that_is_no_graph():
    with pytest.raises(rematch.ParseError, match="line 1"):
        rematch.Graph.from_json("{")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(rematch.IoError, match="no such file"):
        rematch.Graph.load(tmp_path / "none.json")
    with pytest.raises(OSError):
        rematch.Graph.load(tmp_path / "none.json")


def test_batch_questions_that_make_no_sense(chain):
    with pytest.raises(rematch.InvalidArgument):
        rematch.max_batch(chain, 1000, "some")
    with pytest.raises(rematch.InvalidArgument, match="a batch of 0"):
        rematch.max_batch(chain, 1000, "10%", graph_batch=0)
    with pytest.raises(rematch.InvalidArgument):
        rematch.synthetic_graph("chain", ops=-5)
    with pytest.raises(rematch.InvalidArgument, match="family 'tree' is not"):
        rematch.synthetic_graph("tree", ops=5)


def test_there_is_nothing_to_confirm_without_a_plan(chain):
    with pytest.raises(rematch.InvalidArgument, match="without a plan"):
        rematch.confirm(chain, rematch.solve(chain, 2))
