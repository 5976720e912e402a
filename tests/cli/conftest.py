# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: options, paths and fixtures."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent / "reference"))

import program  # noqa: E402  (needs the path above)


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite tests/cli/golden/*.txt with what the program says now",
    )


def pytest_configure(config):
    if not program.PROGRAM.is_file():
        raise pytest.UsageError(
            f"there is no program at {program.PROGRAM}; "
            "set REMATCH_PROGRAM to where it is"
        )


@pytest.fixture
def chain(tmp_path):
    """The training chain of 8 layers, 17 ops of cost 1 and 1 byte each."""
    path = tmp_path / "chain.json"
    program.generate(path, "chain", "--length", "8", "--training")
    return path
