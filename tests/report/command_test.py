# SPDX-License-Identifier: Apache-2.0
"""`rematch report` and `--report`: files whole or not at all, one sentence else."""

import json
import os
import shutil
import xml.etree.ElementTree as xml

import pytest
from program import ANSWERED, BAD_INPUT, INFEASIBLE, ROOT, answer, answer_json, run

DATA = ROOT / "data"


@pytest.fixture
def folder(tmp_path):
    shutil.copy(DATA / "vgg19.json", tmp_path / "graph.json")
    answer("plan", "graph.json", "-b", "80%", "-s", "gap", "-o", "plan.json", cwd=tmp_path)
    return tmp_path


def refused(folder, *arguments):
    """The one sentence of a command that fails and leaves the folder as it was."""
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = run(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (BAD_INPUT, "")
    assert done.stderr.startswith("rematch: ") and done.stderr.count("\n") == 1
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert after == before
    return done.stderr.removeprefix("rematch: ").strip()


def test_plan_knows_its_graph(folder):
    document = json.loads((folder / "plan.json").read_text())
    assert document["version"] == 1
    assert document["graph_file"]["path"] == "graph.json"
    assert document["graph_file"]["ops"] == 51


def test_plan_alone_is_enough(folder):
    answer("report", "plan.json", "-o", "page.html", cwd=folder)
    page = (folder / "page.html").read_text()
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")


def test_graph_is_found_from_anywhere(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    answer("report", folder / "plan.json", "-o", elsewhere / "page.html", cwd=elsewhere)
    assert (elsewhere / "page.html").stat().st_size > 10_000


def test_same_input_gives_the_same_page(folder):
    for name in ("one.html", "two.html"):
        answer("report", "plan.json", "-o", name, cwd=folder)
    assert (folder / "one.html").read_bytes() == (folder / "two.html").read_bytes()
    assert answer("report", "plan.json", cwd=folder) == (folder / "one.html").read_text()


def test_plan_writes_the_page_that_report_writes(folder):
    answer("plan", "graph.json", "-b", "80%", "-s", "gap", "--report", "one.html", cwd=folder)
    answer("report", "plan.json", "-o", "two.html", cwd=folder)
    one, two = ((folder / name).read_text() for name in ("one.html", "two.html"))
    # What was proved in the same process is nobody's claim.
    assert '"claimed_by": "plan.json"' in two
    own = two.replace('"claimed_by": "plan.json"', '"claimed_by": ""')
    assert one.replace('"label": "gap"', '"label": "plan"') == own


def test_floor_above_that_of_the_graph_is_refused(folder):
    document = json.loads((folder / "plan.json").read_text())
    floor = document["peak_floor_bytes"]
    document["peak_floor_bytes"] = floor + 1
    (folder / "wrong.json").write_text(json.dumps(document))
    assert refused(folder, "report", "wrong.json", "-o", "page.html") == (
        f"wrong.json: it claims that no plan has a peak below {floor + 1} bytes, but what "
        f"must be live at once takes {floor}"
    )


def test_claims_about_a_fixed_order_are_none_about_a_free_one(folder):
    answer("report", "plan.json", "--order", "free", "-o", "page.html", cwd=folder)
    assert '"claimed_by"' not in (folder / "page.html").read_text()
    answer("replay", "graph.json", "plan.json", "--order", "free", cwd=folder)


def test_no_plan_no_page(folder):
    (folder / "old.html").write_text("a page")
    for command in (["plan", "graph.json", "-b", 1], ["frontier", "graph.json", "--budgets", "1"]):
        for name in ("page.html", "old.html"):
            done = run(*command, "--report", name, cwd=folder)
            assert done.returncode == INFEASIBLE
            assert done.stderr == f"rematch: no plan, so no page: '{name}' is not written\n"
        done = run(*command, "--report", "-", cwd=folder)
        assert (done.returncode, done.stdout) == (INFEASIBLE, "")
        assert done.stderr.endswith("rematch: no plan, so no page\n")
    assert not (folder / "page.html").exists()
    assert (folder / "old.html").read_text() == "a page"


def test_page_on_standard_output_comes_alone(folder):
    for command in (["plan", "graph.json", "-b", "80%", "-s", "gap"],
                    ["frontier", "graph.json", "--points", 2, "-s", "gap"]):
        done = run(*command, "--report", "-", cwd=folder)
        assert done.returncode == ANSWERED
        assert done.stdout.startswith("<!doctype html>")
        assert done.stdout.rstrip().endswith("</html>")


def test_plan_without_its_graph_says_so(folder):
    document = json.loads((folder / "plan.json").read_text())
    (folder / "bare.json").write_text(json.dumps(document["plan"]))
    assert refused(folder, "report", "bare.json", "-o", "page.html") == (
        "bare.json: it does not say which graph it is for; --graph does"
    )
    answer("report", "bare.json", "--graph", "graph.json", "-o", "page.html", cwd=folder)


def test_graph_that_is_gone_is_named(folder):
    (folder / "graph.json").rename(folder / "moved.json")
    assert refused(folder, "report", "plan.json", "-o", "page.html") == (
        "plan.json: its graph is not where it says: graph.json: cannot be read: "
        "no such file or directory; --graph says where it is"
    )
    answer("report", "plan.json", "--graph", "moved.json", "-o", "page.html", cwd=folder)


def test_graph_is_found_by_any_path(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for path in (str(folder / "graph.json"), f"../{folder.name}/graph.json"):
        (elsewhere / "plan.json").write_text(led_to(folder, path))
        (elsewhere / path).resolve(strict=True)
        answer("report", "plan.json", "-o", "page.html", cwd=elsewhere)


def led_to(folder, path):
    """The plan's file, saying that its graph is there."""
    document = json.loads((folder / "plan.json").read_text())
    document["graph_file"]["path"] = path
    return json.dumps(document)


def test_only_a_regular_file_is_a_graph(folder):
    os.mkfifo(folder / "pipe")
    (folder / "notes.txt").write_text("no graph")
    reasons = {
        ".": ".: not a regular file",
        "": ": cannot be read: no such file or directory",
        "pipe": "pipe: not a regular file",
        "/dev/zero": "/dev/zero: not a regular file",
        "graph.json\0": "graph.json?: not a regular file",
        "-": "./-: cannot be read: no such file or directory",
        "\x1b[2J\n": "?[2J?: cannot be read: no such file or directory",
        "notes.txt": "notes.txt: ",
        "plan.json": "plan.json: this is a solution, not a graph",
    }
    for path, reason in reasons.items():
        (folder / "led.json").write_text(led_to(folder, path))
        sentence = refused(folder, "report", "led.json", "-o", "page.html")
        assert sentence.startswith(f"led.json: its graph is not where it says: {reason}")
        assert sentence.endswith("; --graph says where it is")


def change_graph(folder, **fields):
    """Changes the first op of the graph."""
    changed = json.loads((folder / "graph.json").read_text())
    changed["ops"][0].update(fields)
    (folder / "graph.json").write_text(json.dumps(changed))


def test_graph_that_changed_is_refused(folder):
    digest = json.loads((folder / "plan.json").read_text())["graph_file"]["digest"]
    change_graph(folder, cost=12345)
    sentence = refused(folder, "report", "plan.json", "-o", "page.html")
    assert sentence.startswith(
        f"plan.json: it was made for another graph: one with the digest {digest}, not "
    )
    assert sentence.endswith("; plan again, or give --graph")


def test_graph_that_is_named_is_judged_by_replay(folder):
    change_graph(folder, cost=12345)
    done = run("report", "plan.json", "-g", "graph.json", "-o", "page.html", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (ANSWERED, "", 1)
    assert done.stderr.startswith("rematch: plan.json: it was made for another graph: ")
    assert done.stderr.endswith(
        "; it is valid on this one, and what else it claims is left out\n"
    )
    # The page is that of the plan alone: a bound for another graph is none.
    plan = json.loads((folder / "plan.json").read_text())["plan"]
    (folder / "plan.json").write_text(json.dumps(plan))
    done = run("report", "plan.json", "-g", "graph.json", cwd=folder)
    assert (done.stdout, done.stderr) == ((folder / "page.html").read_text(), "")


def test_graph_of_the_same_content_needs_no_note(folder):
    text = (folder / "graph.json").read_text()
    (folder / "copy.json").write_text(json.dumps(json.loads(text), indent=1))
    done = run("report", "plan.json", "-g", "copy.json", cwd=folder)
    assert (done.returncode, done.stderr) == (ANSWERED, "")
    assert done.stdout == answer("report", "plan.json", cwd=folder)


def test_plan_that_is_not_valid_on_the_graph_is_refused(folder):
    sentence = refused(
        folder, "report", "plan.json", "-g", DATA / "vgg16.json", "-o", "page.html"
    )
    assert sentence.startswith("plan.json: plan: step ") and "there is no " in sentence
    change_graph(folder, recomputable=False, name="renamed")
    sentence = refused(folder, "report", "plan.json", "-g", "graph.json", "-o", "page.html")
    assert sentence.startswith("plan.json: plan: step 0: there is no op ")


def test_claims_that_are_not_true_are_refused(folder):
    text = (folder / "plan.json").read_text()
    (folder / "wrong.json").write_text(text.replace('"peak_bytes": 5', '"peak_bytes": 4', 1))
    sentence = refused(folder, "report", "wrong.json", "-o", "page.html")
    assert "it claims a peak of" in sentence


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["plan.json", "-o", "page.txt"],
         "'page.txt' does not end with .html, .json, .svg or .csv; --format says what to write"),
        (["plan.json", "-o", "page.csv", "--format", "svg"],
         "--format svg contradicts the name of the file, 'page.csv', which ends with .csv"),
        (["plan.json", "plan.json", "--format", "csv"], "--format csv takes one plan, not 2"),
        (["-", "--graph", "-"],
         "only one of graph and plans can come from standard input"),
        (["nothing.json"], "nothing.json: cannot be read: no such file or directory"),
        (["graph.json", "-g", "graph.json"], "graph.json: this is a graph, not a plan"),
        (["plan.json", "-o", "nowhere/page.html"],
         "nowhere/page.html: cannot be written: no such file or directory"),
    ],
)
def test_what_is_wrong_is_said(folder, arguments, sentence):
    assert refused(folder, "report", *arguments) == sentence


PLAN = ["plan", "graph.json", "-b", "80%", "-s", "gap"]
FRONTIER = ["frontier", "graph.json", "--points", 2, "-s", "gap"]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["report", "plan.json", "-o", "plan.json"],
         "-o 'plan.json' would overwrite 'plan.json', which is read"),
        (["report", "plan.json", "-o", "graph.json"],
         "-o 'graph.json' would overwrite 'graph.json', which is read"),
        ([*PLAN, "-o", "./graph.json"],
         "-o './graph.json' would overwrite 'graph.json', which is read"),
        ([*PLAN, "--report", "link.html"],
         "--report 'link.html' would overwrite 'graph.json', which is read"),
        ([*PLAN, "-o", "same.html", "--report", "folder/../same.html"],
         "-o 'same.html' and --report 'folder/../same.html' are the same file"),
        ([*FRONTIER, "-o", "hard.json"],
         "-o 'hard.json' would overwrite 'graph.json', which is read"),
        ([*FRONTIER, "-o", "same", "--report", "same"],
         "-o 'same' and --report 'same' are the same file"),
        (["max-batch", "graph.json", "--memory", "1GB", "--overhead", "10%",
          "-o", "graph.json"],
         "-o 'graph.json' would overwrite 'graph.json', which is read"),
        (["export", "graph.json", "-b", "80%", "--format", "lp", "-o", "graph.json"],
         "-o 'graph.json' would overwrite 'graph.json', which is read"),
    ],
)
def test_nothing_is_overwritten_that_is_used(folder, arguments, sentence):
    (folder / "folder").mkdir()
    (folder / "link.html").symlink_to("graph.json")
    os.link(folder / "graph.json", folder / "hard.json")
    assert refused(folder, *arguments) == sentence


