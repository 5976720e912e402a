// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/trace.h"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "rematch/io/json_writer.h"

namespace rematch {
namespace {

constexpr int kFirstRuns = 1;
constexpr int kRepeats = 2;

double microseconds_per_unit(std::string_view unit) {
  if (unit == "ns") return 1e-3;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  return 1;
}

std::string named(std::string_view what, int track, std::string_view name) {
  JsonObjectWriter args(JsonLayout::kOneLine);
  args.text("name", name);
  JsonObjectWriter event(JsonLayout::kOneLine);
  event.text("name", what)
      .text("ph", "M")
      .integer("pid", 1)
      .integer("tid", track)
      .json("args", args.finish());
  return event.finish();
}

std::string counter(double at, Bytes bytes) {
  JsonObjectWriter args(JsonLayout::kOneLine);
  args.integer("bytes", bytes);
  JsonObjectWriter event(JsonLayout::kOneLine);
  event.text("name", "memory")
      .text("ph", "C")
      .number("ts", at)
      .integer("pid", 1)
      .json("args", args.finish());
  return event.finish();
}

std::string slice(const Op& op, int run, std::size_t step, double start,
                  double length, Bytes footprint) {
  JsonObjectWriter args(JsonLayout::kOneLine);
  args.integer("step", step)
      .integer("run", run)
      .text("kind", op.kind)
      .number("cost", op.cost)
      .integer("footprint_bytes", footprint);
  JsonObjectWriter event(JsonLayout::kOneLine);
  event.text("name", op.name)
      .text("cat", run == 1 ? phase_name(op.phase) : "recomputed")
      .text("ph", "X")
      .number("ts", start)
      .number("dur", length)
      .integer("pid", 1)
      .integer("tid", run == 1 ? kFirstRuns : kRepeats)
      .json("args", args.finish());
  return event.finish();
}

}  // namespace

std::string plan_to_trace(const Graph& graph, const MeasuredPlan& plan) {
  std::vector<std::string> events = {
      named("process_name", 0, graph.name().empty() ? "plan" : graph.name()),
      named("thread_name", kFirstRuns, "ops, first runs"),
      named("thread_name", kRepeats, "ops, recomputed")};
  const double scale = microseconds_per_unit(graph.cost_unit());
  IdVector<OpId, int> runs(graph.num_ops());
  double now = 0;
  for (std::size_t at = 0; at < plan.plan.steps.size(); ++at) {
    const Step& step = plan.plan.steps[at];
    const Bytes footprint = plan.measured.footprint[at];
    events.push_back(counter(now, footprint));
    if (!step.is_compute()) continue;
    const Op& op = graph.op(step.op());
    const double length = op.cost * scale;
    events.push_back(slice(op, ++runs[step.op()], at, now, length, footprint));
    now += length;
  }
  JsonObjectWriter trace(JsonLayout::kLines);
  trace.text("displayTimeUnit", "ms")
      .json("traceEvents", json_list(events, JsonLayout::kLines));
  return trace.finish() + '\n';
}

}  // namespace rematch
