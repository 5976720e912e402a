# SPDX-License-Identifier: Apache-2.0
"""What backward computes again by itself, with fused kernels; and which way is run."""

import math
from itertools import chain
from types import SimpleNamespace

import pytest
import rematch.torch
import torch
from rematch.torch import choice, planned_graph, planner, remembered
from rematch.torch.errors import InfeasibleBudget, UnsupportedModel
from rematch.torch.fused import compiler
from rematch.torch.fused import kernels as fused
from rematch.torch.fused.partition import Partition
from rematch.torch.meanwhile import Meanwhile
from rematch.torch.profile_cache import ProfileCache
from torch import nn
from torch.nn import functional as F

SIZE = 32


class Dropping(nn.Module):
    def __init__(self, depth=3, share=0.5):
        super().__init__()
        self.share = share
        self.layers = nn.ModuleList(nn.Linear(SIZE, SIZE) for _ in range(depth))
        self.norm = nn.LayerNorm(SIZE)

    def forward(self, x):
        x = self.norm(x)
        for layer in self.layers:
            x = F.dropout(torch.tanh(layer(x)), self.share)
        return x


def compile_with(monkeypatch, recompute, **options):
    """A model whose backward computes these again."""
    original = fused.FusedKernels.capture.__func__
    record = {"recompute": recompute, "in_place": False, "peak": 0, "cost": 1.0}
    monkeypatch.setattr(fused.FusedKernels, "capture", classmethod(
        lambda cls, compiler, _=None: original(cls, compiler, record)))
    torch.manual_seed(0)
    return rematch.torch.compile(Dropping(**options), budget="1GiB", kernels="fused")


def test_backward_drops_what_forward_has_dropped(monkeypatch):
    """PyTorch's own budget draws other seeds in backward."""
    model = compile_with(monkeypatch, ["gt", "gt_1", "gt_2", "mul_2", "mul_3", "mul_4"])
    inputs = torch.randn(64, SIZE)
    output = model(inputs)
    gradient = torch.randn_like(output)
    output.backward(gradient)
    graph = model.rematch_graphs[0]
    assert "gt" not in graph.kernels.found.crossing
    assert "inductor_seeds_default" in graph.kernels.found.crossing
    kept = output != 0
    slope = 1 - (output / 2) ** 2
    wanted = (gradient * kept * 2 * slope).sum(0)
    assert torch.allclose(model.layers[-1].bias.grad, wanted, rtol=1e-4, atol=1e-4)


def test_all_parts_of_something_are_computed_again_together(monkeypatch):
    """Mean and deviation come from one op, and only one of them is named."""
    model = compile_with(monkeypatch, ["getitem_1"], depth=1, share=0.0)
    torch.manual_seed(0)
    plain = Dropping(depth=1, share=0.0)
    inputs = torch.randn(8, SIZE)
    for each in (model, plain):
        each(inputs).square().sum().backward()
    assert "getitem_1" not in model.rematch_graphs[0].kernels.found.crossing
    for ours, theirs in zip(model.parameters(), plain.parameters()):
        assert torch.allclose(ours.grad, theirs.grad, rtol=1e-4, atol=1e-5)


def test_other_partitions_are_of_the_same_step(monkeypatch):
    """While AOTAutograd partitions, autocast is off."""
    original, states = compiler.capture, []
    monkeypatch.setattr(compiler, "capture", lambda *given: states.append(
        torch.is_autocast_enabled("cpu")) or original(*given))
    step = rematch.torch.compile(Dropping(6), budget="70%", kernels="fused", time_limit=1,
                                 cache=False)
    with torch.autocast("cpu", torch.bfloat16):
        step(torch.randn(256, SIZE)).float().sum().backward()
    assert len(states) > 1 and all(states)


