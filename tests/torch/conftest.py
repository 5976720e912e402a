# SPDX-License-Identifier: Apache-2.0
"""What the tests of the PyTorch front end share."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


@pytest.fixture(autouse=True)
def fresh(monkeypatch, tmp_path_factory):
    """No compiled code from other tests, and a cache of our own."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("REMATCH_CACHE", str(folder))
    torch.set_num_threads(1)
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def captures(monkeypatch):
    """Partitions that were compiled, with fused kernels."""
    found = []
    from rematch.torch.fused import compiler  # Slow to import.

    original = compiler.capture

    def capture(module, inputs, partition, settings):
        found.append(partition)
        return original(module, inputs, partition, settings)

    monkeypatch.setattr(compiler, "capture", capture)
    return found
