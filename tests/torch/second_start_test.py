# SPDX-License-Identifier: Apache-2.0
"""The same training starts again without a trace, and runs the same."""

import gc
import json
import logging
import os
import subprocess
import sys
import weakref
from pathlib import Path

import pytest
import rematch.torch
import torch
from rematch.torch import backend, remembered, second_start
from rematch.torch.fused import kernels as fused_kernels
from rematch.torch.fused.partition import Partition
from starts import ALL, Net, equal, own_cache, started, trained, work  # noqa: F401
from torch import nn
from torch._inductor.runtime.runtime_utils import cache_dir
from torch.nn import functional as F


def entries():
    folder = Path(cache_dir()) / "aotautograd"
    return {path for path in folder.glob("*/*") if path.is_file()}


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """Files that the test has put into PyTorch's cache, which is its own, when it is
    called."""
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
    return entries


def test_nothing_is_traced_read_or_planned_again(work):
    first, graph = trained()
    assert set(work) == ALL
    work.clear()
    again, other = trained()
    assert not work
    assert equal(first, again)
    assert other.summary() == graph.summary()


SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
import torch
from second_start_test import Net, equal, trained
import torch._functorch.aot_autograd as aot
torch.set_num_threads(1)
traces = []
original = aot.aot_stage1_graph_capture
aot.aot_stage1_graph_capture = lambda *a: traces.append(1) or original(*a)
if sys.argv[2] == "rematch":
    left, graph = trained()
else:
    torch.manual_seed(0)
    model = Net()
    compiled = torch.compile(model, dynamic=False)
    for _ in range(2):
        loss = compiled(torch.randn(64, 16)).square().mean()
        loss.backward()
    left = [loss.detach(), *(p.grad for p in model.parameters()), *model.buffers(),
            torch.get_rng_state()]