class Remembering(nn.Module):
    """Uses a state that it overwrites."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(SIZE, SIZE)
        self.register_buffer("state", torch.ones(SIZE))

    def forward(self, x):
        y = self.layer(x)
        self.state.mul_(0.5).add_(y.detach().mean(0))
        return torch.tanh(y) * self.state.sin()


@pytest.mark.parametrize("names", [["mul"], ["add"], ["sin"], ["mul", "add", "sin"]])
def test_nothing_is_computed_again_from_what_forward_overwrites(monkeypatch, names):
    record = {"recompute": names, "in_place": False, "peak": 0, "cost": 1.0}
    original = fused.FusedKernels.capture.__func__
    monkeypatch.setattr(fused.FusedKernels, "capture", classmethod(
        lambda cls, compiler, _=None: original(cls, compiler, record)))
    gradients = []
    for compile_it in (lambda model: model, lambda model: rematch.torch.compile(
            model, budget="1GiB", kernels="fused", cache=False)):
        torch.manual_seed(0)
        model = Remembering()
        compile_it(model)(torch.ones(8, SIZE)).square().sum().backward()
        gradients.append(model.layer.weight.grad)
    assert torch.allclose(*gradients, rtol=1e-4, atol=1e-5)


def step_of(model, **options):
    return rematch.torch.TrainStep(model, lambda out, _: out.square().mean(),
                                   **{"kernels": "fused", **options})


def test_the_second_start_compiles_and_searches_nothing(
        captures, monkeypatch, tmp_path):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    searches = []
    original = planner.plan
    monkeypatch.setattr(planner, "plan", lambda *args, **more: searches.append(
        args) or original(*args, **more))
    inputs = torch.randn(64, SIZE)
    steps, counts = [], None
    for _ in range(2):
        torch._dynamo.reset()
        torch.manual_seed(0)
        steps.append(step_of(Dropping(4), budget="80%", time_limit=0.5))
        steps[-1](inputs, None)
        counts = counts or (len(captures), len(searches))
    first, second = (step.graphs[0] for step in steps)
    assert counts == (len(captures), len(searches)) and min(counts) > 0
    assert first.kernels.partition == second.kernels.partition
    assert first.planned.sequence == second.planned.sequence
    assert first.budget == second.budget
    assert first.solution.lower_bound == second.solution.lower_bound
    assert first.overhead == second.overhead


def test_a_saved_plan_says_which_kernels_it_is_over(captures, tmp_path):
    inputs = torch.randn(64, SIZE)
    step = step_of(Dropping(4), budget="80%", time_limit=0.5, cache=False)
    step(inputs, None)
    graph = step.graphs[0]
    graph.save(tmp_path / "plan.json")
    torch._dynamo.reset()
    captures.clear()
    for kernels in ("fused", "auto"):
        torch._dynamo.reset()
        again = step_of(Dropping(4), budget="80%", cache=False, kernels=kernels,
                        plan=tmp_path / "plan.json")
        again(inputs, None)
        assert captures == [graph.kernels.partition]
        assert again.graphs[0].planned.sequence == graph.planned.sequence
        captures.clear()
    with pytest.raises(ValueError, match="over fused kernels, and kernels='eager'"):
        step_of(Dropping(4), budget="80%", kernels="eager", plan=tmp_path / "plan.json")


# -- which way is run ----------------------------------------------------------


def way(name, cost, *others, fits=True, over=None, blocks=None, fusible=None):
    """One that recomputes half, and leads to others."""
    op = SimpleNamespace(cost=cost / 1.5)
    runs = [SimpleNamespace(op=op, number=0), SimpleNamespace(
        op=SimpleNamespace(cost=cost / 3), number=1)]
    schedule = SimpleNamespace(cost=cost, peak=1, runs=runs)
    waiting = list(others)
    kernels = SimpleNamespace(
        name=name, is_settled=False, is_remembered=False, overwriting=lambda: over,
        every_block=lambda: blocks, all_fusible=lambda: fusible,
        another=lambda schedule: waiting.pop(0) if waiting else None)
    failure = None if fits else InfeasibleBudget("too little", cost)
    found = choice.Way(kernels, SimpleNamespace(ops=[op]), None,
                       SimpleNamespace(schedule=schedule) if fits else None, failure,
                       schedule)
    kernels.way = found
    return kernels


def chosen(kernels, may_fall_back=False):
    return choice.choose(kernels, may_fall_back,
                         lambda each, below: each.way).kernels.name


def test_the_way_that_takes_least_time_is_run():
    assert chosen(way("a", 3.0, way("b", 2.0))) == "b"
    assert chosen(way("a", 3.0, way("b", 4.0, way("c", 1.0)))) == "a"
    assert chosen(way("a", 3.0, way("b", 2.0, way("c", 1.0, way("d", 0.5))))) == "c"


def test_what_another_partition_drops_is_computed_again_too():
    assert chosen(way("a", 3.0, blocks=way("b", 2.0, way("c", 1.0)))) == "c"
    assert chosen(way("a", 3.0, way("b", 4.0), fusible=way("c", 2.0, way("d", 2.5)))) == "c"


def test_the_least_budget_is_looked_for_as_long_as_it_drops():
    """Costs are what the ways need at least."""
    def least(*needs):
        kernels = None
        for need in reversed(needs):
            kernels = way(str(need), need, *[kernels] * (kernels is not None), fits=False)
        return chosen(kernels)

    assert least(90.0, 80.0, 70.0, 60.0, 50.0) == "50.0"
    assert least(90.0, 80.0, 70.0, 69.9, 50.0) == "69.9"
    assert least(90.0, 95.0, 50.0) == "90.0"


def test_what_is_tried_anyway_is_made_while_a_search_runs():
    log = []

    def made(name, result):
        return lambda: log.append(f"made {name}") or result

    kernels = way("a", 3.0, way("b", 2.0))
    kernels.all_fusible = made("c", way("c", 1.0))
    kernels.every_block = made("d", way("d", 1.5))
    meanwhile = Meanwhile(cpus=3)

    def plan_with(each, below):
        log.append(f"search {each.name}")
        meanwhile.work()
        return each.way

    found = choice.choose(kernels, False, plan_with, meanwhile=meanwhile)
    assert found.kernels.name == "c"
    assert log == ["search a", "search b", "made c", "search c", "made d", "search d"]


def test_what_cannot_be_made_meanwhile_is_said_when_it_is_asked_for():
    def fail():
        raise UnsupportedModel("a line")

    meanwhile = Meanwhile(cpus=3)
    first, second = meanwhile.add(fail), meanwhile.add(list)
    meanwhile.work()
    assert first.is_made and not second.is_made
    with pytest.raises(UnsupportedModel, match="a line"):
        first()
    assert second() == []
    meanwhile.work()


def test_a_search_has_the_only_processors():
    meanwhile = Meanwhile(cpus=2)
    soon = meanwhile.add(list)
    meanwhile.work()
    assert not soon.is_made


def test_work_is_done_while_the_core_searches():
    step = step_of(Dropping(6), budget="100%", cache=False)
    step(torch.randn(64, SIZE), None)
    graph, times = step.graphs[0], []
    least = planner.plan_least(graph.program).schedule.peak
    found = planner.plan(graph.program, (least + graph.budget) // 2,
                         meanwhile=lambda: times.append(1))
    assert times and found.schedule.peak <= (least + graph.budget) // 2


@pytest.mark.parametrize("cpus", [1, 3])
def test_partitions_are_compiled_while_the_core_searches(monkeypatch, cpus):
    monkeypatch.setattr(planned_graph, "Meanwhile", lambda: Meanwhile(cpus))
    plan, capture, is_searching, found = planner.plan, compiler.capture, [], []

    def planning(*args, **more):
        is_searching.append(True)
        try:
            return plan(*args, **more)
        finally:
            is_searching.pop()

    monkeypatch.setattr(planner, "plan", planning)
    monkeypatch.setattr(compiler, "capture", lambda module, inputs, partition, settings: (
        found.append((partition, bool(is_searching)))
        or capture(module, inputs, partition, settings)))
    gradients = []
    for kernels, budget in (("eager", "100%"), ("fused", "75%")):
        torch.manual_seed(0)
        model = Dropping(6, share=0.0)
        step = step_of(model, budget=budget, cache=False, time_limit=1, kernels=kernels)
        step(torch.ones(256, SIZE), None)
        gradients.append([p.grad for p in model.parameters()])
    assert found[0] == (Partition(), False)
    assert len(found) == len({partition for partition, _ in found})
    assert any(meanwhile for _, meanwhile in found) == (cpus > 2)
    for a, b in zip(*gradients, strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-6)


def test_in_place_is_run_if_that_is_better():
    assert chosen(way("a", 3.0, over=way("b", 2.0))) == "b"
    assert chosen(way("a", 3.0, over=way("b", 4.0))) == "a"
    assert chosen(way("a", 3.0, way("c", 2.5), over=way("b", 2.0))) == "b"


def test_the_way_in_which_people_do_it_is_tried_too():
    assert chosen(way("a", 3.0, blocks=way("b", 2.0))) == "b"
    assert chosen(way("a", 3.0, way("c", 1.5), blocks=way("b", 2.0))) == "c"
    assert chosen(way("a", 3.0, blocks=way("b", 2.0), fits=False)) == "b"


def test_all_that_can_be_fused_is_tried_too():
    assert chosen(way("a", 3.0, fusible=way("b", 2.0))) == "b"
    assert chosen(way("a", 3.0, way("c", 1.5), fusible=way("b", 2.0))) == "c"
    assert chosen(way("a", 3.0, fusible=way("b", 2.0), blocks=way("c", 1.0))) == "c"


class Wide(nn.Module):
    """Backward reads both ends of a chain that PyTorch finds too long to run again."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, SIZE)

    def forward(self, x):
        x = start = self.first(x)
        for _ in range(30):
            x = torch.sin(x) + start
        return self.last(x)


