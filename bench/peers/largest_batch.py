# SPDX-License-Identifier: Apache-2.0
"""The largest batch of ResNet-50 that trains in little memory: eager, and ours.

Usage: python3 bench/peers/largest_batch.py [--memory GIB] [--overhead SHARE]

The process is given only so much of the GPU. Eager is tried with more and more
images until it fails; ours comes from rematch.torch.max_batch, and is then run.
"""

import argparse
import gc

import rematch.torch
import torch
import torchvision
from torch.nn import functional as F

GIB = 2**30
DEVICE = torch.device("cuda")


def batch(count):
    return (torch.randn(count, 3, 224, 224, device=DEVICE),
            torch.randint(1000, (count,), device=DEVICE))


def trains(model, run, count):
    try:
        for _ in range(3):
            model.zero_grad(set_to_none=True)
            run(*batch(count))
        torch.cuda.synchronize()
        return True
    except torch.cuda.OutOfMemoryError:
        return False
    finally:
        model.zero_grad(set_to_none=True)
        gc.collect()
        torch.cuda.empty_cache()


def largest_eager(model):
    def run(inputs, targets):
        F.cross_entropy(model(inputs), targets).backward()

    low, high = 0, 1
    while trains(model, run, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if trains(model, run, middle) else (low, middle)
    return low


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--memory", type=float, default=6)
    parser.add_argument("--overhead", type=float, default=0.33)
    options = parser.parse_args()
    _, total = torch.cuda.mem_get_info()
    torch.cuda.set_per_process_memory_fraction(options.memory * GIB / total)
    model = torchvision.models.resnet50().to(DEVICE)
    print(f"eager: {largest_eager(model)} images in {options.memory:g} GiB", flush=True)
    found = rematch.torch.max_batch(model, batch, loss_fn=F.cross_entropy,
                                    budget="auto", overhead=options.overhead,
                                    time_limit=3)
    print(found.plan.summary())
    step = rematch.torch.TrainStep(model, F.cross_entropy, budget=found.plan.budget,
                                   time_limit=3)
    ran = trains(model, step, found.batch)
    print(f"ours: {found.batch} images, {'trained' if ran else 'OUT OF MEMORY'}")


if __name__ == "__main__":
    main()