print(json.dumps([len(traces), [item.tolist() for item in left]]))
"""


def in_new_process(which, count=1):
    """How many traces there were, and what was left; of so many at once the last."""
    processes = [subprocess.Popen(
        [sys.executable, "-B", "-c", SCRIPT, str(Path(__file__).parent), which],
        stdout=subprocess.PIPE, text=True, env={
            **os.environ, "PYTHONPATH": str(Path(rematch.__file__).parents[1])})
        for _ in range(count)]
    for process in processes:
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0
    return json.loads(output.splitlines()[-1])


def test_a_new_process_runs_the_same_to_the_bit():
    traces, first = in_new_process("rematch")
    assert traces > 0
    traces, again = in_new_process("rematch")
    assert traces == 0
    assert again == first
    assert in_new_process("torch.compile")[1] == first


def test_two_processes_at_once_leave_something_for_the_next():
    first = in_new_process("rematch", count=2)[1]
    assert in_new_process("rematch") == [0, first]


def test_what_recomputes_starts_again(work):
    """With a partition and a plan of its own."""
    floor = None
    try:
        trained(budget=1)
    except rematch.torch.InfeasibleBudget as error:
        floor = error.least_budget
    first, graph = trained(budget=floor)
    done = list(work)
    again, other = trained(budget=floor)
    assert work == done
    assert equal(first, again)
    assert str(other.kernels) == str(graph.kernels)
    assert other.peak_bytes == graph.peak_bytes <= floor
    assert other.planned.sequence == graph.planned.sequence


def test_the_plan_is_there_when_it_is_asked_for(work, tmp_path):
    graph = trained()[1]
    work.clear()
    seen = []
    again = trained(steps=10, on_plan=seen.append)[1]
    assert seen == [again]
    for name in ("peak_bytes", "keep_all_peak_bytes", "overhead", "budget", "digest"):
        assert getattr(again, name) == getattr(graph, name)
    assert again.measured_seconds is not None
    assert again._find_plan is not None  # Nobody has asked yet.
    assert again.explain().splitlines()[2:] == graph.explain().splitlines()[2:]
    assert again.schedule.peak == graph.schedule.peak == again.peak_bytes
    assert again.solution.lower_bound == graph.solution.lower_bound
    assert not work
    again.report(tmp_path / "plan.html")
    again.save(tmp_path / "plan.json")
    trained(plan=tmp_path / "plan.json")


def test_another_budget_is_planned_anew(work):
    graph = trained()[1]
    work.clear()
    budget = graph.peak_bytes + 4096
    assert trained(budget=budget)[1].budget == budget
    assert set(work) == ALL
    work.clear()
    assert trained(budget=budget + 1)[1].budget == budget + 1
    assert set(work) == ALL


def test_other_bytes_outside_are_planned_anew(work):
    graph = trained(budget="1MiB")[1]
    work.clear()
    other = trained(budget="1MiB", reserve=4096)[1]
    assert set(work) == ALL
    assert other.peak_bytes == graph.peak_bytes + 4096
    model, _ = started()
    work.clear()
    optimizer = torch.optim.Adam(model.parameters())
    assert trained(budget="1MiB", optimizer=optimizer)[1].peak_bytes > graph.peak_bytes
    assert set(work) == ALL


def test_what_was_beaten_for_another_budget_is_planned_anew(work, monkeypatch):
    trained()
    work.clear()
    trained()
    assert work == []
    better = {**Partition(all_fusible=True).record(), "in_place": False, "peak": 1,
              "cost": 1.0}
    monkeypatch.setattr(remembered, "ways", lambda *_: [better])
    trained()
    assert ALL <= set(work)
    work.clear()
    trained()  # That was tried.
    assert work == []


def test_a_plan_that_does_not_fit_any_more_is_not_run(work, monkeypatch, caplog):
    """Also where the key does not say so: what is free on a device differs."""
    peak = trained()[1].peak_bytes
    monkeypatch.setattr(second_start, "_hash", lambda *_: "one for all")
    trained(budget=peak + 100)
    work.clear()
    with caplog.at_level(logging.INFO, "rematch"):
        other = trained(budget=peak + 100, reserve=100)[1]
        assert other.peak_bytes == peak + 100
        assert not work
        with pytest.raises(rematch.torch.InfeasibleBudget):
            trained(budget=peak + 100, reserve=101)
    assert sum("cannot be used" in line for line in caplog.messages) == 1
    work.clear()
    # And one for less room than there is may be slower than it has to be.
    trained(budget=2 * peak)
    assert "Lowering" in work


def test_damaged_files_are_written_anew(work, kept, caplog):
    first = trained()[0]
    path, = kept()
    for content in (b"", b"nothing", path.read_bytes()[:-100]):
        for path in kept():
            path.write_bytes(content)
        work.clear()
        caplog.clear()
        with caplog.at_level(logging.INFO, "rematch"):
            assert equal(trained()[0], first)
        assert [record.levelname for record in caplog.records
                if "cannot be used" in record.message] == ["INFO"]
        assert set(work) == ALL
        work.clear()
        assert equal(trained()[0], first)
        assert not work


def test_files_that_are_gone_are_written_anew(work, kept):
    first = trained()[0]
    for path in kept():
        path.unlink()
    assert equal(trained()[0], first)
    work.clear()
    assert equal(trained()[0], first)
    assert not work


def test_kernels_that_cannot_be_loaded_are_compiled_anew(work, monkeypatch):
    first = trained()[0]
    work.clear()
    with monkeypatch.context() as patch:
        from rematch.torch.fused import compiler
        patch.setattr(compiler.PyCodeCache, "load", lambda source: 1 / 0)
        assert equal(trained()[0], first)
    assert "Lowering" in work


def test_without_our_record_nothing_is_found(work, monkeypatch, tmp_path):
    """Whoever deletes our cache measures and plans anew."""
    trained()
    work.clear()
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path / "another"))
    trained()
    assert set(work) == ALL


def test_without_a_cache_nothing_is_kept(work, kept):
    trained(cache=False)
    assert not kept()
    with torch._functorch.config.patch(enable_autograd_cache=False):
        trained()
    assert not kept()


def test_our_own_source_is_part_of_the_key(work, monkeypatch):
    trained()
    work.clear()
    monkeypatch.setattr(second_start, "_sources", lambda: "another")
    trained()
    assert set(work) == ALL


@pytest.mark.parametrize("start", ["first", "second"])
def test_batches_are_let_go(start):
    if start == "second":
        trained()
    _, compiled = started()
    batch = torch.randn(64, 16)
    alive = weakref.ref(batch)
    compiled(batch).square().mean().backward()
    del batch
    gc.collect()
    assert alive() is None


def test_passes_in_flight_and_run_once_more(work):
    def run():
        model, compiled = started()
        one, other = (compiled(torch.randn(64, 16)).square().mean() for _ in range(2))
        other.backward(retain_graph=True)
        one.backward()
        other.backward()
        return [p.grad.clone() for p in model.parameters()]

    first = run()
    work.clear()
    assert equal(run(), first)
    assert not work


class Words(nn.Module):
    """Most of its memory is in the logits, which become their gradients."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16)
        self.outer = nn.Linear(16, 2048, bias=False)

    def forward(self, x, targets):
        return F.cross_entropy(self.outer(torch.tanh(self.inner(x))), targets)


