# SPDX-License-Identifier: Apache-2.0
"""How kernels are launched, with kernels that only look like Triton's."""

from types import SimpleNamespace

import pytest
import torch
from rematch.torch import launches


def kernel_like(**attributes):
    """As one of PyTorch 2.11: its first run leaves one launcher."""
    calls = []

    def launcher(*args, stream):
        calls.append(("direct", args, stream))
        return "launched"

    launcher.store_cubin = attributes.pop("store_cubin", False)

    def run(self, *args, stream):
        calls.append(("run", args, stream))
        self.launchers = [launcher]
        return "launched"

    kind = type(launches._MAKER[1], (), {"run": run, "__module__": launches._MAKER[0]})
    kernel = kind()
    settings = {"triton_interpret": False, "dump_launch_params": False,
                "dump_launch_tensors": False, "launchers": [], **attributes}
    for name, value in settings.items():
        setattr(kernel, name, value)
    return kernel, calls


def test_the_launcher_is_called_once_there_is_one():
    kernel, calls = kernel_like()
    launch = launches.direct(kernel)
    for number in range(3):
        assert launch.run(number, stream=7) == "launched"
    assert calls == [("run", (0,), 7), ("direct", (1,), 7), ("direct", (2,), 7)]


def test_a_profiler_sees_the_kernel():
    kernel, calls = kernel_like()
    launch = launches.direct(kernel)
    launch.run(0, stream=7)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
        launch.run(1, stream=7)
    launch.run(2, stream=7)
    assert [kind for kind, *_ in calls] == ["run", "run", "direct"]


def test_a_kernel_that_has_not_settled_is_left_to_itself():
    kernel, calls = kernel_like(store_cubin=True)
    launch = launches.direct(kernel)
    for number in range(2):
        launch.run(number, stream=7)
    assert [kind for kind, *_ in calls] == ["run", "run"]


@pytest.mark.parametrize("attributes", [
    {"_cached_launcher": None}, {"triton_interpret": True},
    {"dump_launch_params": True}, {"dump_launch_tensors": True}])
def test_kernels_that_are_watched_or_fast_stay_as_they_are(attributes):
    kernel, _ = kernel_like(**attributes)
    assert launches.direct(kernel) is kernel


@pytest.mark.parametrize("thing", [torch.sin, 3, None, SimpleNamespace(run=print)])
def test_other_things_stay_as_they_are(thing):
    assert launches.direct(thing) is thing
