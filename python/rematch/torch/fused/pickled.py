# SPDX-License-Identifier: Apache-2.0
"""Things that refer to what Inductor wrote, as bytes and back.

Kernels are objects of its modules and stand there under their names; so do the
modules and functions that it imports. Functions that were made of lines of a module
are those lines.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from types import FunctionType
from typing import Any

import torch

from rematch.torch.fused.snippet import Snippet

# By pass, what its module defines.
Modules = Mapping[str, dict[str, Any]]

# These are themselves wherever they stand.
_PLAIN = (str, bytes, int, float, tuple, list, dict, type(None))


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, modules: Modules) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.modules = modules
        self.places = {id(thing): (phase, name) for phase, names in modules.items()
                       for name, thing in names.items()
                       if not isinstance(thing, _PLAIN)}

    def persistent_id(self, thing: Any) -> tuple | None:
        if isinstance(thing, _PLAIN):
            return None
        if isinstance(thing, torch.Tensor):
            raise pickle.PicklingError("the contents of a tensor are not kept")
        if place := self.places.get(id(thing)):
            return "name", *place
        snippet = getattr(thing, "snippet", None) \
            if isinstance(thing, FunctionType) else None
        return self._lines(snippet) if isinstance(snippet, Snippet) else None

    def _lines(self, snippet: Snippet) -> tuple:
        for phase, names in self.modules.items():
            if snippet.names is names:
                return ("lines", phase, snippet.name, list(snippet.parameters),
                        list(snippet.settings), list(snippet.lines),
                        list(snippet.returns))
        raise pickle.PicklingError(f"'{snippet.name}' is of no module that is kept")


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, modules: Modules) -> None:
        super().__init__(file)
        self.modules = modules

    def persistent_load(self, found: tuple) -> Any:
        kind, phase, *rest = found
        names = self.modules[phase]
        return names[rest[0]] if kind == "name" else Snippet(*rest, names).function()


def dumps(thing: Any, modules: Modules) -> bytes:
    """Raises whatever pickle does, where something cannot be kept."""
    file = io.BytesIO()
    _Pickler(file, modules).dump(thing)
    return file.getvalue()


def loads(content: bytes, modules: Modules) -> Any:
    """`modules` are those of the same text as when it was written."""
    return _Unpickler(io.BytesIO(content), modules).load()
