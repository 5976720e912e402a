# SPDX-License-Identifier: Apache-2.0
"""What two processes find when they train together: `ranks.py FOLDER RANK` leaves
its findings in FOLDER/RANK.json."""

import json
import logging
import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import rematch.torch
import torch
import torch.distributed as dist
from rematch.torch import RematchTorchError, TrainStep, WithLoss, agreement, choice
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

SIZE, WIDTH, BATCH, STEPS = 2, 16, 64, 3
OPTIONS = {"time_limit": 0.3, "gap": 0.1}


class Block(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                    norm(4 * WIDTH), nn.Dropout(0.1),
                                    nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        return x + self.layers(x)


class Model(nn.Module):
    def __init__(self, norm=nn.BatchNorm1d):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = nn.ModuleList(Block(norm) for _ in range(2))
        self.head = nn.Linear(WIDTH, 4)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def planned(module, budget="85%", **options):
    return rematch.torch.compile(module, budget, **{**OPTIONS, **options})


def sharded(model):
    mesh = init_device_mesh("cpu", (SIZE,))
    for module in (*model.blocks, model):
        fully_shard(module, mesh=mesh)
    return model


def train(model, call, with_loss=False):
    """Losses, then all of the parameters and buffers."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(100 + dist.get_rank())  # Each has batches of its own.
    found = []
    for _ in range(STEPS):
        x, y = torch.randn(BATCH, WIDTH), torch.randint(4, (BATCH,))
        optimizer.zero_grad()
        loss = call(x, y) if with_loss else nn.functional.cross_entropy(call(x), y)
        loss.backward()
        optimizer.step()
        found.append(loss.detach())
    state = model.state_dict().values()
    return found + [t.full_tensor() if hasattr(t, "full_tensor") else t for t in state]


def findings(reference, outcome, graphs, model):
    runs = [run for graph in graphs for run in graph.schedule.runs]
    names = [name for name, _ in model.named_parameters()]
    weights = [tensor for name, tensor in zip(model.state_dict(), outcome[STEPS:])
               if name in names]  # Statistics of batches are each rank's own.
    return {"equal": all(map(torch.equal, reference, outcome)),
            "largest": max(graph.schedule.peak for graph in graphs),
            "reruns": sum(run.number > 0 for run in runs), "graphs": len(graphs),
            "plan": [f"{run.op.name} {run.number}" for run in runs],
            "weights": [float(tensor.double().sum()) for tensor in weights]}


class Scenarios:
    """Each is run by both processes."""

    def __init__(self, log):
        self.log = log
        model = Model()
        self.ddp = train(model, DistributedDataParallel(model))
        self.rank = dist.get_rank()

    def ddp_around_the_compiled(self):
        model = planned(Model(), in_place=True)
        outcome = train(model, DistributedDataParallel(model))
        return findings(self.ddp, outcome, model.rematch_graphs, model)

    def ddp_inside_the_compiled(self):
        model = Model()
        call = planned(DistributedDataParallel(model))
        return findings(self.ddp, train(model, call), call.rematch_graphs, model)

    def ddp_with_the_loss_inside(self):
        model = Model()
        whole = planned(WithLoss(model, nn.functional.cross_entropy), in_place=True)
        outcome = train(model, DistributedDataParallel(whole), with_loss=True)
        return findings(self.ddp, outcome, whole.rematch_graphs, model)

    def fsdp_of_compiled_blocks(self):
        plain = sharded(Model(nn.LayerNorm))
        reference = train(plain, plain)
        model = Model(nn.LayerNorm)
        for block in model.blocks:
            planned(block, in_place=True)
        outcome = train(model, sharded(model))
        graphs = [graph for block in model.blocks for graph in block.rematch_graphs]
        return findings(reference, outcome, graphs, model)

    def fused_in_ddp(self):
        plain = Model()
        plain.compile(dynamic=False)
        reference = train(plain, DistributedDataParallel(plain))
        model = planned(Model(), kernels="fused", in_place=True)
        outcome = train(model, DistributedDataParallel(model))
        return findings(reference, outcome, model.rematch_graphs, model)

    def fsdp_of_fused_blocks(self):
        plain, model = Model(nn.LayerNorm), Model(nn.LayerNorm)
        for block in plain.blocks:
            block.compile(dynamic=False)
        reference = train(plain, sharded(plain))
        for block in model.blocks:
            planned(block, "100%", kernels="fused", in_place=True)
        outcome = train(model, sharded(model))
        graphs = [graph for block in model.blocks for graph in block.rematch_graphs]
        return findings(reference, outcome, graphs, model)

    def tightest(self):
        """Rank 1 has less room than the other."""
        model = planned(Model(), ("100%", "85%")[self.rank], in_place=True)
        outcome = train(model, DistributedDataParallel(model))
        return findings(self.ddp, outcome, model.rematch_graphs, model)

    def infeasible_for_one(self):
        model = planned(Model(), ("100%", 1)[self.rank], in_place=True)
        return self.error(lambda: model(torch.randn(BATCH, WIDTH)))

    def on_its_own(self):
        """Nobody else compiles this."""
        self.log.clear()
        if self.rank == 0:
            return None
        agreement.WAIT_FOR_OTHERS = 0.2
        model = planned(nn.Linear(WIDTH, 3), "100%", in_place=True)
        model(torch.randn(BATCH, WIDTH)).sum().backward()
        agreement.WAIT_FOR_OTHERS = 60.0
        return {"graphs": len(model.rematch_graphs), "log": self.log}

    def step_of_ddp(self):
        return self.error(lambda: TrainStep(DistributedDataParallel(Model())))

    def step_of_sharded(self):
        return self.error(lambda: TrainStep(sharded(Model(nn.LayerNorm))))

    def whole_with_sharded_parts(self):
        model = sharded(planned(Model(nn.LayerNorm), "1GiB", in_place=True))
        return self.error(lambda: model(torch.randn(BATCH, WIDTH)))

    @staticmethod
    def error(function):
        try:
            function()
        except RematchTorchError as error:
            return f"{type(error).__name__}: {error}"
        return None


class Messages(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


def store_for(folder, rank):
    """As torchrun has it, on a port that is free."""
    note = folder / "port"
    timeout = timedelta(seconds=60)
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, SIZE, True, timeout, False)
        (folder / "port.new").write_text(str(store.port))
        (folder / "port.new").rename(note)
        return store
    while not note.exists():
        time.sleep(0.05)
    return dist.TCPStore("127.0.0.1", int(note.read_text()), SIZE, False, timeout)


def main(folder, rank):
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.set_num_threads(1)
    messages = Messages()
    logging.getLogger("rematch").addHandler(messages)
    dist.init_process_group("gloo", store=store_for(folder, rank), rank=rank,
                            world_size=SIZE, timeout=timedelta(seconds=60))
    choice._MOST_WAYS = 1  # Other partitions are rounded otherwise.
    choice._other_partitions = lambda way: []
    scenarios = Scenarios(messages.texts)
    found = {"imported": [name for name in ("lightning", "transformers")
                          if name in sys.modules]}
    for name, scenario in vars(Scenarios).items():
        if not name.startswith("_") and name != "error":
            torch._dynamo.reset()
            found[name] = scenario(scenarios)
    (folder / f"{rank}.json").write_text(json.dumps(found))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
