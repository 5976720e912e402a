# SPDX-License-Identifier: Apache-2.0
"""What was found about ops and programs on disk, so that the second run is instant."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

_SCHEMA = ("""create table if not exists ops (
    device text, version text, signature text, cost real, workspace integer,
    primary key (device, version, signature))""",
           """create table if not exists records (
    device text, version text, key text, record text,
    primary key (device, version, key))""")


def default_path() -> Path:
    """$REMATCH_CACHE, or the user's cache folder."""
    folder = os.environ.get("REMATCH_CACHE")
    if folder is None:
        base = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
        folder = str(Path(base) / "rematch")
    return Path(folder) / "profiles.sqlite"


class ProfileCache:
    """Keyed by device, versions and signature. Several processes may use one."""

    def __init__(self, device: str, version: str, path: Path | None = None) -> None:
        self.device, self.version = device, version
        path = path or default_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.connection = sqlite3.connect(path, timeout=30)
        self.connection.execute("pragma journal_mode=wal")
        for table in _SCHEMA:
            self.connection.execute(table)
        self.connection.commit()

    def find(self, signature: str) -> tuple[float, int] | None:
        return self.connection.execute(
            "select cost, workspace from ops where device = ? and version = ? "
            "and signature = ?", (self.device, self.version, signature)).fetchone()

    def store(self, signature: str, cost: float, workspace: int) -> None:
        with self.connection:
            self.connection.execute(
                "insert or replace into ops values (?, ?, ?, ?, ?)",
                (self.device, self.version, signature, cost, workspace))

    def find_record(self, key: str) -> Any:
        """What was stored, or None."""
        found = self.connection.execute(
            "select record from records where device = ? and version = ? and key = ?",
            (self.device, self.version, key)).fetchone()
        return json.loads(found[0]) if found else None

    def store_record(self, key: str, record: Any) -> None:
        with self.connection:
            self.connection.execute(
                "insert or replace into records values (?, ?, ?, ?)",
                (self.device, self.version, key, json.dumps(record)))

    def close(self) -> None:
        self.connection.close()
