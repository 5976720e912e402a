# SPDX-License-Identifier: Apache-2.0
"""Shows that each rule of check_layers can fail, on a small bad tree."""

import subprocess
import sys
from pathlib import Path

import pytest
from check_layers import violations
from cpp_functions import functions

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = HEAD + "#pragma once\n"
STRATEGIES = "src/rematch/solve/strategies/"
LATER = "TO" + "DO"


def check(root, path, text):
    """Violations of a tree whose only file is `path`."""
    file = root / path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    return list(violations(root))


def body(lines):
    return "void f() {\n" + "  g();\n" * (lines - 2) + "}\n"


BAD = {
    "no license": ("src/rematch/base/a.cc", "int a;\n", 1, "should say"),
    "script without license": ("tools/x", "#!/bin/sh\ntrue\n", 1, "should say"),
    "no pragma": ("src/rematch/base/a.h", HEAD, 1, "#pragma once"),
    "upward": (
        "src/rematch/graph/a.cc",
        HEAD + '#include "rematch/plan/plan.h"\n',
        2,
        "graph may not include plan",
    ),
    "sideways": (
        "src/rematch/io/a.cc",
        HEAD + '#include "rematch/solve/solver.h"\n',
        2,
        "io may not include solve",
    ),
    "upward in a test": (
        "src/rematch/base/a_test.cc",
        HEAD + '#include "rematch/graph/graph.h"\n',
        2,
        "base may not include graph",
    ),
    "unknown layer": ("src/rematch/misc/a.cc", HEAD, 1, "'misc' is not a layer"),
    "strategy sees another": (
        STRATEGIES + "chen.cc",
        HEAD + '#include "rematch/solve/strategies/dtr.h"\n',
        2,
        "strategies never include each other",
    ),
    "strategy sees auto": (
        STRATEGIES + "chen.cc",
        HEAD + '#include "rematch/solve/strategies/auto.h"\n',
        2,
        "strategies never include each other",
    ),
    "strategy test sees another": (
        STRATEGIES + "chen_test.cc",
        HEAD + '#include "rematch/solve/strategies/dtr.h"\n',
        2,
        "strategies never include each other",
    ),
    "strategies of one first name": (
        STRATEGIES + "chen_sqrt.cc",
        HEAD + '#include "rematch/solve/strategies/chen_greedy.h"\n',
        2,
        "strategies never include each other",
    ),
    "third-party header": (
        "src/rematch/io/a.h",
        HEADER + "#include <nlohmann/json.hpp>\n",
        3,
        "third-party headers stay in source files",
    ),
    "C header": (
        "src/rematch/io/a.h",
        HEADER + "#include <stdint.h>\n",
        3,
        "third-party headers stay in source files",
    ),
    "HiGHS elsewhere": (
        "src/rematch/lp/lp_session.cc",
        HEAD + "#include <interfaces/highs_c_api.h>\n",
        2,
        "src/rematch/lp/highs_solver.cc alone includes HiGHS",
    ),
    "HiGHS in a test": (
        "src/rematch/lp/highs_solver_test.cc",
        HEAD + "#include <Highs.h>\n",
        2,
        "src/rematch/lp/highs_solver.cc alone includes HiGHS",
    ),
    "CLI11 elsewhere": (
        "src/rematch/cli/plan_command.cc",
        HEAD + "#include <CLI/App.hpp>\n",
        2,
        "src/rematch/cli/parser.cc alone includes CLI11",
    ),
    "lp sees graph": (
        "src/rematch/lp/a.cc",
        HEAD + '#include "rematch/graph/graph.h"\n',
        2,
        "lp may not include graph",
    ),
    "long file": (
        "src/rematch/base/a.cc",
        HEAD + "int a;\n" * 600,
        601,
        "at most 600 lines, this one 601",
    ),
    "long function": (
        "src/rematch/base/a.cc",
        HEAD + "namespace rematch {\n" + body(81) + "}\n",
        3,
        "at most 80 lines, this one 81",
    ),
    "later without issue": (
        "src/rematch/base/a.cc",
        HEAD + f"// {LATER}: faster.\n",
        2,
        "names an issue",
    ),
}


