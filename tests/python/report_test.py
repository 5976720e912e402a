# SPDX-License-Identifier: Apache-2.0
"""Pages that show plans."""

import json

import pytest
import rematch


def document(path):
    """The data of a page."""
    text = path.read_text(encoding="utf-8").partition('id="data">')[2]
    return json.loads(text.partition("</script>")[0])


def test_solution_is_shown_with_its_certificate(chain, tmp_path):
    solution = rematch.solve(chain, 5, strategy="gap")
    solution.report(chain, tmp_path / "page.html")
    plan = document(tmp_path / "page.html")["plans"][1]
    assert plan["peak_bytes"] == solution.peak_bytes
    assert plan["cost"] == solution.cost
    assert plan["certificate"]["budget_bytes"] == 5


def test_plan_is_shown_without_a_certificate(chain, tmp_path):
    plan = rematch.keep_all_plan(chain)
    plan.report(chain, str(tmp_path / "page.html"))
    shown = document(tmp_path / "page.html")["plans"][1]
    assert shown["certificate"] is None
    assert shown["peak_bytes"] == rematch.keep_all_peak(chain)


def test_frontier_is_shown_with_its_points(chain, tmp_path):
    frontier = rematch.solve_frontier(chain, num_points=4)
    frontier.report(chain, tmp_path / "page.html")
    curve = document(tmp_path / "page.html")["curve"]
    assert curve["whole"]
    assert [point["cost"] for point in curve["points"]] == [
        point.cost for point in frontier.points
    ]


def test_plans_are_compared(chain, tmp_path):
    plans = [
        ("tight", rematch.solve(chain, 4, strategy="gap")),
        ("all", rematch.keep_all_plan(chain)),
    ]
    rematch.report(chain, plans, tmp_path / "page.html")
    shown = document(tmp_path / "page.html")["plans"]
    assert [plan["label"] for plan in shown] == ["keep everything", "tight", "all"]


def test_same_plan_gives_the_same_page(chain, tmp_path):
    solution = rematch.solve(chain, 5, strategy="gap")
    for name in ("one", "two"):
        solution.report(chain, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_what_cannot_be_shown_is_refused(chain, tmp_path):
    page = tmp_path / "page.html"
    with pytest.raises(rematch.InvalidArgument, match="without a plan"):
        rematch.solve(chain, 1).report(chain, page)
    with pytest.raises(rematch.InvalidArgument, match="no plan to show"):
        rematch.report(chain, [], page)
    with pytest.raises(rematch.InvalidArgument, match="ends with .pdf, but a page is HTML"):
        rematch.keep_all_plan(chain).report(chain, tmp_path / "page.pdf")
    with pytest.raises(rematch.InvalidArgument, match="ends with .csv, but a page is HTML"):
        rematch.solve_frontier(chain, num_points=2).report(chain, "page.CSV")
    with pytest.raises(rematch.InvalidPlan):
        rematch.Plan([]).report(chain, page)
    other = rematch.synthetic_graph("chain", length=9, training=True)
    with pytest.raises(rematch.InvalidPlan):
        rematch.solve_frontier(chain, num_points=2).report(other, page)
    with pytest.raises(rematch.IoError, match="no such file"):
        rematch.keep_all_plan(chain).report(chain, tmp_path / "nowhere" / "page.html")
    assert not page.exists()
