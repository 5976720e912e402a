# SPDX-License-Identifier: Apache-2.0
"""Golden files: transcripts of commands with what they print.

A file is a list of cases:

    === what the case is about
    $ a command line, run by bash where the files of data/ are
    what it writes to standard output
    [stderr]
    what it writes to standard error, if anything
    [exit 2]

A case may have several commands, which see each other's files. Times are
replaced by T and the program's version by VERSION.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import program

FOLDER = Path(__file__).resolve().parent / "golden"
TITLE, COMMAND = "=== ", "$ "
VARIABLE = [
    (re.compile(r"\b\d+\.\d{3} s(?=$|, stopped)", re.MULTILINE), "T s"),
    (re.compile(r'"seconds": [0-9.e+-]+'), '"seconds": T'),
    (re.compile(r"^rematch \d+\.\d+\.\d+\S*$", re.MULTILINE), "rematch VERSION"),
]


@dataclass(frozen=True)
class Case:
    title: str
    text: str  # Of its commands and what they print.

    def commands(self):
        lines = self.text.splitlines()
        return [line[len(COMMAND) :] for line in lines if line.startswith(COMMAND)]


@dataclass(frozen=True)
class Outcome:
    stdout: str
    stderr: str
    exit_code: int


@dataclass(frozen=True)
class Run:
    outcomes: list  # Of each command.
    changed_files: bool  # Whether a file was added, changed or removed.


def read(path):
    """The cases of a golden file."""
    parts = re.split(rf"^{TITLE}", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    cases = []
    for part in parts[1:]:
        title, _, text = part.partition("\n")
        cases.append(Case(title, text.strip("\n") + "\n"))
    return cases


def write(path, cases):
    blocks = [f"{TITLE}{case.title}\n{case.text}" for case in cases]
    path.write_text("\n".join(blocks), encoding="utf-8")


def normalised(text):
    for pattern, replacement in VARIABLE:
        text = pattern.sub(replacement, text)
    return text


def run_command(command, data):
    path = f"{data.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-o", "pipefail", "-c", command],
        cwd=data,
        env=program.environment(PATH=path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=program.TIMEOUT,
    )
    return Outcome(done.stdout, done.stderr, done.returncode)


def files_in(folder):
    """What is in a folder, as bytes by name; hidden files too."""
    found = [path for path in folder.rglob("*") if not path.is_dir()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


class Workspace:
    """Where commands run: a folder with the data, and the program on the path."""

    def __init__(self, new_folder):
        """`new_folder` makes an empty folder each time it is called."""
        self.new_folder = new_folder
        self.runs = {}
        self.prepare()

    def prepare(self):
        folder = self.new_folder()
        self.data = folder / "data"
        shutil.copytree(program.DATA, self.data)
        (folder / "bin").mkdir()
        (folder / "bin" / "rematch").symlink_to(program.PROGRAM)
        self.files = files_in(self.data)

    def run(self, case):
        """Runs a case, once, among the files as they were."""
        if case not in self.runs:
            self.runs[case] = self.run_commands(case.commands())
            if self.runs[case].changed_files:
                self.prepare()
        return self.runs[case]

    def run_commands(self, commands):
        outcomes = [run_command(command, self.data) for command in commands]
        return Run(outcomes, files_in(self.data) != self.files)


def transcript(command, outcome):
    text = f"{COMMAND}{command}\n{outcome.stdout}"
    if outcome.stderr:
        text += f"[stderr]\n{outcome.stderr}"
    return normalised(f"{text}[exit {outcome.exit_code}]\n")


def as_run(case, run):
    """The case as it should be written down after a run of it."""
    pairs = zip(case.commands(), run.outcomes)
    return Case(case.title, "".join(transcript(*pair) for pair in pairs))