def test_streams_may_be_used_twice(folder):
    answer(*PLAN, "-o", "/dev/null", "--report", "/dev/null", cwd=folder)


@pytest.mark.parametrize("command", [PLAN, FRONTIER])
@pytest.mark.parametrize("option", ["-o", "--report"])
@pytest.mark.parametrize(
    "path, reason",
    [("nowhere/x.html", "no such file or directory"), ("folder", "is a directory"),
     ("graph.json/x.html", "not a directory")],
)
def test_what_cannot_be_written_is_found_before_the_search(folder, command, option, path, reason):
    (folder / "folder").mkdir()
    (folder / "graph.json").write_text("read later")
    sentence = refused(folder, *command, option, path)
    assert sentence == f"{path}: cannot be written: {reason}"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_folder_without_permission_is_found_before_the_search(folder):
    (folder / "folder").mkdir(mode=0o500)
    (folder / "graph.json").write_text("read later")
    sentence = refused(folder, *PLAN, "-o", "folder/x.json")
    assert sentence == "folder/x.json: cannot be written: permission denied"


@pytest.mark.parametrize("command", [PLAN, FRONTIER])
@pytest.mark.parametrize("name", ["x.csv", "x.SVG", "x.json", "x.trace", "x.pdf", "x.png"])
def test_page_is_not_called_something_else(folder, command, name):
    sentence = refused(folder, *command, "--report", name)
    assert sentence == f"'{name}' ends with {name[1:].lower()}, but a page is HTML"


