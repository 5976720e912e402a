// SPDX-License-Identifier: Apache-2.0
// The list of strategies; the one place that knows them all.
#include <array>

#include "rematch/solve/strategies/anneal.h"
#include "rematch/solve/strategies/auto.h"
#include "rematch/solve/strategies/chain_dp.h"
#include "rematch/solve/strategies/chen.h"
#include "rematch/solve/strategies/dtr.h"
#include "rematch/solve/strategies/exhaustive.h"
#include "rematch/solve/strategies/gap.h"
#include "rematch/solve/strategies/keep.h"
#include "rematch/solve/strategies/lp_rounding.h"
#include "rematch/solve/strategies/milp.h"
#include "rematch/solve/strategies/revolve.h"
#include "rematch/solve/strategy.h"

namespace rematch {
namespace {

constexpr std::array<Strategy, 15> kStrategies = {{
    {.name = "auto",
     .summary = "the best plan and bound of all strategies below",
     .source = "ours",
     .can = {.exact = true,
             .gives_bound = true,
             .gap_bound = true,
             .uses_budget = true,
             .free_order = true,
             .randomised = true},
     .propose = propose_auto},
    {.name = "keep_all",
     .summary = "store everything, recompute nothing",
     .source = "the framework's default",
     .can = {},
     .propose = propose_keep_all},
    {.name = "keep_last",
     .summary = "store only the previous value, recompute everything else",
     .source = "Jain et al. 2020",
     .can = {},
     .propose = propose_keep_last},
    {.name = "chen_sqrt",
     .summary = "every sqrt(n)-th articulation point is a checkpoint",
     .source = "Chen et al. 2016",
     .can = {},
     .propose = propose_chen_sqrt},
    {.name = "chen_sqrt_linear",
     .summary = "every sqrt(n)-th forward op is a checkpoint",
     .source = "Chen et al. 2016, Jain et al. 2020",
     .can = {},
     .propose = propose_chen_sqrt_linear},
    {.name = "chen_greedy",
     .summary = "a checkpoint whenever a segment outgrows b; best b of 300",
     .source = "Chen et al. 2016",
     .can = {.uses_budget = true},
     .propose = propose_chen_greedy},
    {.name = "chen_greedy_linear",
     .summary = "the same over every forward op",
     .source = "Chen et al. 2016, Jain et al. 2020",
     .can = {.uses_budget = true},
     .propose = propose_chen_greedy_linear},
    {.name = "revolve",
     .summary = "binomial checkpointing, optimal on uniform chains",
     .source = "Griewank and Walther 2000",
     .can = {.gives_bound = true, .needs_chain = true, .uses_budget = true},
     .propose = propose_revolve},
    {.name = "chain_dp",
     .summary = "best persistent schedule of a chain of blocks; proved optimal "
                "on uniform chains",
     .source = "Beaumont et al. 2019",
     .can = {.gives_bound = true, .needs_chain = true, .uses_budget = true},
     .propose = propose_chain_dp},
    {.name = "dtr",
     .summary = "online eviction by cost / (bytes x staleness), simulated",
     .source = "Kirisame et al. 2021",
     .can = {.uses_budget = true},
     .propose = propose_dtr},
    {.name = "gap",
     .summary =
         "lower bound in milliseconds from the gaps between touches, and "
         "the plan realised from it",
     .source = "ours",
     .can = {.gives_bound = true, .gap_bound = true, .uses_budget = true},
     .propose = propose_gap},
    {.name = "anneal",
     .summary = "simulated annealing over sequences of ops with repeats",
     .source = "ours",
     .can = {.uses_budget = true, .free_order = true, .randomised = true},
     .propose = propose_anneal},
    {.name = "lp_rounding",
     .summary = "a linear relaxation, rounded and repaired",
     .source = "Jain et al. 2020",
     .can = {.gives_bound = true, .uses_budget = true, .randomised = true},
     .propose = propose_lp_rounding},
    {.name = "milp",
     .summary = "an integer program solved to proof",
     .source = "Jain et al. 2020, ours",
     .can = {.exact = true,
             .gives_bound = true,
             .uses_budget = true,
             .randomised = true},
     .propose = propose_milp},
    {.name = "exhaustive",
     .summary = "brute force for graphs of up to 24 tensors",
     .source = "ours",
     .can = {.exact = true,
             .gives_bound = true,
             .uses_budget = true,
             .free_order = true},
     .propose = propose_exhaustive},
}};

}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

}  // namespace rematch
