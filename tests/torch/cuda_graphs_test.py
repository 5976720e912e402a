# SPDX-License-Identifier: Apache-2.0
"""When steps are recorded, replayed, and run as before. What recordings do is tested
where there is a GPU."""

import weakref
from types import SimpleNamespace

import pytest
import rematch.torch
import torch
from rematch.torch import cuda_graphs
from rematch.torch.cuda_graphs import CudaGraphs, why_not, with_room
from rematch.torch.errors import InfeasibleBudget
from rematch.torch.lowering import GENERATOR_STATE
from torch import nn

WARM_UPS = 3
WEIGHT = torch.ones(2)


class Recording:
    """Says what was done with it."""

    def __init__(self, done):
        self.done = done
        self.is_complete = self.keeps = self.has_handed_out = False
        self.fails, self.fits, self.elsewhere = "", True, []
        self.bytes = 100

    def finish(self):
        self.done.append("finish")

    def record_forward(self, function, args, moving):
        if self.fails == "forward":
            raise RuntimeError("not while recording\nand more")
        self.moving = set(moving)
        self.done.append("record forward")
        return ["kept"]

    def moved(self, args):
        return self.elsewhere

    def forward(self, args):
        self.done.append("replay forward")
        return ["kept"]

    def is_for(self, args):
        return args == ["kept"]

    def record_backward(self, function, args):
        if self.fails == "backward":
            raise torch.OutOfMemoryError("too much")
        self.done.append("record backward")
        self.is_complete = True
        return ["gradient"]

    def backward(self, args):
        self.done.append("replay backward")
        return ["gradient"]


class Training:
    def __init__(self):
        self.done, self.made, self.limit = [], [], 100
        self.graphs = CudaGraphs(self.make, lambda size: "too large"
                                 if size > self.limit else "")
        self.passes = {"forward": self.graphs.wrap("forward", self.plain("forward"),
                                                   frozenset({2})),
                       "backward": self.graphs.wrap("backward", self.plain("backward"))}
        self.fails = ""

    def make(self):
        self.made.append(Recording(self.done))
        self.made[-1].fails = self.fails
        return self.made[-1]

    def plain(self, phase):
        def run(args):
            self.done.append(phase)
            return ["saved"] if phase == "forward" else ["gradient"]

        return run

    def step(self, *inputs):
        saved = self.passes["forward"]([WEIGHT, *inputs])
        assert self.passes["backward"](saved) == ["gradient"]
        done = [each for each in self.done if each != "finish"]
        self.done.clear()
        return done

    def record(self):
        for _ in range(WARM_UPS):
            assert self.step(torch.ones(1)) == ["forward", "backward"]
        assert self.step(torch.ones(1)) == ["record forward", "record backward"]


REPLAYS = ["replay forward", "replay backward"]
PLAIN = ["forward", "backward"]


@pytest.fixture(autouse=True)
def outside_of_autograd(monkeypatch):
    monkeypatch.setattr(cuda_graphs, "_is_to_be_run_again", lambda: False)


@pytest.fixture
def training():
    return Training()


def test_steps_are_replayed_once_one_is_recorded(training):
    training.record()
    assert str(training.graphs) == "as CUDA graphs"
    assert [training.step(torch.ones(1)) for _ in range(3)] == [REPLAYS] * 3
    assert training.graphs.replays == 3


def test_inputs_that_are_elsewhere_each_time_are_known(training):
    batches = [torch.ones(1) for _ in range(WARM_UPS + 1)]  # All there at once.
    for batch in batches:
        training.step(batch)
    assert training.made[0].moving == {1}


def test_an_input_that_moves_later_is_recorded_anew(training):
    training.record()
    for number in (2, 3):
        training.made[-1].elsewhere = [0]
        assert training.step(torch.ones(1)) == ["record forward", "record backward"]
        assert len(training.made) == number and 0 in training.made[-1].moving
    training.made[-1].elsewhere = [0]
    assert training.step(torch.ones(1)) == PLAIN
    assert "elsewhere" in training.graphs.given_up


def test_an_input_that_is_written_to_must_not_move(training):
    """What a replay writes is where it was recorded."""
    states = [torch.ones(1) for _ in range(WARM_UPS + 1)]
    batch = torch.ones(1)
    for state in states:
        assert training.step(batch, state) == PLAIN
    assert "written to" in training.graphs.given_up


def test_a_recording_goes_before_there_is_another(training):
    training.record()
    gone = weakref.ref(training.made.pop())
    training.graphs.recording.elsewhere = [0]
    training.passes["forward"]([WEIGHT, torch.ones(1)])
    assert gone() is None and training.made
    assert training.done[-2:] == ["finish", "record forward"]


def test_a_forward_pass_while_another_waits_is_run_as_before(training):
    training.record()
    training.made[0].keeps = True
    assert training.step(torch.ones(1)) == PLAIN
    training.made[0].keeps = False
    assert training.step(torch.ones(1)) == REPLAYS


def test_who_holds_gradients_has_no_more_replays(training):
    training.record()
    training.made[0].has_handed_out = True
    assert training.step(torch.ones(1)) == PLAIN
    assert "zero_grad()" in str(training.graphs)
    assert training.graphs.recording is None
    assert training.step(torch.ones(1)) == PLAIN


def test_a_backward_pass_that_is_to_be_run_again_is_run_as_before(
        training, monkeypatch):
    training.record()
    monkeypatch.setattr(cuda_graphs, "_is_to_be_run_again", lambda: True)
    assert training.step(torch.ones(1)) == ["replay forward", "backward"]


