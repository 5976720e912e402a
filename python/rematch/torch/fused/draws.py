# SPDX-License-Identifier: Apache-2.0
"""Which calls draw random numbers."""

from __future__ import annotations

import ast
from typing import Any

import torch

from rematch.torch import randomness
from rematch.torch.fused.writes import Writes, is_method


def draws(call: ast.Call, writes: Writes) -> bool:
    """Whether it moves the generator on. Kernels do not: they are given seeds."""
    function = call.func
    operator = _operator(call, writes)
    if operator is None:
        return False
    if _drops_nothing(call, operator) or _is_given_seeds(operator):
        return False
    text = ast.unparse(function)
    return any(map(randomness.is_random, _overloads(operator))) or \
        "rand" in text or "seed" in text


def is_foreign(call: ast.Call, writes: Writes) -> bool:
    """Whether it is of an operator that is not PyTorch's own."""
    return randomness.is_foreign(_operator(call, writes))


def _operator(call: ast.Call, writes: Writes) -> Any:
    """What is called; None for kernels and methods."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr == "run" or \
            isinstance(function, ast.Name) and function.id in writes.cpp or \
            is_method(call):
        return None
    return writes.operator(call)


def _overloads(operator: Any) -> list[Any]:
    """All that may be meant."""
    if isinstance(operator, torch._ops.OpOverloadPacket):
        return [getattr(operator, name) for name in operator.overloads()]
    return [operator]


def _is_given_seeds(operator: Any) -> bool:
    """As attention's backward is: it draws what forward drew."""
    return isinstance(operator, torch._ops.OpOverload) and any(
        parameter.name in ("philox_seed", "rng_state")
        for parameter in operator._schema.arguments)


def _drops_nothing(call: ast.Call, operator: Any) -> bool:
    """Of attention: it draws for dropout alone."""
    if not isinstance(operator, torch._ops.OpOverload):
        return False
    for index, parameter in enumerate(operator._schema.arguments):
        if parameter.name != "dropout_p":
            continue
        given = [keyword.value for keyword in call.keywords
                 if keyword.arg == parameter.name] or call.args[index:index + 1]
        value = given[0] if given else ast.Constant(parameter.default_value)
        return isinstance(value, ast.Constant) and value.value == 0
    return False
