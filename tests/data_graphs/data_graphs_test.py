# SPDX-License-Identifier: Apache-2.0
"""Checks the bundled graphs: they are what their tool makes, and the program
gives the published numbers for them (Jain et al., MLSys 2020, as recomputed
from the artifact's rules; see data/README.md).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(os.environ.get("REMATCH_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("REMATCH_PROGRAM", str(ROOT / "build" / "rematch"))
TOOL = ROOT / "tools" / "reference_graphs.py"
NAMES = ("branch", "mobilenet", "resnet50", "unet", "vgg16", "vgg19")

# ops, edges, cost of every op once, keep-all peak, floor
SIZES = {
    "branch": (13, 26, 2_716_129_536, 164_017_152, 126_167_040),
    "mobilenet": (185, 367, 1_781_864_376, 67_775_500, 12_960_256),
    "resnet50": (353, 751, 11_761_327_104, 148_669_360, 14_450_688),
    "unet": (71, 148, 283_242_495_744, 654_983_168, 258_998_272),
    "vgg16": (45, 87, 46_410_792_960, 61_816_832, 51_380_224),
    "vgg19": (51, 99, 58_896_187_392, 66_633_728, 51_380_224),
}
# Peak of Checkmate's "checkpoint all", which keeps every forward value.
CHECKPOINT_ALL_PEAKS = {
    "branch": 164_021_664,
    "mobilenet": 73_878_508,
    "resnet50": 157_512_528,
    "unet": 717_172_736,
    "vgg16": 76_504_992,
    "vgg19": 81_723_296,
}


def graph_file(name):
    return str(ROOT / "data" / f"{name}.json")


def run(*arguments, text=None):
    return subprocess.run(
        [PROGRAM, *arguments], input=text, capture_output=True, text=True, check=False
    )


def answer(*arguments, text=None):
    result = run(*arguments, "--json", text=text)
    assert result.returncode in (0, 3, 4), result.stderr
    return json.loads(result.stdout)


def plan(name, budget, strategy):
    return answer("plan", graph_file(name), "-b", str(budget), "-s", strategy)


def checkpoint_all_plan(graph):
    """Every forward value stays until the last op, every gradient until its
    last reader."""
    ops = graph["ops"]
    forward = [op["name"] for op in ops if op.get("phase") == "forward"]
    last_reader = {name: op["name"] for op in ops for name in op.get("inputs", [])}
    steps = []
    for op in ops:
        inputs = op.get("inputs", [])
        if op is ops[-1]:
            steps += [{"drop": name} for name in forward if name not in inputs]
        steps.append({"compute": op["name"]})
        for name in inputs:
            if last_reader[name] == op["name"] and name not in forward:
                steps.append({"drop": name})
    return {"format": "rematch.plan", "version": 1, "steps": steps}


def test_every_bundled_graph_is_checked_here():
    assert sorted(path.stem for path in (ROOT / "data").glob("*.json")) == list(NAMES)


def test_regenerating_gives_the_committed_bytes(tmp_path):
    subprocess.run(
        [sys.executable, "-B", str(TOOL), "--output", str(tmp_path)],
        check=True,
        capture_output=True,
    )
    for name in NAMES:
        made = (tmp_path / f"{name}.json").read_bytes()
        assert made == Path(graph_file(name)).read_bytes(), name


def test_a_batch_scales_every_number(tmp_path):
    command = [sys.executable, "-B", str(TOOL), "--batch", "3", "vgg16"]
    subprocess.run(
        [*command, "--output", str(tmp_path)], check=True, capture_output=True
    )
    one = answer("inspect", graph_file("vgg16"))
    three = answer("inspect", str(tmp_path / "vgg16.json"))
    for field in ("base_cost", "keep_all_peak_bytes", "peak_floor_bytes"):
        assert three[field] == 3 * one[field]


@pytest.mark.parametrize("name", NAMES)
def test_file_is_as_the_program_writes_it(name):
    text = Path(graph_file(name)).read_text(encoding="utf-8")
    assert run("import", graph_file(name)).stdout == text


@pytest.mark.parametrize("name", NAMES)
def test_sizes(name):
    seen = answer("inspect", graph_file(name))
    fields = ("ops", "edges", "base_cost", "keep_all_peak_bytes", "peak_floor_bytes")
    assert tuple(seen[field] for field in fields) == SIZES[name]
    assert seen["fixed_bytes"] == 0


@pytest.mark.parametrize("name", NAMES)
def test_keep_all_costs_every_op_once(name):
    _, _, base_cost, keep_all_peak, _ = SIZES[name]
    seen = plan(name, "100%", "keep_all")
    assert seen["outcome"] == "optimal"
    assert (seen["cost"], seen["peak_bytes"]) == (base_cost, keep_all_peak)


@pytest.mark.parametrize("name", NAMES)
def test_peak_of_checkpoint_all(name):
    graph = json.loads(Path(graph_file(name)).read_text(encoding="utf-8"))
    text = json.dumps(checkpoint_all_plan(graph))
    seen = answer("replay", graph_file(name), "-", text=text)
    assert seen["peak_bytes"] == CHECKPOINT_ALL_PEAKS[name]
    assert seen["cost"] == SIZES[name][2]


@pytest.mark.parametrize(
    ("name", "cost", "peak"),
    [
        ("vgg16", 56_670_781_440, 59_826_176),
        ("vgg19", 72_512_667_648, 69_447_584),
        ("mobilenet", 2_365_611_960, 35_242_400),
    ],
)
def test_chen_sqrt(name, cost, peak):
    seen = plan(name, "1GiB", "chen_sqrt")
    assert (seen["cost"], seen["peak_bytes"]) == (cost, peak)


def test_chen_sqrt_on_mobilenet_costs_a_third_more():
    assert plan("mobilenet", "1GiB", "chen_sqrt")["overhead"] == pytest.approx(
        0.3276, abs=5e-5
    )


@pytest.mark.parametrize(
    ("name", "peak"), [("vgg19", 51_380_224), ("mobilenet", 24_887_296)]
)
def test_least_peak_of_chen_greedy(name, peak):
    assert plan(name, "min", "chen_greedy")["peak_bytes"] == peak


@pytest.mark.parametrize(
    ("name", "budget", "cost"),
    [
        ("vgg19", 51_380_224, 58_982_891_520),
        ("vgg16", 51_380_224, 46_497_497_088),
        ("vgg16", 57_401_344, 46_410_792_960),
    ],
)
def test_auto_reaches_the_optimum_of_the_exact_program(name, budget, cost):
    seen = plan(name, budget, "auto")
    assert seen["cost"] == cost
    assert seen["peak_bytes"] <= budget


@pytest.mark.parametrize("name", NAMES)
def test_below_the_floor_nothing_fits(name):
    floor = SIZES[name][4]
    seen = plan(name, floor - 1, "auto")
    assert (seen["outcome"], seen["stop_reason"]) == ("infeasible", "proved")
    assert str(floor) in seen["message"]


@pytest.mark.parametrize("strategy", ["exhaustive", "auto"])
@pytest.mark.parametrize(
    ("budget", "cost"),
    [
        (126_167_040, 3_205_026_816),
        (138_783_744, 3_119_864_064),
        (151_400_448, 2_801_292_288),
        (164_017_152, 2_716_129_536),
    ],
)
def test_branch_optima_are_proved(budget, cost, strategy):
    seen = plan("branch", budget, strategy)
    assert (seen["outcome"], seen["cost"]) == ("optimal", cost)
    assert seen["lower_bound"] == cost


@pytest.mark.parametrize(
    ("budget", "cost"),
    [(138_783_743, 3_205_026_816), (151_400_447, 3_119_864_064), (164_017_151, 2_801_292_288)],
)
def test_branch_a_byte_less_costs_the_next_step(budget, cost):
    assert plan("branch", budget, "exhaustive")["cost"] == cost


# The largest batch in 16e9 bytes with one more forward pass, parameters and
# their gradients counted once. No plan of any kind allows more.
@pytest.mark.parametrize(
    ("name", "parameters", "batch"),
    [
        ("branch", 589_728, 126),
        ("mobilenet", 17_015_456, 1231),
        ("unet", 49_331_020, 61),
        ("vgg16", 553_430_176, 289),
        ("vgg19", 574_668_960, 289),
    ],
)
def test_largest_batch(name, parameters, batch):
    asked = ("--memory", "16GB", "--overhead", "forward")
    fixed = ("--fixed", str(2 * parameters), "--time-limit", "60")
    seen = answer("max-batch", graph_file(name), *asked, *fixed)
    assert (seen["outcome"], seen["batch"], seen["batch_bound"]) == (
        "optimal",
        batch,
        batch,
    )
    assert seen["cost"] <= seen["cost_cap"]


def test_largest_batch_of_resnet50_beats_the_published_one():
    asked = ("--memory", "16GB", "--overhead", "forward", "--fixed", "205093696")
    seen = answer("max-batch", graph_file("resnet50"), *asked)
    assert 700 < seen["batch"] <= seen["batch_bound"] <= 1093


MEASURED = sorted((ROOT / "data" / "h200").glob("*.json"))


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.stem)
def test_a_measured_graph_says_where_it_is_from(path):
    text = path.read_text(encoding="utf-8")
    assert run("import", str(path)).stdout == text
    graph = json.loads(text)
    assert "measured on an NVIDIA H200" in graph["description"]
    assert graph["cost_unit"] == "us"
    assert any(op["phase"] == "backward" for op in graph["ops"])
    found = answer("plan", str(path), "--budget", "60%", "--strategy", "gap")
    assert found["peak_bytes"] <= found["budget_bytes"]
    assert found["base_cost"] < found["lower_bound"] <= found["cost"]
