# SPDX-License-Identifier: Apache-2.0
"""What people do with models, besides the plain step."""

from dataclasses import replace

import models
import pytest
import rematch.torch
import torch
import training
from live_memory import LiveMemory
from rematch.torch import profiling
from rematch.torch.program import Op, Program, Ref, Value
from torch import nn

TIGHT = "75%"


def compiled(model, budget=TIGHT, **options):
    return rematch.torch.compile(model, budget=budget,
                                 **{"time_limit": 2, "gap": 0.02, **options})


def gradients(model):
    return [None if p.grad is None else p.grad.clone() for p in model.parameters()]


def same(first, second):
    return all((a is None) == (b is None) and (a is None or torch.equal(a, b))
               for a, b in zip(first, second, strict=True))


def pair(name):
    """A model and its planned twin, and the batch for both."""
    plain = models.make(name)
    twin = training.copy_of(plain)
    return plain, twin, compiled(twin), models.batch(name)


def run(model, function, batch, name, seed=3):
    torch.manual_seed(seed)
    loss = training.loss_of(name)(function(batch[0]), batch[1])
    loss.backward()
    return loss.detach()


def reruns(function):
    return sum(run.number > 0 for graph in function.rematch_graphs
               for run in graph.schedule.runs)


def test_compile_gives_the_gradients_of_eager():
    plain, twin, function, batch = pair("bert")
    assert torch.equal(run(plain, plain, batch, "bert"),
                       run(twin, function, batch, "bert"))
    assert same(gradients(plain), gradients(twin))
    assert reruns(function) > 0


def test_batch_norm_counts_each_batch_once():
    plain, twin, function, batch = pair("mobilenet")
    for seed in range(3):
        run(plain, plain, batch, "mobilenet", seed)
        run(twin, function, batch, "mobilenet", seed)
    assert reruns(function) > 0
    assert same(list(plain.buffers()), list(twin.buffers()))
    assert plain.layers[1].num_batches_tracked == 3


def test_frozen_parameters_have_no_gradient():
    plain, twin, function, batch = pair("vit")
    for model in (plain, twin):
        for parameter in model.blocks[0].parameters():
            parameter.requires_grad_(False)
    run(plain, plain, batch, "vit")
    run(twin, function, batch, "vit")
    assert twin.blocks[0].qkv.weight.grad is None
    assert same(gradients(plain), gradients(twin))


def test_gradients_add_up():
    plain, twin, function, batch = pair("gpt")
    for seed in range(3):
        run(plain, plain, batch, "gpt", seed)
        run(twin, function, batch, "gpt", seed)
    assert same(gradients(plain), gradients(twin))


def test_backward_twice_on_a_retained_graph():
    plain, twin, function, batch = pair("resnet")
    for model, call in ((plain, plain), (twin, function)):
        torch.manual_seed(1)
        loss = training.loss_of("resnet")(call(batch[0]), batch[1])
        loss.backward(retain_graph=True)
        loss.backward()
    assert same(gradients(plain), gradients(twin))


def test_a_graph_is_retained_after_others_were_not():
    """PyTorch compiles backward the first time, for what that call is like."""
    plain, twin, function, batch = pair("resnet")
    for model, call in ((plain, plain), (twin, function)):
        torch.manual_seed(1)
        training.loss_of("resnet")(call(batch[0]), batch[1]).backward()
        loss = training.loss_of("resnet")(call(batch[0]), batch[1])
        loss.backward(retain_graph=True)
        loss.backward()
    assert same(gradients(plain), gradients(twin))


def test_two_forwards_in_flight():
    plain, twin, function, _ = pair("gpt")
    batches = [models.batch("gpt") for _ in range(2)]
    for model, call in ((plain, plain), (twin, function)):
        torch.manual_seed(1)
        losses = [training.loss_of("gpt")(call(x), y) for x, y in batches]
        for loss in losses:
            loss.backward()
    assert same(gradients(plain), gradients(twin))


def test_an_exception_leaves_the_generator_alone():
    _, twin, function, batch = pair("gpt")
    run(twin, function, batch, "gpt")
    graph = function.rematch_graphs[0]
    loss = training.loss_of("gpt")(function(batch[0]), batch[1])
    hook = next(twin.parameters()).register_hook(
        lambda grad: (_ for _ in ()).throw(KeyError("stop")))
    before = torch.get_rng_state()
    with pytest.raises(KeyError, match="stop"):
        loss.backward()
    hook.remove()
    assert torch.equal(torch.get_rng_state(), before)
    assert graph.schedule is not None


