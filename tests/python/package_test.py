# SPDX-License-Identifier: Apache-2.0
"""The package is whole: version, names, documentation, stubs, program."""

import ast
import inspect
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import rematch

ROOT = Path(os.environ.get("REMATCH_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PACKAGE = Path(rematch.__file__).parent
PUBLIC = [name for name in rematch.__all__ if not name.startswith("_")]


def test_the_version_is_that_of_the_build():
    declared = re.search(
        r"project\(rematch VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()
    )
    assert rematch.__version__ == declared[1]


def test_everything_in_the_module_is_public():
    there = {name for name in dir(rematch._core) if not name.startswith("_")}
    assert there == set(PUBLIC)


def test_classes_introduce_themselves_as_ours():
    assert repr(rematch.InvalidGraph) == "<class 'rematch.InvalidGraph'>"
    assert repr(rematch.Graph) == "<class 'rematch.Graph'>"


def members(thing):
    if not inspect.isclass(thing) or issubclass(thing, BaseException):
        return []
    return [name for name in vars(thing) if not name.startswith("_")]


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_documented(name):
    thing = getattr(rematch, name)
    assert thing.__doc__
    for member in members(thing):
        assert inspect.getattr_static(thing, member).__doc__, f"{name}.{member}"


def test_stubs_name_what_is_public():
    assert (PACKAGE / "py.typed").is_file()
    tree = ast.parse((PACKAGE / "_core.pyi").read_text())
    named = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert named == set(PUBLIC)


def test_sizes_are_read_and_shown():
    assert rematch.parse_bytes("8GiB") == 8 * 2**30
    assert rematch.format_bytes(8 * 2**30) == "8.000 GiB"


def test_the_program_is_part_of_it():
    done = subprocess.run(
        [sys.executable, "-m", "rematch", "--version"], capture_output=True, text=True, check=True
    )
    assert rematch.__version__ in done.stdout


@pytest.mark.skipif("REMATCH_WHEEL" not in os.environ, reason="only for a wheel (make wheel)")
def test_the_wheel_holds_the_package_and_nothing_else():
    names = set(zipfile.ZipFile(os.environ["REMATCH_WHEEL"]).namelist())
    sources = {
        f"rematch/{path.relative_to(ROOT / 'python/rematch')}"
        for path in (ROOT / "python/rematch").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources <= names
    others = {name for name in names - sources if ".dist-info/" not in name}
    module = {name for name in others if re.fullmatch(r"rematch/_core\..*\.so", name)}
    assert len(module) == 1
    expected = {"rematch/_core.pyi", "rematch/bin/rematch"}
    highs = {"rematch/libhighs.so", "rematch/HiGHS-LICENSE.txt"}
    assert others - module in (expected, expected | highs)