def test_what_was_drawn_in_a_recording_is_read_by_recordings_alone(
        training, monkeypatch):
    training.record()
    training.graphs.draws = True
    monkeypatch.setattr(cuda_graphs, "_is_to_be_run_again", lambda: True)
    with pytest.raises(rematch.torch.RematchTorchError, match="retain_graph"):
        training.step(torch.ones(1))


def test_a_forward_pass_whose_values_are_kept_elsewhere_is_run_as_before(training):
    training.record()
    with torch.autograd.graph.save_on_cpu():
        assert training.step(torch.ones(1)) == PLAIN
    assert training.step(torch.ones(1)) == REPLAYS


def test_a_forward_pass_without_backward_is_recorded_once_more(training):
    for _ in range(WARM_UPS):
        training.step(torch.ones(1))
    training.passes["forward"]([WEIGHT, torch.ones(1)])
    training.done.clear()
    assert training.step(torch.ones(1)) == ["record forward", "record backward"]
    assert len(training.made) == 2


@pytest.mark.parametrize("phase, why", [("forward", "not while recording"),
                                        ("backward", "too much")])
def test_what_cannot_be_recorded_is_run_as_before(training, phase, why):
    training.fails = phase
    for _ in range(WARM_UPS):
        training.step(torch.ones(1))
    assert training.step(torch.ones(1))[-1] == "backward"
    assert training.graphs.given_up == why
    assert training.step(torch.ones(1)) == PLAIN


def test_a_recording_that_takes_too_much_is_let_go(training):
    training.limit = 99
    training.record()
    assert training.graphs.given_up == "too large"
    assert training.graphs.recording is None
    assert training.step(torch.ones(1)) == PLAIN


# -- what cannot be recorded -----------------------------------------------------


def schedule(inputs=("cuda",), kind="op", outputs=("cuda",), number=0, state=None):
    def value(place):
        return SimpleNamespace(signature=((1,), (1,), "torch.float32", place))

    program = SimpleNamespace(inputs=dict(enumerate(map(value, inputs))),
                              values=dict(enumerate(map(value, outputs), 1)))
    op = SimpleNamespace(kind=kind, name="a", outputs=tuple(program.values),
                         state=state)
    return SimpleNamespace(program=program,
                           runs=[SimpleNamespace(op=op, number=number)])


def test_why_a_schedule_cannot_be_recorded():
    device = torch.device("cuda")
    assert why_not(schedule(), device) == ""
    assert why_not(schedule(outputs=("cuda", "cpu")), device) == ""
    assert "not on a GPU" in why_not(schedule(), torch.device("cpu"))
    assert "an input" in why_not(schedule(inputs=("cuda", "cpu")), device)
    assert "a does not run" in why_not(schedule(outputs=("cpu",)), device)
    assert why_not(schedule(kind=GENERATOR_STATE, outputs=("cpu",)), device) == ""
    assert why_not(schedule(state="state"), device) == ""
    assert "drawn again" in why_not(schedule(state="state", number=1), device)


# -- room ------------------------------------------------------------------------


class Search:
    """Plans take what they may, and their recordings have gaps."""

    def __init__(self, gaps, least=0):
        self.gaps, self.least, self.asked = gaps, least, []

    def __call__(self, budget):
        self.asked.append(budget)
        if budget < self.least:
            raise InfeasibleBudget("too little", self.least)
        return SimpleNamespace(schedule=SimpleNamespace(fixed_bytes=100, peak=budget))

    def size_of(self, schedule):
        return int((schedule.peak - 100) * self.gaps)


def test_a_plan_whose_recording_fits_is_taken_as_it_is():
    search = Search(1.0)
    first = search(1000)
    assert with_room(first, 1000, search, search.size_of) == (first, "")
    assert search.asked == [1000]


@pytest.mark.parametrize("gaps", [1.01, 1.5])
def test_plans_are_made_for_less_until_their_recording_fits(gaps):
    search = Search(gaps)
    found, wrong = with_room(search(1000), 1000, search, search.size_of)
    assert not wrong and 100 + search.size_of(found.schedule) <= 1000
    assert found.schedule.peak >= 100 + 890 / gaps


def test_a_plan_stays_if_no_recording_fits():
    search = Search(1.5, least=900)
    first = search(1000)
    found, wrong = with_room(first, 1000, search, search.size_of)
    assert found is first and wrong == "they take 1.416 KiB of a budget of 1000 B"


def test_a_plan_stays_if_it_cannot_be_recorded():
    def fails(_):
        raise RuntimeError("not while recording")

    search = Search(1.0)
    first = search(1000)
    assert with_room(first, 1000, search, fails) == (first, "not while recording")


# -- what people say -------------------------------------------------------------


def test_a_model_on_the_cpu_trains_and_says_why_there_are_no_graphs():
    model = nn.Linear(4, 4)
    step = rematch.torch.TrainStep(model, lambda output, _: output.sum(),
                                   budget="1MiB", mode="reduce-overhead")
    for _ in range(WARM_UPS + 2):
        model.zero_grad()
        step(torch.ones(2, 4), None)
    assert torch.equal(model.bias.grad, torch.full((4,), 2.0))
    assert "not as CUDA graphs: the model is not on a GPU" in step.graphs[0].explain()


def test_as_a_mode_of_torch_compile():
    model = nn.Linear(4, 4)
    compiled = torch.compile(model, backend="rematch", mode="reduce-overhead")
    with pytest.raises(Exception, match="budget='auto' needs a GPU"):
        compiled(torch.ones(2, 4))


@pytest.mark.parametrize("mode", ["max-autotune", "fast", None])
def test_other_modes_are_refused(mode):
    with pytest.raises(ValueError, match="mode must be"):
        rematch.torch.compile(nn.Linear(2, 2), budget="1GiB", mode=mode)
