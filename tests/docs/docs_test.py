# SPDX-License-Identifier: Apache-2.0
"""Checks that the documentation is true.

- In a ```console block every line that begins with "$ " is run by bash and its
  output is compared with the lines below it. Lines that begin with "> " right
  after it continue the command. A line "..." stands for any number of lines; times in seconds are not compared. The blocks of one file share one
  empty folder, in which `data` and `tools` are those of the tree and `rematch`
  is on PATH.
- The ```pycon blocks of one file are run as one session, in a release build, and
  compared in the same way, by doctest; "..." stands for any text.
- ```json blocks parse; the program in README.md compiles and prints what the
  README says; the commands next to its picture run.
- Relative links lead to files and headings that exist.
- docs/architecture.md names the source files that there are, and no others.

REMATCH_UPDATE_DOCS=1 rewrites the outputs that no longer match.
"""

import doctest
import importlib.util
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("REMATCH_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PROGRAM = Path(os.environ.get("REMATCH_PROGRAM", ROOT / "build" / "rematch"))
UPDATE = os.environ.get("REMATCH_UPDATE_DOCS") == "1"
ELSEWHERE = {"build", ".venv", ".git", ".cache"}

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMES = re.compile(r'\b\d+\.\d+ s\b|(?<="seconds": )[\d.e-]+')
INLINE_CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *$", re.MULTILINE)
SOURCE_NAME = re.compile(r"`(\w+/[\w/]+\.(?:\{[\w.,]+\}|h\.in|h|cc|js|css|html))`")


def markdown_files():
    return sorted(
        path
        for path in ROOT.rglob("*.md")
        if not ELSEWHERE & set(path.relative_to(ROOT).parts)
        and not path.relative_to(ROOT).parts[0].startswith("build")
    )


def blocks(path, language):
    text = path.read_text(encoding="utf-8")
    return [match[2] for match in FENCE.finditer(text) if match[1] == language]


def files_with(language):
    found = [path for path in markdown_files() if blocks(path, language)]
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in found]


def number_of_line(path, part):
    before = path.read_text(encoding="utf-8").split(part)[0]
    return before.count("\n") + 1


# Console blocks


def split_block(body):
    """Pairs of a command, as shown, and the lines shown below it."""
    pairs = []
    for line in body.splitlines():
        if line.startswith("$ "):
            pairs.append(([line], []))
        elif pairs and not pairs[-1][1] and line.startswith("> "):
            pairs[-1][0].append(line)
        else:
            assert pairs, f"a console block begins with '{line}', not with a command"
            pairs[-1][1].append(line)
    return pairs


class Shell:
    """Runs commands one by one in one folder; `$?` is the last exit status."""

    def __init__(self, folder):
        programs = folder / "bin"
        programs.mkdir()
        (programs / "rematch").symlink_to(PROGRAM.resolve())
        self.folder = folder / "work"
        self.folder.mkdir()
        for name in ("data", "tools"):
            (self.folder / name).symlink_to(ROOT / name)
        self.status = 0
        self.environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
        }

    def run(self, command):
        result = subprocess.run(
            ["bash", "-c", f"(exit {self.status})\n{command}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        self.status = result.returncode
        return [line.rstrip() for line in result.stdout.splitlines()]


def without_times(lines):
    return [TIMES.sub("(time)", line).rstrip() for line in lines]


def matches(shown, seen):
    pattern = ""
    for line in without_times(shown):
        pattern += r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n"
    text = "".join(line + "\n" for line in without_times(seen))
    return re.fullmatch(pattern, text) is not None


def updated(shown, seen):
    """What to show instead, cut where it was cut before."""
    if "..." not in shown:
        return seen
    head = shown.index("...")
    tail = shown[::-1].index("...")
    return [*seen[:head], "...", *(seen[-tail:] if tail else [])]


def check_console(path, shell):
    """The problems of a file, and its text with every output as it is now."""
    problems = []

    def check(match):
        if match[1] != "console":
            return match[0]
        lines = []
        for command, shown in split_block(match[2]):
            seen = shell.run("\n".join(line[2:] for line in command))
            if not matches(shown, seen):
                at = number_of_line(path, match[0])
                problems.append(
                    f"{path.relative_to(ROOT)}:{at}: {command[0]}\n"
                    + "shown:\n" + "\n".join(shown) + "\nseen:\n" + "\n".join(seen)
                )
                shown = updated(shown, seen)
            lines += command + shown
        return "```console\n" + "".join(line + "\n" for line in lines) + "```"

    text = path.read_text(encoding="utf-8")
    return problems, FENCE.sub(check, text)


@pytest.mark.parametrize("path", files_with("console"))
def test_commands_print_what_is_shown(path, tmp_path):
    problems, text = check_console(path, Shell(tmp_path))
    if UPDATE:
        path.write_text(text, encoding="utf-8")
        return
    assert not problems, "\n\n".join(problems)


# Python sessions


@pytest.mark.skipif(
    importlib.util.find_spec("rematch") is None, reason="this build has no Python module"
)
@pytest.mark.parametrize("path", files_with("pycon"))
def test_python_answers_what_is_shown(path, tmp_path, monkeypatch):
    (tmp_path / "data").symlink_to(ROOT / "data")
    monkeypatch.chdir(tmp_path)
    session = "\n".join(blocks(path, "pycon"))
    name = str(path.relative_to(ROOT))
    test = doctest.DocTestParser().get_doctest(session, {}, name, name, 0)
    report = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append)
    assert not report, "".join(report)


# Other blocks


@pytest.mark.parametrize("path", files_with("json"))
def test_json_parses(path):
    for block in blocks(path, "json"):
        json.loads(block)


def cache_value(cache, name):
    found = re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE)
    return found[1] if found else ""


