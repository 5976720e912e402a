# SPDX-License-Identifier: Apache-2.0
"""Measured training graphs as files, with where they come from."""

import json

import torch
from rematch.torch import planner


def graph_text(graph, name, text):
    """The graph of a planned step, in Rematch's format, its costs scaled so that
    they add up to the time of the whole step."""
    record = planner.to_json(graph.program, name)
    record["fixed_bytes"] = 0
    device = torch.cuda.get_device_name()
    record["description"] = (
        f"One training step of {text}: forward, loss and backward as captured by "
        f"AOTAutograd; times and workspaces measured on an {device} with PyTorch "
        f"{torch.__version__}.")
    for op in record["ops"]:
        op["cost"] = round(op["cost"] * (graph.scale or 1.0), 3)
    head = {key: value for key, value in record.items() if key not in ("inputs", "ops")}
    lines = [json.dumps(head, indent=1)[:-2] + ","]
    for key in ("inputs", "ops"):
        rows = ",\n".join("  " + json.dumps(row) for row in record[key])
        lines.append(f' "{key}": [\n{rows}\n ]' + ("," if key == "inputs" else ""))
    return "\n".join([*lines, "}"]) + "\n"