def test_autocast_of_statistics():
    """The graph says that they have 16 bits, which they have not."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(),
                          nn.Flatten(), nn.Linear(8 * 36, 4))
    twin = training.copy_of(model)
    function = rematch.torch.compile(model, budget="100%", time_limit=1)
    images = torch.randn(4, 3, 8, 8)
    for each in (function, twin):
        with torch.autocast("cpu", torch.bfloat16):
            output = each(images)
        output.float().sum().backward()
    assert same(gradients(model), gradients(twin))


def test_running_statistics_change_while_a_forward_waits():
    torch.manual_seed(0)
    model = nn.Sequential(*(layer for _ in range(3) for layer in (
        nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU())))
    twin = training.copy_of(model)
    options = {"time_limit": 1}
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        rematch.torch.compile(training.copy_of(model), budget=1, **options)(
            torch.randn(512, 64))
    torch._dynamo.reset()
    function = rematch.torch.compile(model, failure.value.least_budget, **options)
    batches = [torch.randn(512, 64) for _ in range(2)]
    for each in (function, twin):
        outputs = [each(batch).sum() for batch in batches]
        for output in reversed(outputs):
            output.backward()
    assert any(run.number for run in function.rematch_graphs[0].schedule.runs)
    assert same([*gradients(model), *model.buffers()],
                [*gradients(twin), *twin.buffers()])


def test_autocast():
    """As without recomputation; eager casts differently in backward."""
    plain, twin, function, batch = pair("vit")
    losses = []
    for model, call in ((plain, compiled(plain, "100%")), (twin, function)):
        torch.manual_seed(1)
        with torch.autocast("cpu", torch.bfloat16):
            loss = training.loss_of("vit")(call(batch[0]), batch[1])
        loss.backward()
        losses.append(loss)
    assert torch.equal(*losses)
    assert same(gradients(plain), gradients(twin))


def test_channels_last():
    plain, twin, function, batch = pair("resnet")
    for model in (plain, twin):
        model.to(memory_format=torch.channels_last)
    images = batch[0].to(memory_format=torch.channels_last)
    run(plain, plain, (images, batch[1]), "resnet")
    run(twin, function, (images, batch[1]), "resnet")
    assert same(gradients(plain), gradients(twin))


def test_evaluation_needs_no_plan():
    plain, twin, function, batch = pair("gpt")
    plain.eval(), twin.eval()
    with torch.no_grad():
        assert torch.equal(plain(batch[0]), function(batch[0]))


class Counter(nn.Module):
    """Reads a buffer that it then changes."""

    def __init__(self):
        super().__init__()
        self.register_buffer("offset", torch.ones(8))
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x) + self.offset)
        self.offset.add_(1)
        return x.square().sum()


def ops_after_two_steps(plain, x):
    """Of a model that returns its loss, which is trained as it is and planned."""
    twin = training.copy_of(plain)
    function = compiled(twin, budget="100%")
    for _ in range(2):
        plain(x).backward()
        function(x).backward()
    assert same(gradients(plain), gradients(twin))
    return function.rematch_graphs[0].program.ops


def test_what_reads_a_changed_buffer_is_not_run_again():
    torch.manual_seed(0)
    ops = ops_after_two_steps(Counter(), torch.randn(64, 8))
    assert [op for op in ops
            if not op.recomputable and op.kind == "aten.add.Tensor"]


def test_an_unknown_option_is_refused():
    with pytest.raises(ValueError, match="rematch has no option 'bugdet'"):
        rematch.torch.compile(nn.Linear(1, 1), bugdet=3)


def test_what_is_compiled_is_not_compiled_again():
    model = nn.Linear(4, 4)
    for compiled in (torch.compile(model), rematch.torch.compile(model, "1MiB")):
        with pytest.raises(ValueError, match="compiled already.*_orig_mod"):
            rematch.torch.compile(compiled, "1MiB")


def test_a_step_that_cannot_be_captured_says_why():
    norm = nn.BatchNorm1d(16, momentum=None)
    step = rematch.torch.TrainStep(nn.Sequential(nn.Linear(16, 16), norm),
                                   lambda output, _: output.sum(), "1MiB")
    with pytest.raises(rematch.torch.UnsupportedModel,
                       match="captures as one graph: .*data-dependent"):
        step(torch.randn(8, 16))


def test_only_modules_are_compiled():
    with pytest.raises(ValueError, match="takes a torch.nn.Module, not a function"):
        rematch.torch.compile(lambda x: x, budget="1GiB")


def test_kernels_are_of_a_known_kind():
    with pytest.raises(ValueError, match="must be 'auto', 'eager' or 'fused', not 'fast'"):
        rematch.torch.compile(nn.Linear(1, 1), kernels="fast")
    with pytest.raises(ValueError, match="leave out kernels='fused'"):
        rematch.torch.compile(nn.Linear(1, 1), kernels="fused", gpu="H100")


def test_as_a_backend_of_torch_compile():
    model = models.make("resnet")
    function = torch.compile(model, backend="rematch", dynamic=False,
                             options={"budget": TIGHT, "time_limit": 2, "gap": 0.02})
    twin = training.copy_of(model)
    batch = models.batch("resnet")
    run(model, function, batch, "resnet")
    run(twin, twin, batch, "resnet")
    assert same(gradients(model), gradients(twin))


def test_modules_are_named_as_in_the_model():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Linear(16, 16) for _ in range(2))

        def forward(net, x):  # Whatever it calls itself.
            for block in net.blocks:
                x = torch.relu(block(x))
            return x

    compiled = rematch.torch.compile(Net(), "1MiB", kernels="eager", cache=False)
    compiled(torch.randn(8, 16))
    modules = {op.module for op in compiled.rematch_graphs[0].program.ops}
    assert {"blocks.0", "blocks.1"} <= modules
    assert not any("'" in module for module in modules)


def test_explain_names_modules():
    _, twin, function, batch = pair("resnet")
    run(twin, function, batch, "resnet")
    text = function.rematch_graphs[0].explain()
    assert "at the peak" in text
    assert "recomputed: " in text
    assert "blocks.0.convs" in text


def test_profiles_are_kept(monkeypatch):
    from rematch.torch import profiling

    _, twin, function, batch = pair("resnet")
    run(twin, function, batch, "resnet")
    monkeypatch.setattr(profiling.Profiler, "measure",
                        lambda self, op: pytest.fail("measured again"))
    torch._dynamo.reset()
    other = training.copy_of(twin)
    run(other, compiled(other), batch, "resnet")


class Wasteful(nn.Module):
    """Backward would compute things that nobody asked for."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            unread = torch.softmax(layer(x), -1)
            unread = unread * unread
            x = torch.tanh(layer(x).to(torch.bfloat16)).float()
        return x.square().sum()


