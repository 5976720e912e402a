# SPDX-License-Identifier: Apache-2.0
"""What is measured: each suite is a list of cases."""

from dataclasses import dataclass

TRAINING = ("vgg16_b256_train", "fcn8_b32_train", "mobilenet_b512_train",
            "resnet50_b256_train")
LAYERED = ("rl100", "rl500")
# The published graphs are small enough for all of these.
BUDGETS = ("90%", "80%", "70%", "60%", "50%", "40%", "30%", "20%")
QUICK = ("keep_last", "chen_sqrt", "chen_greedy", "chen_sqrt_linear",
         "chen_greedy_linear", "chain_dp", "dtr", "gap")
SEEDS = 5


@dataclass(frozen=True)
class Case:
    """One call of the program."""

    suite: str
    graph: str  # A public graph, or "transformer OPS".
    budget: str
    strategy: str
    limit: float  # Seconds.
    threads: int = 1
    order: str = "fixed"
    seed: int = 1

    @property
    def label(self):
        return (f"{self.suite} {self.graph} {self.budget} {self.strategy} "
                f"{self.limit:g}s {self.threads}t {self.order} seed {self.seed}")


def strategies():
    """Every strategy on every graph."""
    for graph in TRAINING + LAYERED:
        for budget in BUDGETS:
            for strategy in QUICK:
                yield Case("strategies", graph, budget, strategy, 2)
            for strategy in ("lp_rounding", "milp", "anneal"):
                yield Case("strategies", graph, budget, strategy, 5)


def anytime():
    """What people get by default, after a while."""
    for limit in (0.02, 0.1, 1, 10):
        for graph in TRAINING:
            for budget in BUDGETS:
                yield Case("anytime", graph, budget, "auto", limit, threads=2)
        yield Case("anytime", "resnet50_b256_train", "11.5%", "auto", limit, threads=2)
        for graph in LAYERED:
            for budget in ("90%", "80%", "70%"):
                yield Case("anytime", graph, budget, "auto", limit, threads=2)


ANNEAL = (("fcn8_b32_train", ("62%",)),
          ("mobilenet_b512_train", ("40%", "30%", "20%")),
          ("resnet50_b256_train", ("50%", "30%", "20%", "11.5%")),
          ("rl100", ("80%", "70%")),
          ("rl500", ("90%", "80%")))


def anneal():
    """The search alone."""
    for graph, budgets in ANNEAL:
        for budget in budgets:
            for seed in range(1, SEEDS + 1):
                yield Case("anneal", graph, budget, "anneal", 1, seed=seed)
    for graph, budgets in (("resnet50_b256_train", ("20%", "11.5%")),
                           ("rl500", ("80%", "70%"))):
        for budget in budgets:
            yield Case("anneal", graph, budget, "anneal", 30, threads=2)


def published():
    """The budgets at which others published results, in both orders."""
    for graph in LAYERED + ("fcn8_b32_train", "resnet50_b256_train"):
        for budget in ("90%", "80%", "70%"):
            for order in ("fixed", "free"):
                yield Case("published", graph, budget, "auto", 10, threads=2,
                           order=order)


def scale():
    """Transformers of any size."""
    for ops, limit in ((5_000, 0.2), (20_000, 0.5), (100_000, 3)):
        for budget in ("50%", "25%"):
            yield Case("scale", f"transformer {ops}", budget, "auto", limit, threads=2)


ALL = {maker.__name__: maker
       for maker in (strategies, anytime, anneal, published, scale)}
NAMES = tuple(ALL)


def cases(names):
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise ValueError(f"there is no suite {unknown[0]!r}; there are "
                         f"{', '.join(NAMES)}")
    return [case for name in names or NAMES for case in ALL[name]()]
