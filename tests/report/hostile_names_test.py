# SPDX-License-Identifier: Apache-2.0
"""Names from strangers appear as text and break nothing."""

import json

import program
from hostile import NAMES, hostile_graph


def test_no_name_is_markup_or_script(read_page):
    page = read_page("hostile")
    assert page.evaluate("window.harmed") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("h1 .name").get_attribute("data-name") == NAMES["end_of_data"]
    assert page.locator("h1").inner_text() == NAMES["end_of_data"]
    page.picture("hostile-light", full_page=True)


def test_every_name_is_there_unchanged(read_page):
    page = read_page("hostile")
    names = page.evaluate("read_report().graph.ops.name")
    assert names == [op["name"] for op in hostile_graph()["ops"]]


def test_every_name_can_be_selected(read_page):
    page = read_page("hostile")
    page.locator("#schedule-chart").focus()
    for _ in range(len(NAMES)):
        page.keyboard.press("ArrowUp")
    for name in NAMES.values():
        assert page.locator("#details .name").first.get_attribute("data-name") == name
        page.keyboard.press("ArrowDown")
    assert page.evaluate("window.harmed") is None


def test_long_names_do_not_widen_the_page(read_page):
    page = read_page("hostile")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_data_ends_where_it_should(pages):
    text = pages.page("hostile").page.read_text(encoding="utf-8")
    assert text.count("</script>") == 2
    start = text.index('id="data">')
    data = text[start : text.index("</script>", start)]
    assert "<" not in data.removeprefix('id="data">')
    assert "\u2028" not in data and "\u2029" not in data


def test_exports_carry_the_names(pages):
    plan = pages.page("hostile").plans[0]
    trace = json.loads(program.answer("report", plan, "--format", "trace"))
    slices = [event["name"] for event in trace["traceEvents"] if event["ph"] == "X"]
    assert slices == list(NAMES.values())
    picture = program.answer("report", plan, "--format", "svg")
    assert "<script" not in picture
