# SPDX-License-Identifier: Apache-2.0
"""Completion scripts are valid, and complete what the program has."""

import shutil
import subprocess

import pytest
from program import answer, command_names, strategy_names

needs_bash = pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "rematch.bash"
    path.write_text(answer("completion", "bash"))
    return path


def bash(*arguments):
    return subprocess.run(
        ["bash", "--norc", *arguments], capture_output=True, text=True, timeout=60
    )


def completions(script, *words):
    """What bash would offer for the last word."""
    commands = (
        'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rematch; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = bash("-c", commands, str(script), "rematch", *words)
    assert done.stderr == ""
    return done.stdout.split()


@needs_bash
def test_bash_script_is_valid(script):
    done = bash("-n", str(script))
    assert (done.returncode, done.stderr) == (0, "")


@needs_bash
def test_bash_knows_the_function(script):
    done = bash("-c", 'source "$0"; complete -p rematch', str(script))
    assert "-F _rematch rematch" in done.stdout


@needs_bash
def test_bash_completes_a_command(script):
    assert completions(script, "pl") == ["plan"]


@needs_bash
def test_bash_offers_every_command(script):
    assert set(command_names()) <= set(completions(script, ""))


@needs_bash
def test_bash_completes_an_option(script):
    assert completions(script, "plan", "--bud") == ["--budget"]


@needs_bash
def test_bash_offers_every_strategy(script):
    found = completions(script, "plan", "graph.json", "--strategy", "")
    assert found == strategy_names()


@needs_bash
def test_bash_completes_an_overhead(script):
    found = completions(script, "max-batch", "graph.json", "--overhead", "")
    assert found == ["forward"]


@needs_bash
def test_bash_completes_a_family(script):
    assert completions(script, "generate", "tr") == ["transformer"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_names_every_command(shell):
    words = answer("completion", shell)
    assert [name for name in command_names() if name not in words] == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shell_accepts_its_script(shell, tmp_path):
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    path = tmp_path / "script"
    path.write_text(answer("completion", shell))
    done = subprocess.run([shell, "-n", path], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
