# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""

import pytest
import rematch


@pytest.fixture(scope="session")
def chain():
    """The training chain of 8 layers, 17 ops of cost 1 and 1 byte each."""
    return rematch.synthetic_graph("chain", length=8, training=True)


@pytest.fixture(scope="session")
def hard():
    """A graph that no strategy finishes in seconds."""
    return rematch.synthetic_graph("random", ops=2000, training=True)