def test_what_nobody_needs_is_not_run():
    torch.manual_seed(0)
    ops = ops_after_two_steps(Wasteful(), torch.randn(64, 16))
    assert "aten._softmax.default" not in [op.kind for op in ops]


def test_small_values_have_the_size_that_they_really_have():
    """What the graph says about seeds and counters is not always true."""
    made = torch.tensor([1, 2])  # The graph will say that there is one number.

    def call(x):
        return x + 1, made

    x = Value("x", 16, ((4,), (1,), "torch.float32", "cpu"))
    y = Value("y", 16, x.signature)
    seed = Value("seed", 8, ((), (), "torch.int64", "cpu"))
    ops = [Op(f"op{i}", "made up", call, (Ref("x"),), {}, (f"y{i}", f"seed{i}"), True)
           for i in range(2)]
    values = {f"{v.name}{i}": replace(v, name=f"{v.name}{i}")
              for i in range(2) for v in (y, seed)}
    program = Program({"x": x}, values, {}, ops)
    profiling.profile(program, torch.device("cpu"), None)
    assert [value.bytes for value in program.values.values()] == [16, 16, 16, 16]


@pytest.mark.parametrize(("option", "value"), [
    ("budget", 1e6), ("budget", None), ("budget", True), ("budget", -1),
    ("budget", "abc%"), ("budget", "-50%"), ("budget", "nan%"), ("budget", "lots"),
    ("reserve", -1), ("reserve", 1.5), ("time_limit", "x"), ("gap", -1), ("seed", -1),
    ("threads", 1.5), ("optimizer", "adam"), ("on_plan", 3), ("gpu", 3),
    ("seed", 2**70), ("threads", 2**31), ("threads", True), ("time_limit", True), ("cache", "no"),
    ("budget", 10**30), ("plan", 3)])
