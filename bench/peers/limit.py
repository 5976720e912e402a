# SPDX-License-Identifier: Apache-2.0
"""An end to what takes too long."""

import signal
from contextlib import contextmanager


class TooLong(BaseException):
    """Not an Exception: compilers go on after those."""


@contextmanager
def limited(seconds):
    """Raises TooLong after as many of them; 0: never."""
    def stop(*_):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