def test_what_is_overwritten_is_spared_if_it_is_read_again(work):
    def run(**options):
        model, compiled = started(Words, **options)
        loss = compiled(torch.randn(128, 16), torch.randint(2048, (128,)))
        loss.backward(retain_graph=True)
        loss.backward()
        return [p.grad.clone() for p in model.parameters()], compiled.rematch_graphs[0]

    wanted, graph = run(cache=False)
    budget = rematch.solve_least_peak(graph.graph).peak_bytes - 128 * 2048 * 2
    for _ in range(2):
        found, graph = run(budget=budget)
        assert equal(found, wanted)
        assert graph.kernels.in_place
        done, graph = list(work), None
        work.clear()
    assert not done


class Drawn(nn.Module):
    """What an operator draws is drawn again in backward."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(256, 256) for _ in range(6))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) * torch.rand(512, 256)
        return x


def test_what_is_drawn_again_is_the_same(work):
    """Operators draw from the generator, kernels from seeds."""
    def run():
        model, compiled = started(Drawn, budget="85%", time_limit=1)
        compiled(torch.randn(512, 256)).square().mean().backward()
        return [torch.get_rng_state(), *(p.grad.clone() for p in model.parameters())], \
            compiled.rematch_graphs[0]

    with torch._inductor.config.patch(fallback_random=True):
        first, graph = run()
        work.clear()
        again, other = run()
    assert not work
    assert equal(first, again)
    assert "_replay(" in graph.functions["backward"].source
    assert other.functions["backward"].source == graph.functions["backward"].source


class Shapes(nn.Module):
    """Writes to an input, and returns views, of an input too."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(16, 16)

    def forward(self, x, count):
        count.add_(1)
        out = F.relu(self.linear(x))
        return out.view(2, -1), out[0], x.t(), count.view(-1)


def test_views_and_inputs_that_are_written_to(work):
    def run():
        model, compiled = started(Shapes)
        x, count = torch.randn(8, 16), torch.zeros(2, 2)
        for _ in range(2):
            whole, row, turned, seen = compiled(x, count)
            (whole.square().sum() + row.sum()).backward()
        assert turned.data_ptr() == x.data_ptr() and seen.data_ptr() == count.data_ptr()
        assert row._base is not None or row.data_ptr() == whole.data_ptr()
        return [whole.detach(), row.detach(), count,
                *(p.grad.clone() for p in model.parameters())]

    first = run()
    assert torch.equal(first[2], torch.full((2, 2), 2.0))
    work.clear()
    assert equal(run(), first)
    assert not work