def test_rules_of_thumb_keep_less_if_all_that_can_be_fused_is_computed_again():
    kept, gradients = [], []
    for partition in (Partition(), Partition(all_fusible=True)):
        torch.manual_seed(0)
        record = {**partition.record(), "in_place": False, "peak": 0, "cost": 1.0}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(remembered, "kernels", lambda *_: record)
            model = rematch.torch.compile(Wide(), budget="1GiB", kernels="fused",
                                          cache=False)
            model(torch.randn(64, SIZE)).square().sum().backward()
        graph = model.rematch_graphs[0]
        assert graph.kernels.partition == partition
        kept.append(len(graph.kernels.found.crossing))
        gradients.append([p.grad for p in model.parameters()])
        torch._dynamo.reset()
    assert kept[1] < kept[0]
    for a, b in zip(*gradients):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-4)


def test_a_way_that_fits_is_better_than_one_that_does_not():
    assert chosen(way("a", 3.0, way("b", 9.0), fits=False)) == "b"
    assert chosen(way("a", 3.0, way("b", 1.0, fits=False))) == "a"
    assert chosen(way("a", 3.0, way("b", 1.0, fits=False), fits=False)) == "b"


def test_what_was_better_for_another_budget_is_tried_too():
    known = {"b": way("b", 2.0), "c": way("c", 4.0)}

    def chosen_of(kernels, names):
        kernels.recorded = known.get
        return choice.choose(kernels, False, lambda each, below: each.way,
                             lambda best: names).kernels.name

    assert chosen_of(way("a", 3.0), ["b"]) == "b"
    assert chosen_of(way("a", 3.0), ["c"]) == "a"
    assert chosen_of(way("a", 3.0), ["c", "b"]) == "b"
    assert chosen_of(way("a", 3.0, fits=False), ["c"]) == "c"
    settled = way("a", 3.0)
    settled.is_settled = True
    assert chosen_of(settled, ["b"]) == "a"
    settled.is_remembered = True
    assert chosen_of(settled, ["b"]) == "b"


