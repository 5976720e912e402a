# SPDX-License-Identifier: Apache-2.0
"""One graph as PyTorch captured it, and what Inductor makes of it.

PyTorch's caches save Inductor its work, but not what comes before it: the gradients
are traced, taken apart and simplified anew. What was written for a graph is therefore
kept on disk, and loaded as it is. A trace may depend on more than can be known here:
it was written for one joint graph, and whoever uses it compares that with the one at
hand.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import logging
from collections.abc import Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import Any

import torch
import torch._functorch.config as functorch_config
import torch._inductor.config as inductor_config
from torch import fx
from torch._inductor.codecache import PyCodeCache, torch_key
from torch._inductor.cpu_vec_isa import pick_vec_isa

from rematch.torch import profiling
from rematch.torch.fused import blocks, partition
from rematch.torch.fused import capture as capture_module
from rematch.torch.fused.capture import Compiled, Pass, capture
from rematch.torch.fused.partition import Partition
from rematch.torch.lowering import signature
from rematch.torch.profile_cache import ProfileCache

log = logging.getLogger("rematch")


def joint_digest(joint: fx.GraphModule) -> str:
    """The same for the same forward and backward pass."""
    shapes = [str(signature(node.meta["val"]))
              if isinstance(node.meta.get("val"), torch.Tensor) else ""
              for node in joint.graph.nodes]
    return _hash(joint.code, shapes)


class Compiler:
    """Compiles with the settings of PyTorch as they are when it is made."""

    def __init__(self, module: fx.GraphModule, inputs: Sequence,
                 cached_for: torch.device | None = None) -> None:
        """`cached_for` is the device for which results are kept on disk, if they
        are to be."""
        self.module, self.inputs = module, inputs
        self.device = cached_for
        # While AOTAutograd is at work these are others.
        self.settings = {"backward_pass_autocast": value} if (value := getattr(
            functorch_config, "backward_pass_autocast", None)) else {}
        self.autocast = [(kind, torch.get_autocast_dtype(kind))
                         for kind in ("cpu", "cuda") if torch.is_autocast_enabled(kind)]
        self.tag = torch.compiler.config.cache_key_tag
        # The same for the same graph, compiled with the same settings for the same
        # machine.
        self.identity = cached_for and _hash(
            _own_source(), torch_key().hex(), _machine(cached_for), module.code,
            str(self.autocast), [_described(item) for item in inputs],
            [sorted((name, repr(value))
                    for name, value in config.save_config_portable().items())
             for config in (inductor_config, functorch_config)])

    def compiled(self, partition: Partition) -> Compiled | None:
        """As written before, or now; None if there are no gradients."""
        return self._find(partition) or self.fresh(partition)

    def loaded(self, plain: dict[str, Any]) -> Compiled:
        """What `plain_of` made of something compiled. Raises whatever is wrong."""
        with self._with_tag():
            return Compiled(_loaded(plain["forward"]), _loaded(plain["backward"]),
                            plain["joint"])

    def fresh(self, partition: Partition) -> Compiled | None:
        """As written now."""
        with ExitStack() as stack:
            stack.enter_context(self._with_tag())
            for kind, dtype in self.autocast:
                stack.enter_context(torch.autocast(kind, dtype))
            return capture(self.module, self.inputs, partition, self.settings)

    def keep(self, partition: Partition, compiled: Compiled, joint: str) -> None:
        """On disk, if it is nothing but text. `joint` is the digest of what it was
        made for."""
        if self.device is None or not self.can_keep(compiled):
            return
        cache = self._cache()
        try:
            cache.store_record(self._key(partition),
                               {**plain_of(compiled), "joint": joint})
        finally:
            cache.close()

    def can_keep(self, compiled: Compiled) -> bool:
        """Whether it is nothing but text, and of PyTorch and us alone."""
        return not (any(node.op == "get_attr" for node in self.module.graph.nodes)
                    or has_passes() or compiled.forward.has_constants
                    or compiled.backward.has_constants)

    def _find(self, partition: Partition) -> Compiled | None:
        if self.device is None or has_passes():
            return None
        cache = self._cache()
        try:
            found = cache.find_record(self._key(partition))
        finally:
            cache.close()
        try:
            return found and self.loaded(found)
        except Exception as error:  # Whatever is wrong with it: it is written anew.
            log.info("what was compiled before cannot be used: %s", error)
            return None

    def _with_tag(self) -> Any:
        """Caches of PyTorch have keys with a tag, which is another while something
        is kept for the next start."""
        return torch.compiler.config.patch(cache_key_tag=self.tag)

    def _key(self, partition: Partition) -> str:
        return "compiled " + _hash(self.identity, partition.record())

    def _cache(self) -> ProfileCache:
        return ProfileCache(profiling.device_name(self.device), profiling.settings())


@functools.cache
def _own_source() -> str:
    """Of what decides, with PyTorch, what is written."""
    return _hash([inspect.getsource(module) for module in (capture_module, partition,
                                                           blocks)])


def _machine(device: torch.device) -> list:
    """Code is for one kind of processor, and one of several GPUs."""
    if device.type != "cuda":
        return [str(pick_vec_isa())]
    properties = torch.cuda.get_device_properties(device)
    return [device.index, torch.cuda.current_device(), torch.version.cuda,
            properties.name, properties.major, properties.minor,
            properties.multi_processor_count, version("triton")]


def _described(item: Any) -> Any:
    if not isinstance(item, torch.Tensor):
        return str(item)
    return [str(signature(item)), str(item.device), item.storage_offset(),
            item.requires_grad]


def has_passes() -> bool:
    """Of somebody else, in Inductor: what they do cannot be known."""
    return any(getattr(inductor_config, name, None) is not None for name in (
        "pre_grad_custom_pass", "joint_custom_pre_pass", "joint_custom_post_pass",
        "post_grad_custom_pre_pass", "post_grad_custom_post_pass",
        "_pre_fusion_custom_pass"))


def plain_of(compiled: Compiled) -> dict[str, Any]:
    """Text and numbers, of something without constants."""
    passes = {"forward": compiled.forward, "backward": compiled.backward}
    return {"joint": compiled.joint, **{
        name: {"source": one.source, "private": sorted(one.private),
               "aligned": list(one.aligned)} for name, one in passes.items()}}


def _loaded(plain: dict[str, Any]) -> Pass:
    module = PyCodeCache.load(plain["source"])
    return Pass(plain["source"], vars(module), frozenset(plain["private"]),
                tuple(plain["aligned"]))


def _hash(*parts: Any) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