@pytest.mark.parametrize("path, text, line, sentence", BAD.values(), ids=BAD.keys())
def test_bad_tree_is_found(tmp_path, path, text, line, sentence):
    found = check(tmp_path, path, text)
    assert len(found) == 1
    assert found[0].startswith(f"{path}:{line}: ")
    assert sentence in found[0]


GOOD = {
    "downward": (
        "src/rematch/cli/parser.cc",
        HEAD + '#include "rematch/io/json.h"\n#include <CLI/CLI.hpp>\n',
    ),
    "HiGHS where it belongs": (
        "src/rematch/lp/highs_solver.cc",
        HEAD + '#include "rematch/lp/highs_solver.h"\n'
        "#include <interfaces/highs_c_api.h>\n",
    ),
    "our own header about HiGHS": (
        "src/rematch/lp/lp_session.cc",
        HEAD + '#include "rematch/lp/highs_solver.h"\n',
    ),
    "strategy sees lp": (
        STRATEGIES + "milp.cc",
        HEAD + '#include "rematch/lp/lp_session.h"\n',
    ),
    "own layer and standard library": (
        "src/rematch/io/a.h",
        HEADER + '#include <vector>\n\n#include "rematch/io/json.h"\n',
    ),
    "auto sees strategies": (
        STRATEGIES + "auto.cc",
        HEAD + '#include "rematch/solve/strategies/dtr.h"\n',
    ),
    "strategy sees its own": (
        STRATEGIES + "milp_test.cc",
        HEAD + '#include "rematch/solve/strategies/milp.h"\n'
        '#include "rematch/solve/strategies/milp_rows.h"\n',
    ),
    "license after shebang": ("tools/x", "#!/bin/sh\n" + HEAD.replace("//", "#")),
    "longest function": ("src/rematch/base/a.cc", HEAD + body(80)),
    "later with issue": ("src/rematch/base/a.cc", HEAD + f"// {LATER}(#12): faster.\n"),
}


@pytest.mark.parametrize("path, text", GOOD.values(), ids=GOOD.keys())
def test_good_tree_passes(tmp_path, path, text):
    assert check(tmp_path, path, text) == []


FUNCTIONS = {
    "in namespace and class": (
        "namespace a {\nclass B {\n public:\n  int f() {\n    return 1;\n  }\n};\n}\n",
        [(4, 6)],
    ),
    "braces in text": (
        "char f() {\n  g(\"}\", '}', R\"x(})x\");  // }\n  /* } */\n}\n",
        [(1, 4)],
    ),
    "digit separator": ("int f() {\n  return 1'000 + '}';\n}\n", [(1, 3)]),
    "table is none": ("constexpr int k[] = {\n  1,\n  (2),\n};\n", []),
    "enum is none": ("enum class E : int {\n  kA,\n};\n", []),
    "lambda belongs": ("void f() {\n  h([] {\n    g();\n  });\n}\n", [(1, 5)]),
    "template function": ("template <class T>\nT f(T x) {\n  return x;\n}\n", [(1, 4)]),
    "template class": ("template <class T>\nstruct A {\n  T x{};\n};\n", []),
    "constructor": ("A::A(int b)\n    : b_{b},\n      c_{b} {\n  g();\n}\n", [(1, 2), (3, 5)]),
    "macro": ("#define F(x) \\\n  if (x) {\n\nTEST(A, B) {\n  g();\n}\n", [(4, 6)]),
}


@pytest.mark.parametrize("text, lines", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_functions_are_found(text, lines):
    assert [pair for pair in functions(text) if pair[1] > pair[0]] == lines


def run_script(root):
    script = Path(__file__).with_name("check_layers.py")
    return subprocess.run(
        [sys.executable, "-B", script, root], capture_output=True, text=True
    )


def test_script_reports_violations(tmp_path):
    check(tmp_path, "src/rematch/base/a.h", HEAD)
    done = run_script(tmp_path)
    assert done.returncode == 1
    assert done.stdout == "src/rematch/base/a.h:1: a header needs '#pragma once'\n"


def test_script_refuses_an_empty_tree(tmp_path):
    assert run_script(tmp_path).returncode != 0
