# SPDX-License-Identifier: Apache-2.0
"""What was found about ops and programs on disk, so that the second run is instant."""

from __future__ import annotations

import json
import logging
import math
import os
import sqlite3
from pathlib import Path
from typing import Any

log = logging.getLogger("rematch")

# Files that cannot be used, and those with records that cannot be: told once.
_told: set[Path] = set()
_damaged: set[Path] = set()

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


def _is_measured(cost: Any, workspace: Any) -> bool:
    """Whether they can be a time and bytes: files may be damaged."""
    return isinstance(cost, float) and 0 <= cost < math.inf and \
        isinstance(workspace, int) and workspace >= 0


class ProfileCache:
    """Keyed by device, versions and signature. Several processes may use one. A file
    that cannot be used is told once; then nothing is found, and nothing is kept."""

    def __init__(self, device: str, version: str, path: Path | None = None) -> None:
        self.device, self.version = device, version
        self.path = path or default_path()
        self.connection: sqlite3.Connection | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.connection = sqlite3.connect(self.path, timeout=30)
            self.connection.execute("pragma journal_mode=wal")
            for table in _SCHEMA:
                self.connection.execute(table)
            self.connection.commit()
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def find(self, signature: str) -> tuple[float, int] | None:
        found = self._first(
            "select cost, workspace from ops where device = ? and version = ? "
            "and signature = ?", signature)
        return found if found and _is_measured(*found) else None

    def store(self, signature: str, cost: float, workspace: int) -> None:
        self._insert("insert or replace into ops values (?, ?, ?, ?, ?)",
                     signature, cost, workspace)

    def find_record(self, key: str) -> Any:
        """What was stored, or None."""
        found = self._first("select record from records where device = ? and "
                            "version = ? and key = ?", key)
        try:
            return json.loads(found[0]) if found else None
        except ValueError as error:
            if self.path not in _damaged:
                _damaged.add(self.path)
                log.warning("%s: a record is damaged and not used: %s", self.path, error)
            return None

    def store_record(self, key: str, record: Any) -> None:
        self._insert("insert or replace into records values (?, ?, ?, ?)",
                     key, json.dumps(record))

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()

    def _first(self, query: str, key: str) -> Any:
        if self.connection is None:
            return None
        try:
            return self.connection.execute(
                query, (self.device, self.version, key)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None

    def _insert(self, query: str, *values: Any) -> None:
        if self.connection is None:
            return
        try:
            with self.connection:
                self.connection.execute(query, (self.device, self.version, *values))
        except sqlite3.Error as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.close()
        self.connection = None
        if self.path not in _told:
            _told.add(self.path)
            log.warning("%s cannot be used, and nothing is remembered: %s; cache=False "
                        "does without, REMATCH_CACHE names another folder", self.path,
                        error)
