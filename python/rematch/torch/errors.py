# SPDX-License-Identifier: Apache-2.0
"""What the front end raises."""

import functools

from torch._dynamo.exc import BackendCompilerFailed

import rematch


class RematchTorchError(RuntimeError):
    """Base of all errors of this package."""


class UnsupportedModel(RematchTorchError):
    """The captured graph has something that cannot be planned."""


class InfeasibleBudget(RematchTorchError):
    """No plan fits the budget; says which budget would do, and how: the ops in
    the order in which they are then computed."""

    def __init__(self, message, least_budget=None, sequence=None):
        super().__init__(message)
        self.least_budget = least_budget
        self.sequence = sequence


class OutOfMemory(RematchTorchError):
    """Something that has to run before there is a plan does not fit."""


class PlanMismatch(RematchTorchError):
    """What would run is not what was planned."""


def reason(said: object) -> str:
    """What PyTorch says of a model that it cannot capture, in a line: its head, and the
    explanation, which names things."""
    lines = [line.strip() for line in str(said).splitlines()]
    head = lines[0] if lines else type(said).__name__
    more = next((line.removeprefix("Explanation:").strip() for line in lines
                 if line.startswith("Explanation:")), "")
    return f"{head}: {more}" if more else head


def unwrapped(function):
    """The function, but an error of ours comes as itself, not wrapped by the
    compiler in which it was raised."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except BackendCompilerFailed as failure:
            inner = failure.inner_exception
            if isinstance(inner, (RematchTorchError, rematch.Error, ValueError)):
                raise inner.with_traceback(None) from None
            raise

    return call
