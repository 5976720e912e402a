# SPDX-License-Identifier: Apache-2.0
"""A cache that cannot be used does not stop training."""

import logging
import sqlite3

import pytest
import rematch.torch
import torch
from rematch.torch import profile_cache
from torch import nn


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(profile_cache, "_told", set())
    return tmp_path / "cache"


def trained(kernels="fused"):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 8))
    compiled = rematch.torch.compile(model, budget="1MiB", kernels=kernels)
    compiled(torch.randn(16, 8)).sum().backward()
    return [parameter.grad for parameter in model.parameters()]


def equal(one, other):
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def told(caplog):
    return [record.getMessage() for record in caplog.records
            if "cannot be used, and nothing" in record.getMessage()]


def garbage(path):
    path.write_bytes(b"not a database " * 1000)


def cut(path):
    path.write_bytes(path.read_bytes()[:5000])


def test_a_damaged_record_is_told_once(folder, caplog, monkeypatch):
    monkeypatch.setattr(profile_cache, "_damaged", set())
    trained()
    with sqlite3.connect(folder / "profiles.sqlite") as connection:
        connection.execute("update records set record = '['")
    connection.close()
    with caplog.at_level(logging.WARNING, "rematch"):
        trained()
    assert sum("a record is damaged" in record.getMessage()
               for record in caplog.records) == 1


@pytest.mark.parametrize("damage", [garbage, cut])
@pytest.mark.parametrize("kernels", ["eager", "fused"])
def test_a_damaged_file_is_told_once(folder, caplog, damage, kernels):
    wanted = trained(kernels)
    for other in folder.iterdir():
        if other.name != "profiles.sqlite":
            other.unlink()
    damage(folder / "profiles.sqlite")
    with caplog.at_level(logging.WARNING, "rematch"):
        assert equal(trained(kernels), wanted)
        assert equal(trained(kernels), wanted)
    message, = told(caplog)
    assert str(folder / "profiles.sqlite") in message and "cache=False" in message


def test_a_folder_that_cannot_be_made_is_told(folder, caplog):
    folder.write_text("a file")
    with caplog.at_level(logging.WARNING, "rematch"):
        trained()
    assert len(told(caplog)) == 1


@pytest.mark.parametrize("record", [
    "{}", "[", "3", "null", '{"name": 1}', "[{}]",
    '{"recompute": 3, "in_place": "x", "peak": "q", "cost": null}',
    '{"recompute": ["nobody"], "in_place": true, "peak": -5, "cost": 1}',
    '[{"sequence": [0], "need": "a", "cost": -1}]',
    '[{"kernels": {"recompute": 1}, "need": 0, "cost": -1}]'])
def test_damaged_records_are_written_anew(folder, record):
    wanted = trained()
    with sqlite3.connect(folder / "profiles.sqlite") as connection:
        assert connection.execute("update records set record = ?", (record,)).rowcount
        assert connection.execute("update ops set cost = -1e9, workspace = -5").rowcount
    connection.close()
    assert equal(trained(), wanted)
    assert equal(trained(), wanted)
