# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: real clicks, keys and hover."""

import csv
import io
import json
import re
import xml.etree.ElementTree as xml

import program
import pytest


def box(page, selector):
    page.locator(selector).scroll_into_view_if_needed()
    return page.locator(selector).bounding_box()


def visible_columns(page, chart="#memory-chart"):
    page.settle()
    data = page.locator(chart).evaluate("(canvas) => ({...canvas.parentElement.dataset})")
    return int(data["from"]), int(data["to"])


def runs_of(made, number=0):
    return [step["compute"] for step in made.steps(number) if "compute" in step]


@pytest.mark.parametrize("name", ["branch", "gpt2", "modules", "compared", "frontier", "bare", "empty"])
def test_opens_without_a_message_or_a_request(read_page, name):
    page = read_page(name)
    assert page.title().endswith("Rematch report")
    page.picture(f"{name}-light", full_page=True)


def test_policy_allows_nothing_from_elsewhere(open_page):
    page = open_page("branch")
    policy = page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute("content")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    # What is not named by its hash does not run.
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.harmed = true";
          document.body.append(script);
        }"""
    )
    assert page.evaluate("window.harmed") is None
    assert any("Content Security Policy" in message for message in page.messages)
    page.messages.clear()


def test_hover_shows_the_run_under_the_pointer(read_page):
    page = read_page("gpt2")
    place = box(page, "#memory-chart")
    runs = len(runs_of(page.made))
    footprint = page.made.replay()["footprint_bytes"]
    left, right = 70, 14  # The margins of the plot.
    for share in (0.1, 0.5, 0.9):
        x = left + share * (place["width"] - left - right)
        page.mouse.move(place["x"] + x, place["y"] + place["height"] / 2)
        page.settle()
        shown = page.locator("#memory-chart").get_attribute("aria-valuenow")
        assert abs(int(shown) - share * runs) <= 1.5
        assert page.value("#cursor-bytes data") == footprint[page.step()]


def test_click_holds_the_cursor(open_page):
    page = open_page("gpt2")
    place = box(page, "#memory-chart")
    page.mouse.click(place["x"] + 300, place["y"] + 150)
    page.settle()
    held = page.step()
    page.mouse.move(place["x"] + 600, place["y"] + 150)
    page.settle()
    assert page.step() == held
    page.mouse.click(place["x"] + 600, place["y"] + 150)
    page.settle()
    assert page.step() != held


def test_keys_move_the_cursor_and_zoom(open_page):
    page = open_page("gpt2")
    chart = page.locator("#memory-chart")
    runs = runs_of(page.made)

    def column():
        page.settle()
        return int(chart.get_attribute("aria-valuenow"))

    chart.focus()
    page.keyboard.press("Home")
    assert column() == 0
    page.keyboard.press("ArrowRight")
    assert column() == 1
    page.keyboard.press("Shift+ArrowRight")
    assert column() == 11
    page.keyboard.press("ArrowLeft")
    assert column() == 10
    page.keyboard.press("End")
    assert column() == len(runs) - 1
    page.keyboard.press("p")
    column()
    assert page.step() == page.made.replay()["peak_step"]
    whole = visible_columns(page)
    assert whole == (0, len(runs) - 1)
    page.keyboard.press("+")
    closer = visible_columns(page)
    assert closer[1] - closer[0] < 0.6 * len(runs)
    assert closer[0] <= column() <= closer[1]
    page.keyboard.press("-")
    page.keyboard.press("0")
    assert visible_columns(page) == whole


def test_cursor_that_leaves_the_visible_part_takes_it_along(open_page):
    page = open_page("gpt2")
    page.locator("#memory-chart").focus()
    page.keyboard.press("p")
    for _ in range(4):
        page.keyboard.press("+")
    page.keyboard.press("End")
    _, last = visible_columns(page)
    assert last == len(runs_of(page.made)) - 1


def test_drag_zooms_both_pictures_and_double_click_shows_all(open_page):
    page = open_page("gpt2")
    whole = visible_columns(page)
    place = box(page, "#memory-chart")
    page.mouse.move(place["x"] + 200, place["y"] + 100)
    page.mouse.down()
    page.mouse.move(place["x"] + 400, place["y"] + 120, steps=3)
    page.mouse.up()
    closer = visible_columns(page)
    assert whole[0] < closer[0] < closer[1] < whole[1]
    assert visible_columns(page, "#schedule-chart") == closer
    page.picture("gpt2-zoomed", full_page=True)
    page.mouse.dblclick(place["x"] + 300, place["y"] + 100)
    assert visible_columns(page) == whole


def test_buttons_zoom_and_pan(read_page):
    page = read_page("gpt2")
    zoom = page.locator("#memory .controls")
    zoom.get_by_role("button", name="Zoom in").click()
    zoom.get_by_role("button", name="Zoom in").click()
    before = visible_columns(page)
    zoom.get_by_role("button", name="Move right").click()
    after = visible_columns(page)
    assert after[0] > before[0] and after[1] > before[1]
    zoom.get_by_role("button", name="Show all").click()
    assert visible_columns(page)[0] == 0


def test_axis_of_costs_keeps_the_cursor_in_place(read_page):
    page = read_page("gpt2")
    step = page.step()
    page.get_by_role("button", name="Cost", exact=True).click()
    page.settle()
    assert page.step() == step
    assert visible_columns(page) == (0, len(runs_of(page.made)) - 1)


def test_memory_can_be_grouped(read_page):
    page = read_page("modules")
    layers = page.locator("#memory .legend").nth(1)
    page.get_by_role("button", name="Module", exact=True).click()
    page.settle()
    assert "layer0" in layers.inner_text()
    page.get_by_role("button", name="Tensor", exact=True).click()
    page.settle()
    assert "layer0.attention" in layers.inner_text() or "layer" in layers.inner_text()
    assert "others" in layers.inner_text()
    page.get_by_role("button", name="Kind of op").click()
    page.settle()
    assert "dropout" in layers.inner_text()


def lives_in(steps, graph, tensor):
    """When a tensor is there, as [first step, last compute step], from the plan."""
    producer = next(
        op["name"] for op in graph["ops"]
        if tensor in [output["name"] for output in op["outputs"]]
    )
    lives, since, last = [], None, None
    for at, step in enumerate(steps):
        if "compute" in step:
            if step["compute"] == producer and since is None:
                since = at
            last = at
        elif step["drop"] == tensor:
            lives.append([since, last])
            since = None
    return lives + ([[since, last]] if since is not None else [])


def test_selected_tensor_shows_its_lives(read_page):
    page = read_page("gpt2")
    graph = json.loads(page.made.graph.read_text())
    page.locator("#rerun-table .link .name").first.click()
    name = page.locator("#details .name").first.get_attribute("data-name")
    tensor = page.locator("#details .facts").nth(1).locator(".name").first.get_attribute("data-name")
    runs = runs_of(page.made).count(name)
    assert page.locator("#selected-runs").inner_text() == str(runs) and runs > 1
    shown = page.locator("#lives span[data-from]")
    lives = [
        [int(shown.nth(i).get_attribute("data-from")), int(shown.nth(i).get_attribute("data-to"))]
        for i in range(shown.count())
    ]
    assert lives == lives_in(page.made.steps(), graph, tensor)
    assert len(lives) > 1
    assert "Dropped, which leaves room for" in page.locator("#lives").inner_text()
    page.picture("gpt2-selected", full_page=True)


def test_what_is_selected_comes_into_view(open_page):
    page = open_page("gpt2")
    page.locator("#memory-chart").focus()
    page.keyboard.press("End")
    for _ in range(5):
        page.keyboard.press("+")
    first, last = visible_columns(page)
    assert first > 0
    name = runs_of(page.made)[0]
    page.locator("#find").fill(name)
    page.locator("#found .row").first.click()
    shown = page.locator("#details .name").first.get_attribute("data-name")
    first, last = visible_columns(page)
    assert shown in runs_of(page.made)[first : last + 1]


def test_click_and_keys_select_rows_of_the_schedule(read_page):
    page = read_page("branch")
    ops = [op["name"] for op in json.loads(page.made.graph.read_text())["ops"]]
    place = box(page, "#schedule-chart")
    height = (place["height"] - 8 - 44) / len(ops)
    page.mouse.click(place["x"] + 300, place["y"] + 8 + 2.5 * height)
    selected = page.locator("#details .name").first
    assert selected.get_attribute("data-name") == ops[2]
    page.locator("#schedule-chart").focus()
    page.keyboard.press("ArrowDown")
    assert selected.get_attribute("data-name") == ops[3]
    assert ops[3] in page.locator("#schedule-chart").get_attribute("aria-valuetext")
    page.keyboard.press("Escape")
    assert "Nothing is selected" in page.locator("#details").inner_text()


def test_find_selects_by_a_part_of_a_name(read_page):
    page = read_page("gpt2")
    page.locator("#find").fill("softmax_backward")
    page.locator("#found .row").first.click()
    assert "softmax_backward" in page.locator("#details .name").first.inner_text()
    assert not page.locator("#found").is_visible()


def test_find_works_by_keys(open_page):
    page = open_page("gpt2")
    names = [op["name"] for op in json.loads(page.made.graph.read_text())["ops"]]
    find, found = page.locator("#find"), page.locator("#found")
    selected = page.locator("#details .name").first
    focused = "document.activeElement.id"
    find.fill(names[-1].upper())
    page.keyboard.press("Enter")
    assert selected.get_attribute("data-name") == names[-1]
    assert not found.is_visible() and page.evaluate(focused) == "schedule-chart"
    find.fill("add")
    shown = [name.get_attribute("data-name") for name in found.locator(".name").all()]
    count = sum("add" in name for name in names)
    assert len(shown) == 12 < count
    assert found.locator("li").last.inner_text() == f"and {count - 12} more"
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    assert selected.get_attribute("data-name") == shown[1]
    assert not found.is_visible() and page.evaluate(focused) == "schedule-chart"


def test_find_closes_and_says_when_there_is_nothing(open_page):
    page = open_page("branch")
    find, found = page.locator("#find"), page.locator("#found")
    find.fill("no such name")
    assert found.inner_text() == "no op or tensor of that name"
    page.keyboard.press("Enter")
    assert "Nothing is selected" in page.locator("#details").inner_text()
    page.keyboard.press("Escape")
    assert not found.is_visible() and find.input_value() == "no such name"
    find.fill("")
    assert not found.is_visible()
    find.fill("a")
    assert found.is_visible()
    page.locator("#memory-chart").focus()
    assert not found.is_visible()


def column_values(page, table, column):
    cells = page.locator(f"#{table} tbody tr td:nth-child({column}) data")
    return [float(cells.nth(i).get_attribute("value")) for i in range(cells.count())]


def test_tables_sort_by_any_column(read_page):
    page = read_page("gpt2")
    head = page.locator("#peak-table thead th").nth(1)
    assert head.get_attribute("aria-sort") == "descending"
    sizes = column_values(page, "peak-table", 2)
    assert sizes == sorted(sizes, reverse=True)
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    sizes = column_values(page, "peak-table", 2)
    assert sizes == sorted(sizes)
    page.locator("#peak-table thead th").first.locator("button").click()
    assert head.get_attribute("aria-sort") == "none"
    names = page.locator("#peak-table tbody tr td:first-child").all_inner_texts()
    assert names == sorted(names)


def test_tables_show_more_rows_on_demand(read_page):
    page = read_page("gpt2")
    rows = page.locator("#rerun-table tbody tr")
    assert rows.count() == 15
    page.locator("#rerun-table .more-rows").click()
    runs = runs_of(page.made)
    assert rows.count() == len({op for op in runs if runs.count(op) > 1})


def test_tables_are_copied_as_text(open_page):
    page = open_page("branch", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#peak-table").get_by_role("button", name="Copy").click()
    page.get_by_text("Copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    live = page.made.replay()["live_at_peak"]
    assert lines[0].split("\t")[:2] == ["tensor", "size"]
    assert sorted(line.split("\t")[0] for line in lines[1:]) == sorted(one["tensor"] for one in live)


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_theme_follows_the_system_and_the_choice(open_page):
    page = open_page("gpt2", color_scheme="dark")
    dark = background(page)
    page.picture("gpt2-dark", full_page=True)
    page.get_by_role("button", name="Light").click()
    light = background(page)
    assert light == "rgb(255, 255, 255)" != dark
    page.get_by_role("button", name="Auto").click()
    assert background(page) == dark
    page.emulate_media(color_scheme="light")
    page.settle()
    assert background(page) == light
    page.get_by_role("button", name="Dark").click()
    assert background(page) == dark
    assert page.get_by_role("button", name="Dark").get_attribute("aria-pressed") == "true"


def test_prints_on_white_without_controls(open_page):
    page = open_page("gpt2", color_scheme="dark")
    page.emulate_media(media="print")
    page.settle()
    assert background(page) == "rgb(255, 255, 255)"
    assert not page.locator("#memory .controls").is_visible()
    assert page.locator("#peak-table").is_visible()
    page.picture("gpt2-print", full_page=True)
    printed = page.pdf(format="A4", path=None)
    assert printed.startswith(b"%PDF") and len(printed) > 20_000


@pytest.mark.parametrize("name", ["gpt2", "compared", "hostile"])
def test_narrow_screens_need_no_sideways_scrolling(open_page, name):
    page = open_page(name, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.picture(f"{name}-narrow", full_page=True)


def test_comparison_has_a_column_per_plan_and_switches(read_page):
    page = read_page("compared")
    peaks = [page.made.replay(i)["peak_bytes"] for i in range(3)]
    cells = page.locator("#compare-table tbody tr", has_text="peak").locator("data")
    shown = [float(cells.nth(i).get_attribute("value")) for i in range(cells.count())]
    assert shown[1:] == peaks
    assert shown[0] == page.made.document()["plans"][0]["peak_bytes"]
    page.locator("#compare-table button").nth(3).click()
    page.settle()
    assert page.value("#card-peak .big data") == peaks[2]
    assert page.step() == page.made.replay(2)["peak_step"]
    page.locator("#compare-table button").nth(0).click()
    page.settle()
    assert page.value("#card-overhead .big data") == 0
    words = "The cheapest possible: every op runs once."
    assert page.locator("#certificate-lead").inner_text() == words


def test_whole_curve_opens_with_its_headline(read_page):
    page = read_page("frontier")
    points = [point for point in page.made.claims()["points"] if point["cost"] is not None]
    half = page.made.document()["curve"]["keep_all_peak_bytes"] // 2
    least = min(point["peak_bytes"] for point in points)
    headline = page.locator("#headline")
    shown = [int(data.get_attribute("value")) for data in headline.locator("data").all()]
    assert shown == [least, half]
    fits = [point["cost"] for point in points if point["peak_bytes"] <= half]
    if fits:
        overhead = min(fits) / page.made.document()["graph"]["base_cost"] - 1
        assert headline.inner_text().endswith(f"costs +{100 * overhead:.2f}%.")
    else:
        assert headline.inner_text().endswith("is too little for any plan.")
    assert page.locator("#summary > *").first.get_attribute("id") == "headline"


def test_legends_list_what_occurs(open_page):
    page = open_page("nothing")
    for section in ("#memory", "#schedule"):
        texts = " ".join(page.locator(f"{section} .legend").all_inner_texts())
        assert not any(word in texts for word in ("backward", "recomputed", "run again"))


def test_paper_says_how_many_rows_it_has(open_page):
    page = open_page("gpt2")
    words = page.locator("#rerun-table .on-paper")
    assert not words.is_visible()
    page.emulate_media(media="print")
    assert words.inner_text().startswith("15 of ") and words.inner_text().endswith(" rows")


def test_columns_do_not_touch(read_page):
    page = read_page("gpt2")
    gap = page.evaluate(
        """() => {
          const cell = document.querySelector("#peak-table td.number + td:not(.number)");
          return parseFloat(getComputedStyle(cell).paddingLeft);
        }"""
    )
    assert gap >= 8


def test_frontier_marks_tell_their_numbers(read_page):
    page = read_page("frontier")
    mark = page.locator("#frontier-chart .mark").first
    mark.focus()
    said = page.locator("#frontier-readout data").first.get_attribute("value")
    assert float(said) in [point["peak_bytes"] for point in page.made.claims()["points"]]
    chosen = page.locator("#frontier-chart .chosen").last
    chosen.focus()
    page.keyboard.press("Enter")
    page.settle()
    assert page.value("#card-peak .big data") == page.made.document()["plans"][-1]["peak_bytes"]


def highest(page):
    """The overhead of the cheapest plan at the least memory, and where its line is."""
    document = page.made.document()
    points = [point for point in document["curve"]["points"] if point["cost"] is not None]
    first = min(points, key=lambda point: (point["peak_bytes"], point["cost"]))
    d = page.locator("#frontier-chart path.cheapest").get_attribute("d")
    line = [float(y) for y in re.findall(r"[ML][^,]+,([^LM]+)", d)]
    return first["cost"] / document["graph"]["base_cost"] - 1, line


def test_frontier_leaves_the_plot_where_it_goes_on(open_page):
    page = open_page("gpt2")
    overhead, line = highest(page)
    area = page.locator("#frontier-plot rect")
    top = float(area.get_attribute("y"))
    assert line[0] < top < line[-1]
    assert top not in line
    assert page.locator("#frontier-above").text_content() == f"goes on to +{100 * overhead:.1f}%"
    page.locator("#frontier").scroll_into_view_if_needed()
    page.picture("frontier-above")
    page.get_by_role("button", name="Square root").click()
    _, line = highest(page)
    assert min(line) > top
    assert page.locator("#frontier-above").count() == 0


def test_frontier_has_a_scale_for_small_overheads(read_page):
    page = read_page("frontier")
    chosen = page.locator("#frontier-chart .chosen").first
    before = chosen.get_attribute("d")
    page.get_by_role("button", name="Square root").click()
    labels = page.locator("#frontier-chart text.end").all_text_contents()
    assert "+0.1%" in labels and "+0%" in labels
    page.get_by_role("button", name="Linear").click()
    assert chosen.get_attribute("d") == before


def test_bound_from_a_file_is_the_claim_of_the_file(read_page):
    page = read_page("branch")
    assert page.locator("#certificate-lead").inner_text().startswith("According to branch-0.json, ")
    words = "According to branch-0.json, this plan is "
    assert page.locator("#certificate").inner_text().startswith(words)
    assert page.locator("#card-gap").inner_text().endswith(", according to branch-0.json")
    page = read_page("frontier")
    assert "according to" not in page.locator("main").inner_text().lower()


def test_plan_without_a_certificate_says_so(read_page):
    page = read_page("bare")
    assert "without a certificate" in page.locator("#certificate-lead").inner_text()
    # The bound is one that the page has.
    points = page.made.document()["curve"]["points"]
    peak, cost = (page.made.replay()[name] for name in ("peak_bytes", "cost"))
    bound = max(p["lower_bound"] or 0 for p in points if p["budget_bytes"] >= peak)
    assert page.value("#card-gap .big data") == pytest.approx(cost / bound - 1)
    assert page.locator("#card-budget").count() == 0
    assert page.value("#card-peak .big data") == page.made.replay()["peak_bytes"]


def saved(page, button):
    with page.expect_download() as download:
        page.locator("#memory").get_by_role("button", name=button).click()
    return download.value.path().read_bytes()


def labels_of(page):
    """The texts of the memory curve."""
    picture = xml.fromstring(saved(page, "SVG").decode())
    return [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]


def test_nothing_is_no_share_of_nothing(open_page):
    page = open_page("nothing")
    assert "%" not in page.locator("#card-budget").inner_text()
    assert "%" not in page.locator("#card-peak").inner_text()
    assert page.locator("#memory").get_by_role("button", name="Cost").is_disabled()
    ticks = [text for text in labels_of(page) if re.fullmatch(r"[0-9.]+ B", text)]
    assert ticks == ["0 B", "1 B"]


def test_huge_numbers_are_short_on_the_page_and_exact_in_the_table(open_page):
    page = open_page("huge")
    assert "1.020e+268 s" in page.locator("#card-overhead").inner_text()
    assert not re.search(r"\d{9}e\+", page.locator("main").inner_text())
    lines = program.answer("report", page.made.plans[0], "--format", "csv")
    assert saved(page, "CSV").decode() == lines


def test_tiny_shares_are_not_nothing(open_page):
    page = open_page("branch")
    assert page.evaluate("format_percent(1e-8)") == "<0.0001%"
    assert page.evaluate("format_overhead(1e-6)") == "+0.0001%"


def test_cost_axis_can_be_zoomed_far(open_page):
    page = open_page("gpt2")
    page.locator("#memory").get_by_role("button", name="Cost").click()
    page.locator("#memory-chart").focus()
    for _ in range(20):
        page.keyboard.press("+")
    page.settle()
    labels = [text for text in labels_of(page) if text.endswith("s") and text[0].isdigit()]
    assert len(labels) > 2 and len(set(labels)) == len(labels)
    outside = page.evaluate(
        """() => {
          const canvas = document.getElementById("memory-chart");
          const {data} = canvas.getContext("2d").getImageData(0, 0, 60, canvas.height);
          return data.filter((value, i) => i % 4 === 3 && value > 0).length;
        }"""
    )
    assert outside == 0


def test_curves_are_saved_as_files(read_page):
    page = read_page("gpt2")
    assert saved(page, "Save as PNG").startswith(b"\x89PNG")
    picture = xml.fromstring(saved(page, "Save as SVG"))
    assert picture.tag.endswith("svg") and len(list(picture)) > 20
    rows = list(csv.DictReader(io.StringIO(saved(page, "Save as CSV").decode())))
    footprint = [int(row["footprint_bytes"]) for row in rows]
    assert footprint == page.made.replay()["footprint_bytes"]


@pytest.mark.parametrize("name", ["gpt2", "hostile"])
def test_saved_table_is_that_of_the_program(read_page, name):
    page = read_page(name)
    # As bytes: names have all kinds of line ends in them.
    written = program.answer("report", page.made.plans[0], "--format", "csv")
    assert saved(page, "Save as CSV").decode().replace("\r\n", "\n") == written.replace("\r\n", "\n")


def test_large_graph_stays_usable(open_page):
    page = open_page("large")
    page.locator("#memory-chart").focus()
    page.keyboard.press("End")
    page.settle()
    assert page.step() == max(i for i, step in enumerate(page.made.steps()) if "compute" in step)
    page.picture("large-light", full_page=True)
    print("ready after", page.evaluate("document.documentElement.dataset.ready"), "ms")