def test_what_cannot_be_better_is_not_searched():
    searched = []

    def plan_with(kernels, below):
        if kernels.way.schedule.cost >= below:
            raise planner.NothingBetter
        searched.append(kernels.name)
        return kernels.way

    first = way("a", 3.0, way("b", 4.0, over=way("c", 2.0)), over=way("d", 3.5),
                fusible=way("e", 2.5), blocks=way("f", 1.999))
    assert choice.choose(first, False, plan_with).kernels.name == "c"
    assert searched == ["a", "c"]  # A thousandth less is not looked for.


def test_searches_end_once_nothing_can_be_better():
    step = step_of(Dropping(6), budget="100%", cache=False)
    step(torch.randn(64, SIZE), None)
    graph = step.graphs[0]
    program, found = graph.program, graph.planned
    whole = sum(op.cost for op in program.ops)
    with pytest.raises(planner.NothingBetter):
        planner.plan(program, graph.budget, below=0.5 * whole)
    with pytest.raises(planner.NothingBetter):
        planner.plan(program, 1, below=2 * whole)
    again = planner.plan(program, graph.budget, below=2 * found.schedule.cost)
    assert again.schedule.peak <= graph.budget


def test_ways_are_remembered_that_take_less_of_something(tmp_path, monkeypatch):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    cache = ProfileCache("cpu", "0")
    for name, need, cost in (("small", 1, 9.0), ("large", 9, 1.0), ("worse", 9, 2.0),
                             ("middle", 5, 5.0), ("best", 4, 4.0)):
        kernels = {"recompute": [name], "in_place": False, "peak": need, "cost": cost}
        remembered.store_way(cache, "key", kernels, need, cost)

    def names(room, cost=99.0):
        return [*chain.from_iterable(found["recompute"] for found in remembered.ways(
            cache, "key", room, cost))]

    assert names(9) == ["large", "worse", "best", "small"]
    assert names(8) == ["best", "small"] and names(0) == []
    assert names(8, 4.001) == [] and names(8, 4.1) == ["best"]
    assert remembered.ways(None, "key", 9, 9.0) == []
    assert remembered.ways(cache, "other", 9, 9.0) == []
    cache.close()


