# SPDX-License-Identifier: Apache-2.0
"""Whether two programs are the same."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import torch

from rematch.torch.program import Op, Program, Ref, Value, View


def _plain(thing: Any) -> Any:
    if isinstance(thing, (list, tuple)):
        return [_plain(item) for item in thing]
    if isinstance(thing, dict):
        return {str(key): _plain(item) for key, item in thing.items()}
    if isinstance(thing, Ref):
        return {"ref": thing.name}
    return thing.type if isinstance(thing, torch.device) else str(thing)


def _call(item: Op | View) -> list:
    # Functions have addresses, which differ.
    function = item.call if isinstance(item.call, torch._ops.OpOverload) else \
        getattr(item.call, "__name__", None)
    return _plain([item.name, function, item.args, item.kwargs])


def _value(value: Value) -> list:
    return _plain([value.name, value.bytes, value.signature,
                  *([value.storage_of] if value.storage_of else [])])


def _op(op: Op) -> list:
    return [*_call(op), *_plain([op.kind, op.phase, op.outputs, op.recomputable,
                                 op.has_effect, op.state])]


def digest(program: Program) -> str:
    """The same for the same program, in each process and on whichever device of
    its kind; costs, workspaces and what is outside do not count."""
    text = json.dumps([
        [_value(value) for value in program.inputs.values()],
        [_value(value) for value in program.values.values()],
        [[*_call(view), view.root] for view in program.views.values()],
        [_op(op) for op in program.ops],
        _plain([program.forward_outputs, program.backward_outputs,
                program.tangents])])
    return hashlib.sha256(text.encode()).hexdigest()
