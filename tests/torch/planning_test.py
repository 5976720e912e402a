# SPDX-License-Identifier: Apache-2.0
"""Plans without running: made, saved, loaded, estimated, and for batches."""

import json
from dataclasses import replace

import models
import pytest
import rematch
import rematch.torch
import torch
import training
from rematch.torch import (InfeasibleBudget, OutOfMemory, PlanMismatch,
                           RematchTorchError, SavedPlan, UnsupportedModel,
                           batch_size, calibration, planner, profiling)
from rematch.torch.reserve import bytes_there, state_bytes
from torch._subclasses.fake_tensor import FakeTensorMode

NAME = "gpt"
QUICK = {"time_limit": 0.5, "gap": 0.05}


def planned(model, budget, batch=None, **options):
    return rematch.torch.plan(model, *(batch or models.batch(NAME)), budget=budget,
                              loss_fn=training.loss_of(NAME), **QUICK, **options)


def least_of(model):
    with pytest.raises(InfeasibleBudget) as failure:
        planned(model, 1)
    return failure.value.least_budget


def between(model):
    """A budget for which something is recomputed."""
    return (least_of(model) + planned(model, "100%").peak_bytes) // 2


def test_a_plan_is_made_and_nothing_is_run():
    model = models.make(NAME)
    budget, batch = between(model), models.batch(NAME)
    state = torch.get_rng_state()
    plan = planned(model, budget, batch)
    assert plan.peak_bytes <= budget < plan.keep_all_peak_bytes
    assert plan.overhead > 0
    assert plan.step_seconds > 0
    assert "at the peak" in plan.explain()
    assert all(parameter.grad is None for parameter in model.parameters())
    assert torch.equal(torch.get_rng_state(), state)


def test_a_saved_plan_runs_again_as_it_was(tmp_path):
    model = models.make(NAME)
    plan = planned(model, between(model))
    plan.save(tmp_path / "plan.json")
    assert [item.name for item in tmp_path.iterdir()] == ["plan.json"]
    saved = SavedPlan.load(tmp_path / "plan.json")
    assert saved.explain() == plan.explain()
    assert rematch.replay(*saved.plan()).peak_bytes <= saved.peak_bytes
    step = training.step_of(model, NAME, saved.budget_bytes, plan=saved)
    step(*models.batch(NAME))
    again = step.graphs[0]
    assert again.solution is None
    assert [run.op.name for run in again.schedule.runs] == \
        [run.op.name for run in plan.schedule.runs]
    from_file = training.step_of(model, NAME, "100%", plan=tmp_path / "plan.json")
    from_file(*models.batch(NAME))
    assert from_file.graphs[0].peak_bytes == plan.peak_bytes


def test_a_plan_is_shown_on_a_page(tmp_path):
    model = models.make(NAME)
    plan = planned(model, between(model))
    plan.report(tmp_path / "page.html")
    page = document(tmp_path / "page.html")
    assert page["plans"][1]["peak_bytes"] == plan.solution.peak_bytes
    assert page["plans"][1]["certificate"]["budget_bytes"] == plan.solution.budget_bytes
    assert any("block" in name or "layer" in name or "." in name
               for name in page["graph"]["ops"]["modules"])
    saved = plan.saved()
    saved.report(tmp_path / "saved.html")
    again = document(tmp_path / "saved.html")["plans"][1]
    assert again["steps"] == page["plans"][1]["steps"]
    assert again["certificate"]["lower_bound"] == saved.lower_bound


def document(path):
    """The data of a page."""
    text = path.read_text(encoding="utf-8").partition('id="data">')[2]
    return json.loads(text.partition("</script>")[0])


def test_a_saved_plan_of_something_else_is_refused(tmp_path):
    model = models.make(NAME)
    saved = planned(model, "100%").saved()
    inputs, targets = models.batch(NAME)
    with pytest.raises(PlanMismatch, match="another"):
        training.step_of(model, NAME, "100%", plan=saved)(inputs[:1], targets[:1])
    with pytest.raises(InfeasibleBudget, match="the saved plan takes .*; plan anew"):
        training.step_of(model, NAME, saved.peak_bytes - 1, plan=saved)(inputs, targets)
    whole = saved.sequence
    for sequence, complaint in [
            (whole[:-1], "is not computed"), ([], "is not computed"),
            ([*whole, -1], "there is no op -1"), ([*whole, 9999], "there is no op 9999"),
            (whole[::-1], "which is not there")]:
        damaged = replace(saved, sequence=sequence)
        with pytest.raises(PlanMismatch, match=f"damaged: .*{complaint}"):
            training.step_of(model, NAME, "100%", plan=damaged)(inputs, targets)
    path = tmp_path / "plan.json"
    for text, complaint in [("{", "not JSON"), ("[]", "not a plan"),
                            ('{"format": "rematch.torch_plan", "version": 9}',
                             "version 9"),
                            ('{"format": "rematch.torch_plan", "version": 1}',
                             "missing")]:
        path.write_text(text)
        with pytest.raises(RematchTorchError, match=complaint):
            SavedPlan.load(path)