def test_program_in_the_readme_runs(tmp_path):
    build = PROGRAM.resolve().parents[1]
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    (source,) = blocks(ROOT / "README.md", "cpp")
    (tmp_path / "main.cc").write_text(source, encoding="utf-8")
    command = [
        cache_value(cache, "CMAKE_CXX_COMPILER") or "c++",
        "-std=c++20",
        f"-I{ROOT / 'src'}",
        f"-I{build / 'include'}",
        "main.cc",
    ]
    if cache_value(cache, "REMATCH_SANITIZE") or cache_value(cache, "REMATCH_FUZZ") == "ON":
        subprocess.run([*command, "-fsyntax-only"], cwd=tmp_path, check=True)
        return
    layers = ("solve", "io", "plan", "lp", "graph", "base")
    libraries = [str(build / f"librematch_{layer}.a") for layer in layers]
    highs = cache_value(cache, "REMATCH_HIGHS_PATH")
    libraries += [highs, f"-Wl,-rpath,{Path(highs).parent}"]
    subprocess.run(
        [*command, *libraries, "-lfmt", "-pthread", "-o", "main"], cwd=tmp_path, check=True
    )
    seen = subprocess.run(
        [tmp_path / "main"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    shown = blocks(ROOT / "README.md", "text")[-1]
    if UPDATE:
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        (ROOT / "README.md").write_text(
            text.replace(f"```text\n{shown}```", f"```text\n{seen}```"), encoding="utf-8"
        )
        return
    assert shown == seen


def test_picture_is_small_and_its_command_runs(tmp_path):
    (script,) = [
        block for block in blocks(ROOT / "README.md", "sh") if "tools/report_picture" in block
    ]
    plan, picture = script.strip().splitlines()
    shell = Shell(tmp_path)
    output = shell.run(f"{plan} --strategy gap")
    assert shell.status == 0, "\n".join(output)
    assert (shell.folder / "page.html").stat().st_size > 100_000
    _, _, drawn = picture.split()
    shown = (ROOT / drawn).read_bytes()
    assert shown.startswith(b"\x89PNG") and len(shown) < 200_000


# Links


def prose(path):
    return INLINE_CODE.sub("", FENCE.sub("", path.read_text(encoding="utf-8")))


def anchors(path):
    """The anchors of a file's headings, as GitHub makes them."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    found = set()
    for heading in HEADING.findall(text):
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        again = sum(1 for other in found if re.fullmatch(rf"{re.escape(slug)}(-\d+)?", other))
        found.add(f"{slug}-{again}" if again else slug)
    return found


@pytest.mark.parametrize(
    "path", [pytest.param(path, id=str(path.relative_to(ROOT))) for path in markdown_files()]
)
def test_links_lead_somewhere(path):
    broken = []
    for target in LINK.findall(prose(path)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        goal = (path.parent / name).resolve() if name else path
        if not goal.exists() or (anchor and anchor not in anchors(goal)):
            broken.append(target)
    assert not broken, f"{path.relative_to(ROOT)} links to {', '.join(broken)}"


# Source files


def expanded(name):
    """`plan/replay.{h,cc}` is two names."""
    braces = re.fullmatch(r"(.*)\{(.*)\}", name)
    return {braces[1] + end for end in braces[2].split(",")} if braces else {name}


def test_architecture_names_every_source_file():
    source = ROOT / "src" / "rematch"
    there = {
        str(path.relative_to(source))
        for path in source.rglob("*")
        if path.is_file() and not path.name.endswith("_test.cc")
    }
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = set()
    for name in SOURCE_NAME.findall(text):
        named |= expanded(name)
    assert not there - named, f"not named: {', '.join(sorted(there - named))}"
    assert not named - there, f"does not exist: {', '.join(sorted(named - there))}"


def test_architecture_names_every_file_of_the_front_end():
    source = ROOT / "python" / "rematch" / "torch"
    there = {str(path.relative_to(source)) for path in source.rglob("*.py")
             if path.name != "__init__.py"}
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    table = text.split("### python/rematch/torch", 1)[1].split("\n#", 1)[0]
    named = set(re.findall(r"^\| `([\w/]+\.py)` \|", table, re.MULTILINE))
    assert named == there, sorted(named ^ there)
