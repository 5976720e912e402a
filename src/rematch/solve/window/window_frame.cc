// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/window/window_frame.h"

#include <algorithm>

namespace rematch {
namespace {

void sort_out(std::vector<std::int32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void take_runs(const Graph& graph, std::span<const OpId> sequence,
               WindowFrame& frame) {
  IdVector<OpId, bool> ran(graph.num_ops());
  for (OpId op : sequence) {
    const auto slot = static_cast<std::int32_t>(frame.runs.size());
    if (ran[op] && frame.is_free[op]) {
      frame.reruns[op].push_back(slot);
      continue;
    }
    ran[op] = true;
    frame.slots[op].push_back(slot);
    frame.runs.push_back(op);
  }
}

// The last slot of each copy of an input at which the frame reads it.
void add_last_reads(const Graph& graph, const WindowFrame& frame,
                    TensorId input, std::vector<std::int32_t>& slots) {
  if (graph.is_input(input)) return;
  const OpId producer = *graph.tensor(input).producer;
  std::vector<std::int32_t> reads;
  for (OpId reader : graph.readers(input)) {
    const auto& at = frame.slots[reader];
    reads.insert(reads.end(), at.begin(), at.end());
  }
  sort_out(reads);
  const auto& made = frame.slots[producer];
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto end =
        i + 1 < made.size()
            ? std::upper_bound(reads.begin(), reads.end(), made[i + 1])
            : reads.end();
    if (end != reads.begin() && *(end - 1) > made[i])
      slots.push_back(*(end - 1));
  }
}

// Readers come later, so they are dealt with before.
void find_places(const Graph& graph, WindowFrame& frame) {
  for (std::size_t i = frame.free.size(); i-- > 0;) {
    const OpId op = frame.free[i];
    std::vector<std::int32_t> places = frame.reruns[op];
    for (TensorId output : graph.outputs(op)) {
      for (OpId reader : graph.readers(output)) {
        const auto& read = frame.slots[reader];
        places.insert(places.end(), read.begin(), read.end());
        const auto& again = frame.places[reader];
        places.insert(places.end(), again.begin(), again.end());
      }
    }
    for (TensorId input : graph.inputs(op)) {
      if (!graph.is_input(input) &&
          frame.is_free[*graph.tensor(input).producer]) {
        continue;
      }
      add_last_reads(graph, frame, input, places);
    }
    sort_out(places);
    const std::int32_t first = frame.slots[op].front();
    std::erase_if(places, [&](std::int32_t slot) { return slot <= first + 1; });
    frame.places[op] = std::move(places);
  }
}

// For each op, the ops whose first run comes next after a rerun of it: its
// stages, in the order of the sequence.
IdVector<OpId, std::vector<OpId>> rerun_stages(const Graph& graph,
                                               std::span<const OpId> sequence) {
  IdVector<OpId, std::vector<OpId>> stages(graph.num_ops());
  IdVector<OpId, bool> ran(graph.num_ops());
  std::vector<OpId> reruns;
  for (OpId op : sequence) {
    if (ran[op]) {
      reruns.push_back(op);
      continue;
    }
    ran[op] = true;
    for (OpId rerun : reruns) stages[rerun].push_back(op);
    reruns.clear();
  }
  return stages;
}

}  // namespace

std::vector<OpId> differing_ops(const Graph& graph, std::span<const OpId> a,
                                std::span<const OpId> b) {
  const auto of_a = rerun_stages(graph, a);
  const auto of_b = rerun_stages(graph, b);
  std::vector<OpId> ops;
  for (OpId op : graph.ops()) {
    if (of_a[op] != of_b[op]) ops.push_back(op);
  }
  return ops;
}

void keep_places_of(const Graph& graph, std::span<const OpId> sequence,
                    std::span<const OpId> other, WindowFrame& frame) {
  const auto own = rerun_stages(graph, sequence);
  const auto theirs = rerun_stages(graph, other);
  // The stage of each slot.
  std::vector<OpId> stages(frame.runs.size());
  IdVector<OpId, std::size_t> first(graph.num_ops());
  for (std::size_t i = frame.runs.size(); i-- > 0;) first[frame.runs[i]] = i;
  OpId stage;
  for (std::size_t i = frame.runs.size(); i-- > 0;) {
    if (first[frame.runs[i]] == i) stage = frame.runs[i];
    stages[i] = stage;
  }
  for (OpId op : frame.free) {
    std::erase_if(frame.places[op], [&](std::int32_t slot) {
      const OpId at = stages[static_cast<std::size_t>(slot)];
      return std::ranges::find(own[op], at) == own[op].end() &&
             std::ranges::find(theirs[op], at) == theirs[op].end();
    });
  }
}

WindowFrame window_frame(const Graph& graph, std::span<const OpId> sequence,
                         std::span<const OpId> free) {
  WindowFrame frame;
  frame.slots = decltype(frame.slots)(graph.num_ops());
  frame.is_free = decltype(frame.is_free)(graph.num_ops());
  frame.reruns = decltype(frame.reruns)(graph.num_ops());
  frame.places = decltype(frame.places)(graph.num_ops());
  for (OpId op : free) frame.is_free[op] = graph.op(op).recomputable;
  for (OpId op : graph.ops()) {
    if (frame.is_free[op]) frame.free.push_back(op);
  }
  take_runs(graph, sequence, frame);
  find_places(graph, frame);
  return frame;
}

}  // namespace rematch