def test_case_of_an_ending_does_not_matter(folder):
    answer("report", "plan.json", "-o", "page.HTML", cwd=folder)
    answer("report", "plan.json", "-o", "page.html", cwd=folder)
    assert (folder / "page.HTML").read_bytes() == (folder / "page.html").read_bytes()
    answer("report", "plan.json", "-o", "memory.CSV", cwd=folder)
    assert (folder / "memory.CSV").read_text().startswith("step,action,")


@pytest.mark.parametrize("options", [["--json", "--report", "-"], ["-o", "-", "--report", "-"]])
def test_only_one_gets_standard_output(folder, options):
    sentence = refused(folder, "plan", "graph.json", "-b", "80%", *options)
    assert sentence == f"{' '.join(options[:-2])} and --report - both want standard output"


def test_trace_has_every_run_and_the_memory(folder):
    answer("report", "plan.json", "-o", "trace.json", cwd=folder)
    trace = json.loads((folder / "trace.json").read_text())
    measured = answer_json("replay", "graph.json", "plan.json", cwd=folder)
    events = trace["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    steps = json.loads((folder / "plan.json").read_text())["plan"]["steps"]
    assert [event["name"] for event in slices] == [
        step["compute"] for step in steps if "compute" in step
    ]
    assert sum(event["dur"] for event in slices) == measured["cost"]
    counters = [event["args"]["bytes"] for event in events if event["ph"] == "C"]
    assert counters == measured["footprint_bytes"]
    ends = [event["ts"] + event["dur"] for event in slices]
    assert all(one["ts"] >= end for one, end in zip(slices[1:], ends))


def test_picture_is_well_formed(folder):
    answer("report", "plan.json", "-o", "memory.svg", cwd=folder)
    picture = xml.fromstring((folder / "memory.svg").read_text())
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    text = " ".join(picture.itertext())
    assert "peak 50.53 MiB" in text and "budget 50.84 MiB" in text


def test_table_has_the_footprints_of_replay(folder):
    lines = answer("report", "plan.json", "--format", "csv", cwd=folder).splitlines()
    measured = answer_json("replay", "graph.json", "plan.json", cwd=folder)
    assert [int(line.split(",")[-1]) for line in lines[1:]] == measured["footprint_bytes"]


def test_graph_without_ops_is_shown(tmp_path):
    graph = {"format": "rematch.graph", "version": 1, "name": "empty", "ops": []}
    (tmp_path / "g.json").write_text(json.dumps(graph))
    answer("plan", "g.json", "-b", "100%", "-o", "p.json", "--report", "p.html", cwd=tmp_path)
    for output in ("p.svg", "p.csv", "t.json"):
        answer("report", "p.json", "-o", output, cwd=tmp_path)
