# SPDX-License-Identifier: Apache-2.0
"""Every number on the page is the one that replay gives."""

import program
import pytest

PAGES = ["branch", "gpt2", "modules", "hostile"]


@pytest.fixture(params=PAGES)
def name(request):
    return request.param


def test_document_has_the_footprints_of_replay(pages, name):
    made = pages.page(name)
    measured = made.replay()
    plan = made.document()["plans"][1]
    computing = [i for i, step in enumerate(made.steps()) if "compute" in step]
    assert plan["footprint_bytes"] == [measured["footprint_bytes"][i] for i in computing]
    assert plan["peak_bytes"] == measured["peak_bytes"]
    assert plan["peak_step"] == measured["peak_step"]
    assert (plan["cost"], plan["overhead"]) == (measured["cost"], measured["overhead"])


def test_summary_shows_what_replay_measured(read_page, name):
    page = read_page(name)
    measured, claims = page.made.replay(), page.made.claims()
    assert page.value("#card-peak .big data") == measured["peak_bytes"]
    assert page.value("#card-overhead .big data") == measured["overhead"]
    assert page.value("#card-budget .big data") == claims["budget_bytes"]
    assert page.value("#card-gap .big data") == claims["gap"]
    runs = [step["compute"] for step in page.made.steps() if "compute" in step]
    again = len({op for op in runs if runs.count(op) > 1})
    assert page.value("#card-recomputed .big data") == again


def test_every_step_of_the_page_has_the_footprint_of_replay(read_page, name):
    page = read_page(name)
    seen = page.evaluate(
        """() => {
          const plan = read_report().plans[0];
          const bytes = [...plan.live_after];
          plan.step.forEach((step, column) => { bytes[step] = plan.footprint[column]; });
          return bytes;
        }"""
    )
    assert seen == page.made.replay()["footprint_bytes"]


def test_layers_add_up_to_the_footprint(read_page, name):
    page = read_page(name)
    wrong = page.evaluate(
        """() => {
          const {graph, plans: [plan]} = read_report();
          const wrong = [];
          for (const [way, , name_of] of groupings(graph)) {
            const layers = stack_of(plan, name_of);
            plan.footprint.forEach((bytes, column) => {
              const sum = layers.reduce((sum, layer) => sum + layer.series[column], 0);
              if (sum !== bytes) wrong.push([way, column, sum, bytes]);
            });
          }
          return wrong;
        }"""
    )
    assert wrong == []


def test_readout_shows_every_run_of_a_small_plan(open_page):
    page = open_page("branch")
    footprint = page.made.replay()["footprint_bytes"]
    steps = page.made.steps()
    page.locator("#memory-chart").focus()
    page.keyboard.press("Home")
    for step in (i for i, step in enumerate(steps) if "compute" in step):
        page.settle()
        assert page.step() == step
        assert page.value("#cursor-bytes data") == footprint[step]
        assert page.locator("#readout .name").get_attribute("data-name") == steps[step]["compute"]
        page.keyboard.press("ArrowRight")


def test_table_of_the_peak_is_what_replay_lists(read_page, name):
    page = read_page(name)
    live = [one for one in page.made.replay()["live_at_peak"] if one["bytes"] > 0]
    seen = page.evaluate(
        """() => {
          const plan = read_report().plans[0];
          return plan.live_at(plan.peak_column).map(({tensor, bytes}) =>
            ({tensor: plan.graph.tensor_name(tensor), bytes}));
        }"""
    )
    order = lambda one: (-one["bytes"], one["tensor"])  # noqa: E731
    assert sorted(seen, key=order) == sorted(live, key=order)
    shown = page.locator("#peak-table tbody tr").first
    assert float(shown.locator("data").first.get_attribute("value")) == max(
        [one["bytes"] for one in live] + [page.made.replay()["fixed_bytes"]]
    )


def test_keep_all_is_what_its_own_replay_says(pages, tmp_path):
    made = pages.page("gpt2")
    plan = tmp_path / "keep_all.json"
    program.answer("plan", made.graph, "-b", "100%", "-s", "keep_all", "-o", plan)
    measured = program.answer_json("replay", made.graph, plan)
    keep_all = made.document()["plans"][0]
    assert keep_all["peak_bytes"] == measured["peak_bytes"]
    assert keep_all["cost"] == measured["cost"]


def test_points_of_the_frontier_are_those_of_its_json(open_page):
    page = open_page("frontier")
    points = page.made.claims()["points"]
    seen = page.made.document()["curve"]["points"]
    for key in ("budget_bytes", "peak_bytes", "cost", "lower_bound", "strategy"):
        assert [point[key] for point in seen] == [point[key] for point in points]
    page.locator("summary").click()
    cells = page.locator("#frontier-table tbody tr td:nth-child(2) data")
    budgets = [float(cells.nth(i).get_attribute("value")) for i in range(cells.count())]
    assert budgets == sorted(budgets)
    assert set(budgets) == {point["budget_bytes"] for point in points}


def test_certificate_is_in_words(read_page):
    page = read_page("gpt2")
    claims = page.made.claims()
    words = page.locator("#certificate").inner_text()
    assert "of the best possible" in words
    gap = 100 * claims["gap"]
    assert any(f"within {gap:.{digits}f}%" in words for digits in (0, 1, 2, 4))
    floor = claims["peak_floor_bytes"] / 2**30
    assert f"{floor:.3f} GiB" in words


def test_page_is_small(tmp_path):
    for command in (("generate", "transformer", "--ops", 2000, "--training", "-o", "g.json"),
                    ("plan", "g.json", "-b", "50%", "-s", "gap", "--report", "page.html")):
        assert program.run(*command, cwd=tmp_path).returncode == 0
    assert (tmp_path / "page.html").stat().st_size < 1_000_000
