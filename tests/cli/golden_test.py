# SPDX-License-Identifier: Apache-2.0
"""The program says what golden/*.txt says that it says.

After a change of the words, run pytest with --update-golden and review the
difference. Files errors_*.txt hold only errors: one command each, and an answer
that is no proper error is never written down there.
"""

import shutil
from collections import Counter

import golden_cases as golden
import pytest
from program import BAD_INPUT, DATA, command_names

FILES = sorted(golden.FOLDER.glob("*.txt"))
ERROR_FILES = [path for path in FILES if path.name.startswith("errors_")]

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")


def cases(paths):
    return [
        pytest.param(path, case, id=f"{path.stem}: {case.title}")
        for path in paths
        for case in golden.read(path)
    ]


def all_commands(paths):
    return [c for path in paths for case in golden.read(path) for c in case.commands()]


@pytest.fixture(scope="session")
def workspace(tmp_path_factory):
    return golden.Workspace(lambda: tmp_path_factory.mktemp("golden"))


@pytest.fixture
def outcome(workspace, case):
    """Of a case with one command."""
    (outcome,) = workspace.run(case).outcomes
    return outcome


def is_error(outcome):
    lines = outcome.stderr.count("\n")
    is_sentence = outcome.stderr.startswith("rematch: ") and lines == 1
    return outcome.exit_code == BAD_INPUT and is_sentence


def update(path, case):
    everything = [case if c.title == case.title else c for c in golden.read(path)]
    golden.write(path, everything)


@pytest.mark.parametrize("path, case", cases(FILES))
def test_says_what_the_golden_file_says(path, case, workspace, request):
    run = workspace.run(case)
    found = golden.as_run(case, run)
    if request.config.getoption("--update-golden"):
        if path not in ERROR_FILES or all(map(is_error, run.outcomes)):
            update(path, found)
        return
    assert found.text == case.text, "if this is right, run with --update-golden"


@pytest.mark.parametrize("path, case", cases(ERROR_FILES))
def test_error_is_one_sentence_and_its_exit_code(path, case, outcome):
    assert is_error(outcome), outcome


@pytest.mark.parametrize("path, case", cases(ERROR_FILES))
def test_error_prints_nothing_on_standard_output(path, case, outcome):
    assert outcome.stdout == ""


@pytest.mark.parametrize("path, case", cases(ERROR_FILES))
def test_error_changes_no_file(path, case, workspace):
    assert not workspace.run(case).changed_files


@pytest.mark.parametrize("path, case", cases(ERROR_FILES))
def test_error_starts_in_lower_case_and_has_no_full_stop(path, case, outcome):
    sentence = outcome.stderr.removeprefix("rematch: ").rstrip("\n")
    assert not sentence.endswith(".")
    assert not sentence[:2].istitle()


@pytest.mark.parametrize("name", command_names())
def test_help_of_every_command_is_written_down(name):
    assert f"rematch {name} --help" in all_commands(FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_two_cases_have_one_title(path):
    titles = Counter(case.title for case in golden.read(path))
    assert [title for title, count in titles.items() if count > 1] == []


def test_every_data_file_is_used():
    words = " ".join(all_commands(FILES))
    assert [name for name in golden.files_in(DATA) if name not in words] == []
