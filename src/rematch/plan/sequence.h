// SPDX-License-Identifier: Apache-2.0
// Turns a sequence of ops with repeats into the plan with the least memory.
#pragma once

#include <span>

#include "rematch/plan/plan.h"
#include "rematch/plan/problem.h"

namespace rematch {

// The plan that computes `sequence` in order and drops each tensor as early as
// that allows: right after its last reader before its producer runs again (or
// right after its producer, if nothing reads that copy). For the given sequence
// no other plan has a lower footprint at any compute step. Linear.
//
// The plan is valid if every op's inputs appear before it; replay() says so.
Plan plan_from_sequence(const Graph& graph, std::span<const OpId> sequence);

// Every op once, in the graph's order: the plan without recomputation.
Plan keep_all_plan(const Graph& graph);

// The peak of keep_all_plan(): budgets in percent refer to it.
Bytes keep_all_peak(const Graph& graph);

}  // namespace rematch