def test_autocast_is_part_of_the_key(work):
    def run(dtype):
        model, compiled = started()
        with torch.autocast("cpu", dtype or torch.bfloat16, enabled=dtype is not None):
            loss = compiled(torch.randn(64, 16)).float().square().mean()
        loss.backward()
        return [loss.detach(), *(p.grad.clone() for p in model.parameters())]

    found = [run(dtype) for dtype in (None, torch.bfloat16, torch.float16)]
    assert work.count("Lowering") == 3
    work.clear()
    for dtype, first in zip((None, torch.bfloat16, torch.float16), found):
        assert equal(run(dtype), first)
    assert not work


class InPieces(Net):
    def forward(self, x):
        x = self.norm(F.gelu(self.first(x)))
        torch._dynamo.graph_break()
        return self.second(x)


def test_pieces_are_compiled_as_always(kept):
    for _ in range(2):
        _, compiled = started(InPieces, budget="1MiB")
        for _ in range(2):
            compiled(torch.randn(64, 16)).square().mean().backward()
        assert len(compiled.rematch_graphs) == 2
    assert not kept()


def test_what_falls_back_to_eager_kernels_is_not_kept(kept, monkeypatch):
    def fail(*_):
        raise rematch.torch.UnsupportedModel("on purpose")

    monkeypatch.setattr(backend, "why_eager", lambda *_: None)
    monkeypatch.setattr(fused_kernels, "Lowering", fail)
    left, graph = trained(kernels="auto", budget="1MiB")
    assert graph.kernels.name == "eager"
    assert not kept()
    torch.manual_seed(0)
    model = Net()
    for _ in range(2):
        loss = model(torch.randn(64, 16)).square().mean()
    assert torch.equal(left[0], loss)


def test_what_cannot_be_compared_is_compiled_as_always(work, kept, monkeypatch):
    monkeypatch.setattr(second_start, "_sources", lambda: 1 / 0)
    trained()
    assert set(work) == ALL
    assert not kept()


def test_without_gradients_nothing_is_kept(monkeypatch):
    begun = []
    monkeypatch.setattr(backend.second_start, "begin", lambda *_: begun.append(_))
    for _ in range(2):
        model, compiled = started(lambda: nn.Linear(16, 16).requires_grad_(False))
        x = torch.randn(64, 16)
        torch.testing.assert_close(compiled(x), model(x))
        assert compiled.rematch_graphs == []
    assert not begun


@torch.library.custom_op("rematch_test::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


twice.register_fake(torch.empty_like)
twice.register_autograd(lambda ctx, grad: 2 * grad, setup_context=lambda *_, **__: None)


class WithOp(Net):
    def forward(self, x):
        return torch.ops.rematch_test.twice(super().forward(x))


def test_ops_of_others_are_traced_each_time(kept):
    """What they do is not in the key."""
    _, compiled = started(WithOp)
    compiled(torch.randn(64, 16)).square().mean().backward()
    assert not kept()


def test_a_step_starts_again(work):
    def run():
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = Net()
        step = rematch.torch.TrainStep(model, F.mse_loss, budget="1MiB",
                                       kernels="fused")
        loss = step(torch.randn(64, 16), torch.randn(64, 16))
        return [loss, *(p.grad.clone() for p in model.parameters())]

    first = run()
    work.clear()
    assert equal(run(), first)
    assert not work


def test_plans_without_a_step_are_found(work):
    def plan():
        torch._dynamo.reset()
        torch.manual_seed(0)
        return rematch.torch.plan(Net(), torch.randn(64, 16), torch.randn(64, 16),
                                  loss_fn=F.mse_loss, budget="1MiB", kernels="fused")

    test_a_step_starts_again(work)
    found = plan()
    assert not work
    assert found.schedule.peak == found.peak_bytes
