# SPDX-License-Identifier: Apache-2.0
"""Checks the rules of the tree that a compiler does not.

Usage: check_layers.py ROOT

Prints each violation as `path:line: sentence` and exits with 1 if there is one.
"""

import re
import sys
from pathlib import Path

from cpp_functions import functions

# What a layer may include, besides itself.
ALLOWED = {
    "base": set(),
    "graph": {"base"},
    "lp": {"base"},
    "plan": {"base", "graph"},
    "io": {"base", "graph", "plan"},
    "solve": {"base", "graph", "lp", "plan"},
    "report": {"base", "graph", "plan", "io", "solve"},
    "cli": {"base", "graph", "plan", "io", "solve", "report"},
    "python": {"base", "graph", "plan", "io", "solve", "report"},
}
# The one file that may include a library, and what its headers look like.
ALONE = {
    "HiGHS": (
        Path("src/rematch/lp/highs_solver.cc"),
        re.compile(r'[<"](?:.*/)?(?:highs|ipx)[^/]*\.h(?:pp)?[>"]', re.IGNORECASE),
    ),
    "CLI11": (
        Path("src/rematch/cli/parser.cc"),
        re.compile(r'[<"](?:CLI/.*|CLI11\.hpp)[>"]'),
    ),
}
MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 80

LICENSE = "SPDX-License-Identifier: Apache-2.0"
CPP = {".h", ".cc"}
CHECKED = CPP | {".py", ".cmake", ".in", ".js", ".css", ".html"}
CHECKED_NAMES = {"CMakeLists.txt", "Makefile"}
FOLDERS = ("src", "tests", "bench", "cmake", "tools", "python", ".ci")

INCLUDE = re.compile(r'\s*#\s*include\s+(<[^>]*>|"[^"]*")')
STANDARD_HEADER = re.compile(r"<[a-z0-9_]+>")
# In two pieces, so that this file passes its own check.
LATER = re.compile(r"\b(TO" r"DO|FIX" r"ME)\b")
ISSUE = re.compile(r"#\d+")


def source_files(root):
    """The files that the rules are about, as paths relative to `root`."""
    found = [root / name for name in CHECKED_NAMES if (root / name).is_file()]
    for folder in FOLDERS:
        found += [p for p in (root / folder).rglob("*") if is_source(p)]
    return sorted(path.relative_to(root) for path in found)


def is_source(path):
    if not path.is_file() or "corpus" in path.parts:
        return False
    if path.suffix in CHECKED or path.name in CHECKED_NAMES:
        return True
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def includes(lines):
    """Yields (line number, what is included with its brackets or quotes)."""
    for number, line in enumerate(lines, 1):
        if match := INCLUDE.match(line):
            yield number, match[1]


def check_license(path, lines):
    if not any(LICENSE in line for line in lines[:2]):
        yield 1, f"the first line should say '{LICENSE}'"


def check_pragma_once(path, lines):
    if path.suffix == ".h" and "#pragma once" not in lines:
        yield 1, "a header needs '#pragma once'"


def check_layers(path, lines):
    layer = layer_of(path)
    if layer is None or path.suffix not in CPP:
        return
    if layer not in ALLOWED:
        yield 1, f"'{layer}' is not a layer (there are: {', '.join(ALLOWED)})"
        return
    for number, what in includes(lines):
        other = re.match(r'"rematch/(\w+)/', what)
        if other and other[1] != layer and other[1] not in ALLOWED[layer]:
            yield number, f"{layer} may not include {other[1]}: {what}"


def layer_of(path):
    """The layer that a file is in, or None if it is in none."""
    is_inside = path.parts[:2] == ("src", "rematch") and len(path.parts) > 3
    return path.parts[2] if is_inside else None


def check_strategies(path, lines):
    if path.parts[:4] != ("src", "rematch", "solve", "strategies"):
        return
    strategy = strategy_name(path.parts[4])
    if strategy == "auto":
        return
    for number, what in includes(lines):
        match = re.match(r'"rematch/solve/strategies/([^/"]+)', what)
        if match and not same_strategy(strategy, strategy_name(match[1])):
            yield number, f"strategies never include each other: {what}"


def strategy_name(part):
    """milp.h, milp.cc, milp_test.cc and folder milp are strategy milp."""
    return re.sub(r"(_test)?(\.\w+)?$", "", part)


def same_strategy(one, other):
    """A strategy's helpers carry its name in front: milp and milp_rows."""
    return (one + "_").startswith(other + "_") or other.startswith(one + "_")


def check_headers_are_ours(path, lines):
    if path.suffix != ".h" or layer_of(path) is None:
        return
    for number, what in includes(lines):
        if not STANDARD_HEADER.fullmatch(what) and not what.startswith('"rematch/'):
            yield number, f"third-party headers stay in source files: {what}"


def check_alone(path, lines):
    if path.suffix not in CPP:
        return
    for number, what in includes(lines):
        for library, (file, header) in ALONE.items():
            ours = what.startswith('"rematch/')
            if path != file and not ours and header.fullmatch(what):
                yield number, f"{file} alone includes {library}: {what}"


def check_size(path, lines):
    if len(lines) > MAX_FILE_LINES:
        yield (
            MAX_FILE_LINES + 1,
            f"a file has at most {MAX_FILE_LINES} lines, this one {len(lines)}",
        )
    if path.suffix not in CPP:
        return
    for first, last in functions("\n".join(lines)):
        length = last - first + 1
        if length > MAX_FUNCTION_LINES:
            yield (
                first,
                f"a function has at most {MAX_FUNCTION_LINES} lines, "
                f"this one {length}",
            )


def check_later(path, lines):
    for number, line in enumerate(lines, 1):
        match = LATER.search(line)
        if match and not ISSUE.search(line):
            yield number, f"a {match[1]} names an issue, as in #12"


RULES = (
    check_license,
    check_pragma_once,
    check_layers,
    check_strategies,
    check_headers_are_ours,
    check_alone,
    check_size,
    check_later,
)


def violations(root):
    """Yields a line of text for each violation under `root`."""
    for path in source_files(root):
        lines = (root / path).read_text(encoding="utf-8").splitlines()
        for rule in RULES:
            for number, sentence in rule(path, lines):
                yield f"{path}:{number}: {sentence}"


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    root = Path(arguments[0])
    if not source_files(root):
        sys.exit(f"{root}: there is nothing to check")
    found = list(violations(root))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