def test_an_estimate_needs_neither_a_gpu_nor_weights():
    with FakeTensorMode():
        model = models.make(NAME)
        inputs, targets = models.batch(NAME)
    times = {}
    for gpu in ("H100", "t4"):
        plan = rematch.torch.plan(model, inputs, targets, budget="100%", gpu=gpu,
                                  loss_fn=training.loss_of(NAME), **QUICK)
        times[gpu] = plan.step_seconds
    assert 0 < times["H100"] < times["t4"]
    assert plan.peak_bytes == planned(models.make(NAME), "100%").peak_bytes or \
        any("attention" in op.kind for op in plan.program.ops)
    with pytest.raises(ValueError, match="no GPU 'H10' is known; there are"):
        planned(models.make(NAME), "100%", gpu="H10")


def test_a_model_without_storage_is_estimated_not_measured():
    with torch.device("meta"):
        model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(),
                                    torch.nn.Linear(64, 4))
        batch = torch.empty(16, 8), torch.empty(16, 4)
    options = {"loss_fn": torch.nn.functional.mse_loss, "budget": "100%", **QUICK}
    assert rematch.torch.plan(model, *batch, gpu="H100", **options).peak_bytes > 0
    with pytest.raises(UnsupportedModel, match="on meta, where nothing can be measured"):
        rematch.torch.plan(model, *batch, **options)


def test_large_matrices_cost_what_their_arithmetic_takes():
    with FakeTensorMode():
        model = torch.nn.Linear(8192, 8192, bias=False)
        x = torch.randn(8192, 8192)
    plan = rematch.torch.plan(model, x, loss_fn=lambda y, _: y.sum(), budget="100%",
                              gpu="A100", **QUICK)
    products = [op.cost for op in plan.program.ops if op.kind == "aten.mm.default"]
    assert products == pytest.approx([2 * 8192**3 / 19.5e12 / 0.7 * 1e6] * 2, rel=0.01)


@pytest.mark.parametrize(("make", "copies"), [
    (lambda p: torch.optim.Adam(p), 2), (lambda p: torch.optim.SGD(p, lr=1), 0),
    (lambda p: torch.optim.SGD(p, lr=1, momentum=0.9), 1),
    (lambda p: torch.optim.AdamW(p, amsgrad=True), 3)])
def test_the_state_of_an_optimizer_is_known_before_it_is_there(make, copies):
    model = models.make(NAME)
    optimizer = make(list(model.parameters()))
    expected = state_bytes(optimizer)
    assert expected == copies * sum(p.untyped_storage().nbytes()
                                    for p in model.parameters())
    plain = planned(model, "100%")
    told = planned(model, "100%", optimizer=optimizer)
    assert told.peak_bytes - plain.peak_bytes == expected
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    assert (state_bytes(optimizer), bytes_there(optimizer)) == (0, expected)
    assert planned(model, "100%", optimizer=optimizer).peak_bytes == told.peak_bytes


def test_steps_that_ran_say_how_long_the_next_plan_takes(tmp_path, monkeypatch):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    model = models.make(NAME)
    first = planned(model, "100%")
    assert first.measured_seconds is None
    step = training.step_of(model, NAME, "100%")
    for _ in range(10):
        step(*models.batch(NAME))
    took = step.graphs[0].measured_seconds
    assert took > 0
    assert planned(model, "100%").step_seconds == pytest.approx(took)


def test_each_plan_is_timed_once(tmp_path, monkeypatch):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    timed = []

    def measure(schedule, *_):
        timed.append(schedule.cost)
        return schedule.cost * (1 + len(timed))  # 2, then 3 times as long.

    monkeypatch.setattr(calibration, "measure", measure)
    model = models.make(NAME)
    half = between(model)  # Plans for all memory, too.
    for times, budget in ((2, "100%"), (3, half), (2, "100%"), (3, half)):
        plan = planned(model, budget)
        assert plan.step_seconds == pytest.approx(times * plan.schedule.cost / 1e6)
    assert len(timed) == len(set(timed)) == 2


