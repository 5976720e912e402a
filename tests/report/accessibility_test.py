# SPDX-License-Identifier: Apache-2.0
"""The page for people who do not see it, or do not use a mouse."""

import pytest


def violations(page):
    """What axe finds, as short sentences."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="tools/setup browser installs axe"
    )
    found = axe.Axe().run(page.page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found
        for node in one["nodes"]
    ]


@pytest.mark.parametrize(
    "name, scheme",
    [("compared", "light"), ("compared", "dark"), ("hostile", "light"), ("frontier", "light")],
)
def test_axe_finds_nothing(open_page, name, scheme):
    page = open_page(name, color_scheme=scheme)
    page.locator("#peak-table .link").first.click()
    page.locator("details.more summary").click()
    page.settle()
    assert violations(page) == []


def test_everything_can_be_reached_with_the_tab_key(open_page):
    page = open_page("branch")
    seen = []
    for _ in range(45):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(
            "document.activeElement.id || document.activeElement.getAttribute('aria-label')"
            " || document.activeElement.textContent"
        ))
    for stop in ("memory-chart", "find", "schedule-chart", "Save as SVG", "Dark"):
        assert stop in seen, seen
    assert seen.index("memory-chart") < seen.index("schedule-chart")


def test_focus_is_visible(read_page):
    page = read_page("branch")
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"


def test_cursor_is_told_to_screen_readers(read_page):
    page = read_page("branch")
    chart = page.locator("#memory-chart")
    chart.focus()
    page.keyboard.press("Home")
    page.settle()
    assert chart.get_attribute("role") == "slider"
    assert chart.get_attribute("aria-valuetext").startswith("step 0, ")
    assert page.locator("#readout").get_attribute("aria-live") == "polite"
    assert "Step 0" in page.locator("#readout").inner_text()


def test_pictures_have_words_beside_them(read_page):
    page = read_page("branch")
    for chart in ("memory-chart", "schedule-chart"):
        canvas = page.locator(f"#{chart}")
        assert canvas.get_attribute("aria-label")
        help_id = canvas.get_attribute("aria-describedby")
        assert len(page.locator(f"#{help_id}").inner_text()) > 40
