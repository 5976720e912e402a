#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Peak and time of training steps on a GPU: eager, and within budgets.

Usage: bench/torch_step.py [MODEL ...] [--budgets LIST] [--json FILE]

Models: resnet50, gpt2, bert, llama, vit. Each is first run as it is, then as a
rematch.torch.TrainStep at each budget, a share of what keeping everything takes.
`predicted` and `measured` are peaks of requested bytes; `ms` is the median time of
forward, loss and backward.
"""

import argparse
import gc
import json
import statistics
import time
from pathlib import Path

import torch
from rematch.torch import RematchTorchError, TrainStep
from rematch.torch.profiling import requested
from rematch.torch.step import WithLoss

GIB = 2**30
DEVICE = torch.device("cuda")


def resnet50():
    import torchvision

    model = torchvision.models.resnet50().to(DEVICE)
    return model, images(128), torch.nn.functional.cross_entropy


def vit():
    import torchvision

    model = torchvision.models.vit_b_16().to(DEVICE)
    return model, images(64), torch.nn.functional.cross_entropy


def images(count):
    return (torch.randn(count, 3, 224, 224, device=DEVICE),
            torch.randint(1000, (count,), device=DEVICE))


def language_model(make, config, shape, loss_type, dtype=torch.float32, **more):
    model = make(config).to(DEVICE, dtype).train()
    model.loss_type = loss_type
    ids = torch.randint(config.vocab_size, shape, device=DEVICE)
    return model, ({"input_ids": ids, "labels": ids, **more}, None), None


def gpt2():
    import transformers as hf

    return language_model(hf.GPT2LMHeadModel, hf.GPT2Config(), (8, 1024),
                          "ForCausalLM", use_cache=False)


def bert():
    import transformers as hf

    return language_model(hf.BertForMaskedLM, hf.BertConfig(), (32, 512),
                          "ForMaskedLM")


def llama():
    import transformers as hf

    config = hf.LlamaConfig(hidden_size=2048, intermediate_size=8192,
                            num_hidden_layers=16, num_attention_heads=32,
                            num_key_value_heads=8, vocab_size=32000)
    return language_model(hf.LlamaForCausalLM, config, (4, 2048), "ForCausalLM",
                          torch.bfloat16, use_cache=False)


MODELS = {make.__name__: make for make in (resnet50, gpt2, bert, llama, vit)}


def measured(model, run):
    """Peak in bytes and median milliseconds, warm."""
    def step():
        model.zero_grad(set_to_none=True)
        run()
        torch.cuda.synchronize()

    for _ in range(3):
        step()
    gc.collect()
    torch.cuda.reset_peak_memory_stats()
    step()
    peak = requested(DEVICE, "peak")
    times = []
    for _ in range(10):
        begin = time.perf_counter()
        step()
        times.append(time.perf_counter() - begin)
    model.zero_grad(set_to_none=True)
    return peak, statistics.median(times) * 1e3


def rows_of(name, budgets, time_limit):
    model, (inputs, targets), loss_fn = MODELS[name]()
    plain = WithLoss(model, loss_fn)
    peak, ms = measured(model, lambda: plain(inputs, targets).backward())
    yield {"model": name, "budget": "eager", "measured": peak, "ms": ms}
    for budget in budgets:
        torch._dynamo.reset()
        gc.collect()
        torch.cuda.empty_cache()
        begin = time.perf_counter()
        try:
            step = TrainStep(model, loss_fn, budget=budget, time_limit=time_limit)
            step(inputs, targets)
        except RematchTorchError as error:
            yield {"model": name, "budget": budget, "error": str(error)}
            continue
        seconds = time.perf_counter() - begin
        peak, ms = measured(model, lambda: step(inputs, targets))
        planned = step.graphs[0].planned
        yield {"model": name, "budget": budget, "measured": peak, "ms": ms,
               "predicted": planned.schedule.peak,
               "predicted_ms": planned.schedule.cost / 1e3,
               "base_ms": planned.solution.base_cost / 1e3,
               "gap": planned.solution.gap, "ops": len(step.graphs[0].program.ops),
               "compile_seconds": seconds}


def show(row):
    if "error" in row:
        return f"{row['model']:<9} {row['budget']:<6} {row['error']}"
    text = (f"{row['model']:<9} {row['budget']:<6} measured "
            f"{row['measured'] / GIB:8.4f} GiB  {row['ms']:7.1f} ms")
    if "predicted" in row:
        text += (f"  predicted {row['predicted'] / GIB:8.4f} GiB "
                 f"({row['measured'] - row['predicted']:+d} B), "
                 f"{row['predicted_ms']:.1f} ms of {row['base_ms']:.1f}, "
                 f"gap {row['gap']:.2%}, {row['ops']} ops, "
                 f"{row['compile_seconds']:.0f} s to compile")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=list(MODELS))
    parser.add_argument("--budgets", default="100%,70%,50%,35%,25%")
    parser.add_argument("--time-limit", type=float, default=8)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args()
    rows = []
    for name in options.models:
        for row in rows_of(name, options.budgets.split(","), options.time_limit):
            print(show(row), flush=True)
            rows.append(row)
            if options.json:
                options.json.write_text(json.dumps(rows, indent=1) + "\n",
                                        encoding="utf-8")
        gc.collect()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
