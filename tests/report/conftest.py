# SPDX-License-Identifier: Apache-2.0
"""What the tests of the page share: pages made once, and one browser."""

import json
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "cli"))

import program  # noqa: E402  (needs the path above)
from hostile import hostile_graph  # noqa: E402

# Pictures of the pages, for people to look at.
ARTEFACTS = program.PROGRAM.parent.parent / "report_pictures"
DATA = program.ROOT / "data"


@dataclass
class Made:
    """A page, and the files that it was made from."""

    page: Path
    graph: Path
    plans: list[Path]

    def replay(self, number=0):
        return program.answer_json("replay", self.graph, self.plans[number])

    def steps(self, number=0):
        document = json.loads(self.plans[number].read_text(encoding="utf-8"))
        return document.get("plan", document)["steps"]

    def claims(self, number=0):
        return json.loads(self.plans[number].read_text(encoding="utf-8"))

    def document(self):
        """The data in the page."""
        text = self.page.read_text(encoding="utf-8")
        found = re.search(
            r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL
        )
        return json.loads(found[1])


class Pages:
    """Makes each page once."""

    def __init__(self, folder):
        self.folder = folder
        self.made = {}

    def page(self, name):
        if name not in self.made:
            self.made[name] = getattr(self, f"make_{name}")()
        return self.made[name]

    def planned(self, name, graph, *budgets, strategy="gap"):
        plans = [self.folder / f"{name}-{i}.json" for i in range(len(budgets))]
        for plan, budget in zip(plans, budgets):
            program.answer(
                "plan", graph, "--budget", budget, "--strategy", strategy, "-o", plan
            )
        page = self.folder / f"{name}.html"
        program.answer("report", *plans, "-o", page)
        return Made(page, graph, plans)

    def make_branch(self):
        return self.planned("branch", DATA / "branch.json", "80%")

    def make_gpt2(self):
        return self.planned("gpt2", DATA / "h200" / "gpt2.json", "50%")

    def make_compared(self):
        return self.planned("compared", DATA / "vgg19.json", "90%", "80%", "min")

    def make_modules(self):
        graph = self.folder / "transformer.json"
        program.generate(graph, "transformer", "--ops", 400, "--training")
        return self.planned("modules", graph, "40%")

    def make_large(self):
        graph = self.folder / "large.json"
        program.generate(graph, "transformer", "--ops", 20000, "--training")
        return self.planned("large", graph, "60%")

    def make_bare(self):
        """A plan that came alone, without a certificate, in a free order."""
        made = self.make_branch()
        plan, page = self.folder / "bare.json", self.folder / "bare.html"
        plan.write_text(json.dumps(made.claims()["plan"]), encoding="utf-8")
        program.answer("report", plan, "-g", made.graph, "--order", "free", "-o", page)
        return Made(page, made.graph, [plan])

    def make_empty(self):
        graph = self.folder / "empty.json"
        document = {"format": "rematch.graph", "version": 1, "ops": []}
        graph.write_text(json.dumps(document), encoding="utf-8")
        return self.planned("empty", graph, "100%")

    def make_nothing(self):
        """Ops that cost nothing and make tensors of no bytes."""
        graph = self.folder / "nothing.json"
        ops = [{"name": f"op{i}", "inputs": [f"op{i - 1}"][: i], "cost": 0,
                "outputs": [{"name": f"op{i}", "bytes": 0}]} for i in range(6)]
        document = {"format": "rematch.graph", "version": 1, "ops": ops}
        graph.write_text(json.dumps(document), encoding="utf-8")
        return self.planned("nothing", graph, "100%")

    def make_huge(self):
        """Sizes that need more than 53 bits, and costs near the largest."""
        graph = self.folder / "huge.json"
        ops = [{"name": f"op{i}", "inputs": [f"op{i - 1}"][: i], "cost": 1.7e267 + i,
                "outputs": [{"name": f"op{i}", "bytes": 2**56 + i}]} for i in range(6)]
        document = {"format": "rematch.graph", "version": 1, "cost_unit": "s", "ops": ops}
        graph.write_text(json.dumps(document), encoding="utf-8")
        return self.planned("huge", graph, "100%")

    def make_hostile(self):
        graph = self.folder / "hostile.json"
        graph.write_text(json.dumps(hostile_graph()), encoding="utf-8")
        return self.planned("hostile", graph, "100%")

    def make_frontier(self):
        graph, page = DATA / "vgg19.json", self.folder / "frontier.html"
        points = self.folder / "points.json"
        program.answer("frontier", graph, "--points", 6, "-o", points, "--report", page)
        return Made(page, graph, [points])


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    return Pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def browser():
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium; tools/setup browser installs it")
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="tools/setup browser installs playwright"
    )
    ARTEFACTS.mkdir(exist_ok=True)
    with playwright.sync_playwright() as driver:
        # Without a sandbox: containers have no user to put it in.
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@dataclass
class Opened:
    """An open page, and what it did that it should not."""

    page: object
    made: Made
    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def __getattr__(self, name):
        return getattr(self.page, name)

    def value(self, selector):
        """The exact number behind a shown one."""
        return float(self.page.locator(selector).get_attribute("value"))

    def step(self):
        return int(self.page.locator("#readout .where").get_attribute("data-step"))

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )

    def picture(self, name, **options):
        self.settle()
        self.page.screenshot(path=ARTEFACTS / f"{name}.png", **options)


class Windows:
    """Opens pages, and says what they did that they should not."""

    def __init__(self, browser, pages):
        self.browser = browser
        self.pages = pages
        self.opened = []

    def open(self, name, width=1280, height=900, **options):
        made = self.pages.page(name)
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, offline=True, **options
        )
        page = Opened(context.new_page(), made)
        self.opened.append(page)
        page.page.on("request", lambda request: page.requests.append(request.url))
        page.page.on("console", lambda message: page.messages.append(message.text))
        page.page.on("pageerror", lambda error: page.messages.append(str(error)))
        page.page.on("dialog", lambda dialog: page.messages.append(dialog.message))
        page.page.goto(made.page.as_uri())
        page.page.locator("html[data-ready]").wait_for(state="attached")
        page.settle()
        return page

    def complaints(self):
        for page in self.opened:
            yield from page.messages
            own = page.made.page.as_uri()
            yield from (
                url for url in page.requests if url != own and not url.startswith("blob:")
            )

    def close(self):
        for page in self.opened:
            page.page.context.close()


@pytest.fixture
def open_page(browser, pages):
    """Opens a page by name; fails in the end if it complained or loaded anything."""
    windows = Windows(browser, pages)
    yield windows.open
    windows.close()
    assert list(windows.complaints()) == []


@pytest.fixture(scope="session")
def windows(browser, pages):
    """Windows that stay open, by page."""
    return Windows(browser, pages), {}


@pytest.fixture
def read_page(windows):
    """The same for tests that do not mind what others did: opened once."""
    shared, by_name = windows

    def read(name):
        if name not in by_name:
            by_name[name] = shared.open(name)
        return by_name[name]

    yield read
    assert list(shared.complaints()) == []
