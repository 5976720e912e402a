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
    kernels: dict | None = None  # Of fused ones, how they were had.

    def explain(self) -> str:
        return self.explanation

    def plan(self) -> tuple[rematch.Graph, rematch.Plan]:
        """For `rematch.replay` and the command line."""
        graph = rematch.Graph.from_json(json.dumps(self.graph))
        return graph, rematch.plan_from_sequence(graph, self.sequence)

    def report(self, path: str | os.PathLike) -> None:
        """Writes a page that shows the plan: one HTML file that needs no network."""
        graph, plan = self.plan()
        measured = rematch.replay(graph, plan)
        if self.lower_bound is None or measured.peak_bytes > self.budget_bytes:
            plan.report(graph, path)
            return
        base = rematch.replay(graph, rematch.keep_all_plan(graph)).cost
        claims = {
            "format": "rematch.solution", "version": 1, "outcome": "feasible",
            "strategy": "saved", "budget_bytes": self.budget_bytes,
            "peak_bytes": measured.peak_bytes, "fixed_bytes": graph.fixed_bytes,
            "cost": measured.cost, "base_cost": base,
            "overhead": measured.cost / base - 1 if base else 0.0,
            "lower_bound": min(self.lower_bound, measured.cost),
            "gap": _gap(measured.cost, self.lower_bound), "stop_reason": "finished",
            "order": "fixed", "seed": 0,
            "peak_floor_bytes": rematch.peak_floor(graph),
            "plan": json.loads(plan.to_json(graph)),
        }
        rematch.Solution.from_json(json.dumps(claims), graph).report(graph, path)

    def save(self, path: str | os.PathLike) -> None:
        """A file that is there is replaced when the new one is complete."""
        path = Path(path)
        text = json.dumps({"format": _FORMAT, "version": _VERSION, **asdict(self)})
        draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        try:
            draft.write_text(text + "\n", encoding="utf-8")
            draft.replace(path)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None
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


def _gap(cost: float, lower_bound: float) -> float | None:
    if cost <= lower_bound:
        return 0.0
    return cost / lower_bound - 1 if lower_bound > 0 else None


_TYPES = {"digest": str, "budget_bytes": int, "peak_bytes": int,
          "keep_all_peak_bytes": int, "lower_bound": (float, int, type(None)),
          "step_microseconds": (float, int, type(None)), "explanation": str,
          "graph": dict, "sequence": list, "kernels": (dict, type(None))}
_OPTIONAL = ("kernels",)


def _complaint(fields: dict) -> str | None:
    """What is wrong with the fields of a file."""
    for name in _TYPES.keys() | fields.keys():
        if name not in _TYPES:
            return f"'{name}' is not known here"
        if name not in fields and name in _OPTIONAL:
            continue
        if name not in fields:
            return f"'{name}' is missing"
        if not isinstance(fields[name], _TYPES[name]):
            return f"'{name}' is a {type(fields[name]).__name__}"
    if not all(type(index) is int for index in fields["sequence"]):
        return "'sequence' has something that is not an integer"
    kernels = fields.get("kernels")
    if kernels is not None and not (
            isinstance(kernels.get("recompute"), list)
            and all(isinstance(name, str) for name in kernels["recompute"])
            and isinstance(kernels.get("in_place"), bool)
            and isinstance(kernels.get("peak"), int)
            and isinstance(kernels.get("cost"), (int, float))):
        return "'kernels' is not as it was saved"
    return None
