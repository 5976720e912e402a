# SPDX-License-Identifier: Apache-2.0
"""Work for the time in which a search runs.

The core searches in threads of its own and leaves Python free. What will be asked for
anyway, as the next partition, is compiled then.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from typing import Any

_FEWEST_CPUS = 3  # With less, a search would wait for the work.


class Soon:
    """Made when it is first asked for, or before. Failures wait until then."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make: Callable[[], Any] | None = make
        self._found: Any = None
        self._error: Exception | None = None

    def begin(self) -> None:
        if self._make is None:
            return
        make, self._make = self._make, None
        try:
            self._found = make()
        except Exception as error:
            self._error = error

    @property
    def is_made(self) -> bool:
        return self._make is None

    def __call__(self) -> Any:
        self.begin()
        if self._error is not None:
            raise self._error
        return self._found


class Meanwhile:
    """What can be done while somebody waits, in turn."""

    def __init__(self, cpus: int | None = None) -> None:
        """`cpus` is how many there are to work with; None: all that this process may
        use."""
        if cpus is None:
            cpus = len(os.sched_getaffinity(0))
        self._is_worth_it = cpus >= _FEWEST_CPUS
        self._waiting: deque[Soon] = deque()

    def add(self, make: Callable[[], Any]) -> Soon:
        soon = Soon(make)
        self._waiting.append(soon)
        return soon

    def work(self) -> None:
        """Makes the next, if there is one and somebody else has a processor."""
        while self._is_worth_it and self._waiting:
            soon = self._waiting.popleft()
            if not soon.is_made:
                soon.begin()
                return
