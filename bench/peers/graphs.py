# SPDX-License-Identifier: Apache-2.0
"""Measured training graphs as files, with where they come from."""

import json

import rematch
import torch
from rematch.torch import planner


def graph_text(graph, name, text, milliseconds):
    """The graph of a planned step, in Rematch's format, its costs scaled so that
    they add up to the time of the step with everything kept."""
    record = planner.to_json(graph.program, name)
    record["fixed_bytes"] = 0
    record["description"] = (
        f"One training step of {text}: forward, loss and backward as captured by "
        f"AOTAutograd; times and workspaces measured on an "
        f"{torch.cuda.get_device_name()} with PyTorch {torch.__version__}.")
    scale = milliseconds * 1e3 / sum(op["cost"] for op in record["ops"])
    for op in record["ops"]:
        op["cost"] = round(op["cost"] * scale, 3)
    return rematch.Graph.from_json(json.dumps(record)).to_json()
