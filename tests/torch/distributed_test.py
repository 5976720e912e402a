# SPDX-License-Identifier: Apache-2.0
"""Two processes train together; see ranks.py for what they do."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

pytestmark = pytest.mark.skipif(not torch.distributed.is_available(),
                                reason="PyTorch is without torch.distributed")
SECONDS = 240  # Then they hang.
TRAINED = ["ddp_around_the_compiled", "ddp_inside_the_compiled",
           "ddp_with_the_loss_inside", "fsdp_of_compiled_blocks", "tightest",
           "fused_in_ddp", "fsdp_of_fused_blocks"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What each of the two found, by scenario."""
    folder = tmp_path_factory.mktemp("ranks")
    script = Path(__file__).with_name("ranks.py")
    environment = {**os.environ, "REMATCH_CACHE": str(folder / "cache")}
    logs = [folder / f"{rank}.log" for rank in range(2)]
    processes = []
    try:
        for rank, log in enumerate(logs):
            with log.open("w") as file:
                processes.append(subprocess.Popen(
                    [sys.executable, "-B", script, folder, str(rank)],
                    env=environment, stdout=file, stderr=file))
        codes = [process.wait(SECONDS) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert codes == [0, 0], "\n".join(log.read_text()[-3000:] for log in logs)
    return [json.loads((folder / f"{rank}.json").read_text()) for rank in range(2)]


@pytest.mark.parametrize("name", TRAINED)
def test_numbers_are_those_without_a_plan(found, name):
    """Bitwise: the sum of two gradients does not depend on their order."""
    for rank in found:
        assert rank[name]["equal"]
        # A block of so few fused kernels has nothing to compute again.
        assert rank[name]["reruns"] > 0 or name == "fsdp_of_fused_blocks"


@pytest.mark.parametrize("name", TRAINED)
def test_ranks_have_the_same_plan(found, name):
    first, second = (rank[name] for rank in found)
    assert first["plan"] == second["plan"]
    assert first["graphs"] == second["graphs"] == (2 if "blocks" in name else 1)


def test_gradients_are_reduced(found):
    """Each rank has batches of its own, and yet they have the same weights."""
    first, second = (rank["ddp_around_the_compiled"]["weights"] for rank in found)
    assert first == second


def test_a_plan_fits_the_tightest(found):
    alone, together = (found[1][name]["largest"]
                       for name in ("ddp_around_the_compiled", "tightest"))
    assert together <= alone * 1.01  # Both were planned for 85%.
    assert found[0]["tightest"]["largest"] == together


def test_what_is_infeasible_for_one_is_so_for_all(found):
    for rank in found:
        assert rank["infeasible_for_one"].startswith("InfeasibleBudget: ")
        assert "the least budget that works is" in rank["infeasible_for_one"]


def test_helpers_for_other_packages_are_not_imported(found):
    assert [rank["imported"] for rank in found] == [[], []]


def test_a_rank_that_compiles_alone_goes_on(found):
    alone = found[1]["on_its_own"]
    assert alone["graphs"] == 1
    assert ["planning without rank 0" in text for text in alone["log"]] == [True]


@pytest.mark.parametrize("name, text", [
    ("step_of_ddp", "TrainStep cannot have a model in DistributedDataParallel"),
    ("step_of_sharded", "TrainStep cannot have a sharded model"),
    ("whole_with_sharded_parts", "'blocks.0' is sharded on its own"),
])
def test_what_would_not_fit_is_refused(found, name, text):
    for rank in found:
        assert rank[name].startswith(f"UnsupportedModel: {text}")