def test_what_cannot_be_timed_takes_as_long_as_another_plan_did(tmp_path, monkeypatch):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    monkeypatch.setattr(calibration, "measure", lambda schedule, *_: 2 * schedule.cost)
    model = models.make(NAME)
    budget = between(model)  # Plans for all memory.

    def measure(*_):
        raise torch.OutOfMemoryError

    monkeypatch.setattr(calibration, "measure", measure)
    plan = planned(model, budget)
    assert plan.step_seconds == pytest.approx(2 * plan.schedule.cost / 1e6)


def images(batch):
    return torch.zeros(batch, 3, 16, 16), torch.zeros(batch, dtype=torch.long)


def layers():
    return torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(768, 256), torch.nn.Tanh(),
        *(item for _ in range(4)
          for item in (torch.nn.Linear(256, 256), torch.nn.Tanh())))


def largest(model, budget, **options):
    return rematch.torch.max_batch(model, images, budget=budget,
                                   loss_fn=torch.nn.functional.cross_entropy,
                                   time_limit=0.2, **options)


def test_the_largest_batch_is_the_largest(monkeypatch):
    monkeypatch.setattr(planner, "_LEAST_PEAK_SECONDS", 0.2)
    monkeypatch.setattr(batch_size, "_CURVE_SECONDS", 0.3)
    model = layers()
    options = {"loss_fn": torch.nn.functional.cross_entropy, **QUICK}
    budget = rematch.torch.plan(model, *images(600), budget="100%",
                                **options).peak_bytes
    found = largest(model, budget)
    assert found.batch > 600
    assert found.plan.peak_bytes <= budget
    with pytest.raises(InfeasibleBudget):
        rematch.torch.plan(model, *images(found.batch + 1), budget=budget, **options)
    assert largest(model, budget, overhead=0.0).batch == 600
    with pytest.raises(InfeasibleBudget, match="a batch of 1 does not train"):
        largest(model, 1000)
    with pytest.raises(ValueError, match="a share of depends on the batch"):
        largest(model, "50%")
    with pytest.raises(ValueError, match="overhead must be at least 0, not -1"):
        largest(model, budget, overhead=-1)


def test_a_batch_that_the_model_refuses_is_too_small(monkeypatch):
    monkeypatch.setattr(batch_size, "_CURVE_SECONDS", 0.1)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(768, 8),
                                torch.nn.BatchNorm1d(8))
    with pytest.raises(InfeasibleBudget, match="a batch of 2 does not train within the "
                       "budget; the least budget for it is about [0-9]* bytes, and "
                       "one of 1 cannot be run$"):
        largest(model, 1000)


def test_a_batch_of_which_an_op_does_not_fit_alone_is_too_large(monkeypatch):
    measure, tried = profiling.Profiler.measure, []

    def measure_in_little_memory(profiler, op):
        shapes = [profiler.program.values[name].signature[0]
                  for name in op.outputs if name]
        tried.append(op.name)
        if any(shape and shape[0] > 5 and len(shape) == 4 for shape in shapes):
            raise torch.OutOfMemoryError
        return measure(profiler, op)

    monkeypatch.setattr(profiling.Profiler, "measure", measure_in_little_memory)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(),
                                torch.nn.Linear(4 * 14 * 14, 3))
    options = {"loss_fn": torch.nn.functional.cross_entropy, "cache": False, **QUICK}
    monkeypatch.setattr(batch_size, "_CURVE_SECONDS", 0.1)
    found = rematch.torch.max_batch(model, images, budget="1GiB", most=12, **options)
    assert found.batch == 5
    tried.clear()
    with pytest.raises(OutOfMemory, match="convolution does not fit into the memory"):
        rematch.torch.plan(model, *images(6), budget="1GiB", **options)
    assert tried == ["convolution"] * 2  # Once more when all else was let go.


def test_plans_are_json(tmp_path):
    saved = planned(models.make(NAME), "100%").saved()
    with pytest.raises(FileNotFoundError, match="nowhere/plan.json'$"):
        saved.save(tmp_path / "nowhere" / "plan.json")
    assert json.loads(json.dumps(saved.graph))["format"] == "rematch.graph"