def test_a_bad_option_is_refused_at_once(option, value):
    with pytest.raises(ValueError, match=option if option != "gpu" else "no GPU"):
        rematch.torch.compile(nn.Linear(2, 2), **{"budget": 1, option: value})


@pytest.mark.parametrize("loss, found", [
    (lambda y, _: y.sum(1), r"a tensor of shape \(8,\)"), (lambda y, _: None, "a NoneType"),
    (lambda y, _: (y.sum(), y), "a tuple"), (lambda y, _: 1.0, "a float")])
def test_a_loss_is_one_number(loss, found):
    step = rematch.torch.TrainStep(nn.Linear(2, 2), loss, budget="1GiB", time_limit=0.3)
    with pytest.raises(rematch.torch.UnsupportedModel,
                       match=f"the loss is {found}, and backward begins with one number"):
        step(torch.randn(8, 2))


def test_a_loss_in_something_else_has_a_name():
    class Wrong(nn.Linear):
        def forward(self, x):
            return {"loss": super().forward(x).sum()}

    step = rematch.torch.TrainStep(Wrong(2, 2), budget="1GiB", time_limit=0.3)
    with pytest.raises(rematch.torch.UnsupportedModel, match="is a dict.* as .loss$"):
        step(torch.randn(8, 2))


def test_sparse_gradients_are_refused():
    model = nn.Sequential(nn.Embedding(10, 4, sparse=True), nn.Linear(4, 2))
    step = rematch.torch.TrainStep(model, lambda y, _: y.sum(), budget="1GiB")
    with pytest.raises(rematch.torch.UnsupportedModel, match="layout"):
        step(torch.tensor([1, 2]))


def test_a_step_in_pieces_is_refused():
    class Broken(nn.Module):
        def forward(self, x):
            torch._dynamo.graph_break()
            return x

    step = rematch.torch.TrainStep(nn.Sequential(nn.Linear(2, 2), Broken()),
                                   lambda y, _: y.sum(), budget="1GiB")
    with pytest.raises(rematch.torch.UnsupportedModel, match="as one graph"):
        step(torch.randn(2, 2))


def test_a_loss_that_holds_more_than_it_shows_is_counted():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 64))
    x, y = torch.randn(128, 64), torch.randn(128, 64)
    step = rematch.torch.TrainStep(model, nn.functional.mse_loss, budget="1GiB",
                                   time_limit=1)
    step(x, y)
    model.zero_grad()
    live = LiveMemory()
    with live:
        live.hold([*model.parameters(), x, y])
        step(x, y)
    assert live.peak == step.graphs[0].peak_bytes


def test_attention_weights_at_the_least_budget():
    """What is computed again before anyone reads it is not computed twice."""
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attend = nn.MultiheadAttention(64, 4, batch_first=True)
            self.head = nn.Linear(64, 10)

        def forward(self, x):
            return self.head(self.attend(x, x, x)[0].mean(1))

    batch = torch.randn(16, 7, 64), torch.randint(0, 10, (16,))
    model = Attention()
    with pytest.raises(rematch.torch.InfeasibleBudget) as failure:
        rematch.torch.TrainStep(model, nn.functional.cross_entropy, budget=1)(*batch)
    torch._dynamo.reset()
    step = rematch.torch.TrainStep(model, nn.functional.cross_entropy,
                                   budget=failure.value.least_budget)
    step(*batch)
    assert step.graphs[0].peak_bytes <= failure.value.least_budget


def test_an_input_that_is_given_twice():
    """The graph has it once."""
    class Sum(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x, y):
            return self.layer(x) * y

    model, x = Sum(), torch.randn(3, 4)
    step = rematch.torch.TrainStep(model, lambda y, _: y.sum(), budget="1GiB")
    loss = step((x, x))
    assert torch.equal(loss, model(x, x).sum().detach())
