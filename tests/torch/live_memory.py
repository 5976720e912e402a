# SPDX-License-Identifier: Apache-2.0
"""Counts the bytes of all storages that are alive, op by op, on any device."""

import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_iter


class LiveMemory(TorchDispatchMode):
    """`peak` is the most that was alive just after any op, what was given to
    `hold` included."""

    running = []  # Those in use, the innermost last.

    def __enter__(self):
        self.running.append(self)
        return super().__enter__()

    def __exit__(self, *error):
        self.running.pop()
        return super().__exit__(*error)

    def __init__(self):
        super().__init__()
        self.bytes = 0
        self.peak = 0
        self.ops = []  # Name and bytes alive, in order.
        self._known = set()

    @classmethod
    def is_infra_mode(cls):
        """So that compiled code runs as it would without this."""
        return True

    def hold(self, tensors):
        for tensor in tensors:
            self._add(tensor)

    def _add(self, tensor):
        storage = tensor.untyped_storage()
        key = storage._cdata
        if key in self._known:
            return
        size = storage.nbytes()
        self._known.add(key)
        self.bytes += size
        weakref.finalize(storage, self._gone, key, size)

    def _gone(self, key, size):
        self._known.discard(key)
        self.bytes -= size

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        for item in tree_iter(result):
            if isinstance(item, torch.Tensor):
                self._add(item)
        self.peak = max(self.peak, self.bytes)
        self.ops.append((str(function), self.bytes))
        return result
