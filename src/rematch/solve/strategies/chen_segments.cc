// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/strategies/chen_segments.h"

#include <algorithm>

#include "rematch/plan/stages.h"
#include "rematch/solve/chain/forward_part.h"

namespace rematch {

// Forward positions [begin, end), and the stages [first, last] in which the
// backward of these ops runs; first > last if none does.
struct ChenSegments::Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int32_t first = 0;
  std::int32_t last = -1;
};

namespace {

bool is_forward(const Graph& graph, OpId op) {
  return graph.op(op).phase == Phase::kForward;
}

std::int32_t last_reader(const Graph& graph, TensorId tensor) {
  const auto readers = graph.readers(tensor);
  return readers.empty() ? -1 : readers.back().value;
}

bool is_read_backward(const Graph& graph, TensorId tensor) {
  const auto readers = graph.readers(tensor);
  return std::any_of(readers.begin(), readers.end(),
                     [&](OpId reader) { return !is_forward(graph, reader); });
}

}  // namespace

ChenSegments::ChenSegments(const Graph& graph)
    : graph_(graph), forward_(forward_ops(graph)) {
  const auto none = static_cast<std::int32_t>(graph.num_ops());
  has_backward_ = forward_.size() < graph.num_ops();
  for (OpId op : forward_) {
    std::int32_t stage = none;
    for (TensorId tensor : graph.outputs(op)) {
      for (OpId reader : graph.readers(tensor)) {
        if (!is_forward(graph, reader)) stage = std::min(stage, reader.value);
      }
    }
    backward_stage_.push_back(stage);
  }
}

std::vector<ChenSegments::Segment> ChenSegments::segments(
    const std::vector<OpId>& checkpoints) const {
  std::vector<Segment> result(1);
  std::size_t next = 0;
  const auto none = static_cast<std::int32_t>(graph_.num_ops());
  for (std::size_t i = 0; i < forward_.size(); ++i) {
    if (next < checkpoints.size() && forward_[i] == checkpoints[next]) {
      ++next;
      if (i > 0) result.push_back({.begin = i, .end = i});
    }
    Segment& segment = result.back();
    segment.end = i + 1;
    const std::int32_t stage = backward_stage_[i];
    if (stage == none) continue;
    if (segment.last < 0) segment.first = stage;
    segment.first = std::min(segment.first, stage);
    segment.last = std::max(segment.last, stage);
  }
  return result;
}

std::optional<Plan> ChenSegments::plan(const std::vector<OpId>& checkpoints,
                                       Meter& meter) const {
  std::vector<KeptInterval> kept;
  const auto stages = static_cast<std::int32_t>(graph_.num_ops());
  const auto keep = [&](TensorId tensor, std::int32_t from, std::int32_t to) {
    const auto producer = graph_.tensor(tensor).producer;
    if (!producer) return;
    from = std::max(from, producer->value + 1);
    if (from <= to) kept.push_back({tensor, from, to});
  };
  for (OpId op : graph_.ops()) {
    // Each op finds its inputs; what is not forward lives until its last use.
    for (TensorId tensor : graph_.inputs(op)) keep(tensor, op.value, op.value);
    if (is_forward(graph_, op)) continue;
    for (TensorId tensor : graph_.outputs(op)) {
      keep(tensor, 0, last_reader(graph_, tensor));
    }
  }
  for (OpId op : checkpoints) {
    for (TensorId tensor : graph_.outputs(op)) keep(tensor, 0, stages - 1);
  }
  for (const Segment& segment : segments(checkpoints)) {
    const std::int32_t forward_end = segment.end < forward_.size()
                                         ? forward_[segment.end].value
                                         : forward_.back().value + 1;
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
      for (TensorId tensor : graph_.outputs(forward_[i])) {
        const bool again = is_read_backward(graph_, tensor);
        const std::int32_t used_until =
            again ? stages - 1 : last_reader(graph_, tensor);
        keep(tensor, 0, std::min(forward_end, used_until));
        if (again) keep(tensor, segment.first, segment.last);
      }
    }
    // Gradients of a segment stay until all of it is done.
    for (std::int32_t stage = segment.first; stage <= segment.last; ++stage) {
      if (is_forward(graph_, OpId(stage))) continue;
      for (TensorId tensor : graph_.outputs(OpId(stage))) {
        if (!graph_.readers(tensor).empty()) keep(tensor, 0, segment.last);
      }
    }
  }
  return staged_plan(graph_, std::move(kept), meter);
}

}  // namespace rematch
