// SPDX-License-Identifier: Apache-2.0
// What stays of a sequence while it is decided anew when some of its ops run
// again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rematch/plan/problem.h"

namespace rematch {

// Slots count the runs that stay. A rerun at a slot goes just before its run.
struct WindowFrame {
  // Everything but the reruns of free ops.
  std::vector<OpId> runs;
  IdVector<OpId, std::vector<std::int32_t>> slots;  // Of each op, ascending.
  IdVector<OpId, bool> is_free;
  std::vector<OpId> free;  // Ascending; all may run again.
  // Where the free ops ran again, and where that may be worth it: before a run
  // that reads what they make, where another free op does that reads it, or
  // while something that they read is there anyway. Ascending.
  IdVector<OpId, std::vector<std::int32_t>> reruns;
  IdVector<OpId, std::vector<std::int32_t>> places;
};

// Ops of `free` that must not run again are left out. The sequence is valid.
WindowFrame window_frame(const Graph& graph, std::span<const OpId> sequence,
                         std::span<const OpId> free);

// For two sequences: the ops that run again at other stages in one than in the
// other. A stage ends with the first run of an op.
std::vector<OpId> differing_ops(const Graph& graph, std::span<const OpId> a,
                                std::span<const OpId> b);

// Leaves only places at stages at which `sequence`, the one that the frame was
// made of, or `other` runs the op again.
void keep_places_of(const Graph& graph, std::span<const OpId> sequence,
                    std::span<const OpId> other, WindowFrame& frame);

// The frame with reruns of free ops: `runs_at(op, i)` says whether the op runs
// again at its place number i. At one slot they run in the order of their ids.
struct PlacedRun {
  OpId op;
  std::int32_t slot = 0;
  bool is_placed = false;  // Else it is a run of the frame.
};
template <class RunsAt>
std::vector<PlacedRun> place_reruns(const WindowFrame& frame,
                                    const RunsAt& runs_at) {
  std::vector<std::vector<OpId>> at(frame.runs.size());
  for (OpId op : frame.free) {
    const auto& places = frame.places[op];
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (runs_at(op, i)) at[static_cast<std::size_t>(places[i])].push_back(op);
    }
  }
  std::vector<PlacedRun> result;
  for (std::size_t s = 0; s < frame.runs.size(); ++s) {
    const auto slot = static_cast<std::int32_t>(s);
    for (OpId op : at[s]) result.push_back({op, slot, true});
    result.push_back({frame.runs[s], slot, false});
  }
  return result;
}

}  // namespace rematch
