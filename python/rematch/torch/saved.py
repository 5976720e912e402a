# SPDX-License-Identifier: Apache-2.0
"""Plans on disk."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

import rematch
from rematch.torch.errors import RematchTorchError

_FORMAT = "rematch.torch_plan"
_VERSION = 1


@dataclass
class SavedPlan:
    """What was planned for one captured graph, without the graph's code."""

    digest: str  # Of the program.
    budget_bytes: int
    peak_bytes: int
    keep_all_peak_bytes: int
    lower_bound: float | None  # Of the cost, proved.
    step_microseconds: float | None  # Predicted.
    explanation: str
    graph: dict  # As rematch.graph.
    sequence: list[int]  # The ops of the graph as they are computed.

    def explain(self) -> str:
        return self.explanation

    def plan(self) -> tuple[rematch.Graph, rematch.Plan]:
        """For `rematch.replay` and the command line."""
        graph = rematch.Graph.from_json(json.dumps(self.graph))
        return graph, rematch.plan_from_sequence(graph, self.sequence)

    def save(self, path: str | os.PathLike) -> None:
        """A file that is there is replaced when the new one is complete."""
        path = Path(path)
        text = json.dumps({"format": _FORMAT, "version": _VERSION, **asdict(self)})
        draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            draft.write_text(text + "\n", encoding="utf-8")
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike) -> SavedPlan:
        try:
            fields = json.loads(Path(path).read_text(encoding="utf-8"))
        except ValueError as error:
            raise RematchTorchError(f"{path}: not JSON: {error}") from None
        if not isinstance(fields, dict) or fields.pop("format", None) != _FORMAT:
            raise RematchTorchError(f"{path}: not a plan that was saved here")
        version = fields.pop("version", None)
        if version != _VERSION:
            raise RematchTorchError(f"{path}: version {version}, not {_VERSION}")
        if complaint := _complaint(fields):
            raise RematchTorchError(f"{path}: {complaint}")
        return cls(**fields)


_TYPES = {"digest": str, "budget_bytes": int, "peak_bytes": int,
          "keep_all_peak_bytes": int, "lower_bound": (float, int, type(None)),
          "step_microseconds": (float, int, type(None)), "explanation": str,
          "graph": dict, "sequence": list}


def _complaint(fields: dict) -> str | None:
    """What is wrong with the fields of a file."""
    for name in _TYPES.keys() | fields.keys():
        if name not in _TYPES:
            return f"'{name}' is not known here"
        if name not in fields:
            return f"'{name}' is missing"
        if not isinstance(fields[name], _TYPES[name]):
            return f"'{name}' is a {type(fields[name]).__name__}"
    if not all(type(index) is int for index in fields["sequence"]):
        return "'sequence' has something that is not an integer"
    return None
