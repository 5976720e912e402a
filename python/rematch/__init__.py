# SPDX-License-Identifier: Apache-2.0
"""Plans the rematerialization of tensors: train in less memory.

Give a training graph and a budget to `solve`; it answers with a plan, the plan's
peak and cost, and a proved bound on how much cheaper any other plan could be.
"""

from rematch._core import (
    BatchAnswer,
    Error,
    Graph,
    GraphBuilder,
    InternalError,
    InvalidArgument,
    InvalidGraph,
    InvalidPlan,
    IoError,
    Op,
    OutOfRange,
    ParseError,
    Plan,
    Replay,
    SearchProgress,
    Solution,
    Step,
    Storage,
    Strategy,
    Tensor,
    TensorSpec,
    __version__,
    confirm,
    format_bytes,
    keep_all_peak,
    keep_all_plan,
    max_batch,
    parse_bytes,
    peak_floor,
    plan_from_sequence,
    replay,
    resolve_budget,
    solve,
    solve_least_peak,
    strategies,
    synthetic_graph,
)

__all__ = [
    "BatchAnswer",
    "Error",
    "Graph",
    "GraphBuilder",
    "InternalError",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidPlan",
    "IoError",
    "Op",
    "OutOfRange",
    "ParseError",
    "Plan",
    "Replay",
    "SearchProgress",
    "Solution",
    "Step",
    "Storage",
    "Strategy",
    "Tensor",
    "TensorSpec",
    "__version__",
    "confirm",
    "format_bytes",
    "keep_all_peak",
    "keep_all_plan",
    "max_batch",
    "parse_bytes",
    "peak_floor",
    "plan_from_sequence",
    "replay",
    "resolve_budget",
    "solve",
    "solve_least_peak",
    "strategies",
    "synthetic_graph",
]

# Where people find them, so that is how they introduce themselves.
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