def test_kernels_of_another_budget_are_compiled_and_run(monkeypatch, tmp_path):
    monkeypatch.setenv("REMATCH_CACHE", str(tmp_path))
    wanted = Partition(all_fusible=True)
    monkeypatch.setattr(choice, "_MOST_WAYS", 1)
    monkeypatch.setattr(choice, "_TOO_LITTLE", -math.inf)  # It may be worse here.
    monkeypatch.setattr(choice, "_other_partitions", lambda _: [])
    monkeypatch.setattr(choice.Way, "is_better_than",
                        lambda self, other: self.kernels.partition == wanted)
    monkeypatch.setattr(remembered, "ways", lambda *_: [
        {**wanted.record(), "in_place": False, "peak": 0, "cost": 1.0}])
    gradients = []
    for cached in (True, False):
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = rematch.torch.compile(Wide(), budget="1GiB", kernels="fused",
                                      cache=cached)
        model(torch.randn(64, SIZE)).square().sum().backward()
        kernels = model.rematch_graphs[0].kernels
        assert kernels.partition == wanted
        assert kernels.reference.peak > 0  # Of PyTorch's own partition.
        gradients.append([p.grad for p in model.parameters()])
    assert all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))


def test_eager_kernels_are_run_where_others_cannot_be():
    def plan_with(kernels, below):
        if kernels == "fused":
            raise UnsupportedModel("a line")
        return way(kernels.name + ": " + kernels.why, 1.0).way

    found = choice.choose("fused", True, plan_with)
    assert found.kernels.name == "eager: a line"
    with pytest.raises(UnsupportedModel, match="a line"):
        choice.choose("fused", False, plan_with)


def test_what_was_settled_is_forgotten_if_it_does_not_fit():
    first = way("settled", 5.0, fits=False)
    first.is_settled = True
    first.start_over = lambda: way("fresh", 6.0)
    assert chosen(first) == "fresh"


def test_on_the_cpu_kernels_are_eager_unless_asked():
    step = rematch.torch.TrainStep(nn.Linear(4, 4), lambda out, _: out.sum(),
                                   budget="1GiB")
    step(torch.randn(2, 4), None)
    kernels = step.graphs[0].kernels
    assert kernels.name == "eager" and "GPU" in str(kernels)


def test_a_saved_plan_that_is_too_large_says_so(tmp_path):
    inputs = torch.randn(64, SIZE)
    step = step_of(Dropping(4), budget="100%", cache=False)
    step(inputs, None)
    step.graphs[0].save(tmp_path / "plan.json")
    torch._dynamo.reset()
    with pytest.raises(InfeasibleBudget, match="the saved plan takes"):
        step_of(Dropping(4), budget=1000, cache=False,
                plan=tmp_path / "plan.json")(inputs, None)


def test_partitions_add_up():
    assert Partition().with_more(["a"]).with_more(["b", "a"]).recompute == {"a", "b"}
