// SPDX-License-Identifier: Apache-2.0
// rematch inspect: what a graph holds and where its memory goes.
#include <memory>
#include <ostream>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/cli/commands.h"
#include "rematch/cli/live_table.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/cli/validators.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/json_writer.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/replay.h"
#include "rematch/plan/sequence.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch inspect graph.json
  rematch generate unet --ops 500 --training | rematch inspect -

The floor is a proved lower bound on the peak of any plan: below it no budget
works.)";

struct Options {
  std::string graph;
  std::string order = "fixed";
  bool json = false;
};

// What the command shows, computed once.
struct Inspection {
  Plan keep_all;
  Replay measured;
  PeakFloor floor;
  std::size_t forward = 0;
  std::size_t backward = 0;
  std::size_t run_once = 0;

  double floor_ratio() const {
    if (measured.peak == 0) return 1;
    return static_cast<double>(floor.bytes) /
           static_cast<double>(measured.peak);
  }
};

Inspection inspect(const Graph& graph, OrderRule order) {
  Inspection result;
  result.keep_all = keep_all_plan(graph);
  auto measured = replay(graph, result.keep_all, OrderRule::kFixed);
  REMATCH_CHECK(measured.ok(), "computing every op in order is a valid plan");
  result.measured = *std::move(measured);
  result.floor = peak_floor(graph, order);
  for (OpId op : graph.ops()) {
    if (graph.op(op).phase == Phase::kForward) ++result.forward;
    if (graph.op(op).phase == Phase::kBackward) ++result.backward;
    if (!graph.op(op).recomputable) ++result.run_once;
  }
  return result;
}

std::string floor_op(const Graph& graph, const Inspection& inspection) {
  if (graph.num_ops() == 0) return "";
  return graph.op(inspection.floor.op).name;
}

void print_json(const Graph& graph, const Inspection& inspection,
                const Console& console) {
  const auto live =
      live_tensors(graph, inspection.keep_all, inspection.measured.peak_step);
  console.out << JsonObjectWriter(JsonLayout::kOneLine)
                     .text("name", graph.name())
                     .integer("ops", graph.num_ops())
                     .integer("edges", graph.num_edges())
                     .integer("tensors", graph.num_tensors())
                     .integer("storages", graph.num_storages())
                     .integer("forward_ops", inspection.forward)
                     .integer("backward_ops", inspection.backward)
                     .integer("run_once_ops", inspection.run_once)
                     .integer("fixed_bytes", graph.fixed_bytes())
                     .number("base_cost", graph.base_cost())
                     .text("cost_unit", graph.cost_unit())
                     .integer("keep_all_peak_bytes", inspection.measured.peak)
                     .integer("peak_floor_bytes", inspection.floor.bytes)
                     .text("peak_floor_op", floor_op(graph, inspection))
                     .number("floor_ratio", inspection.floor_ratio())
                     .json("live_at_peak", live_to_json(graph, live))
                     .finish()
              << '\n';
}

void print_text(const Graph& graph, const Inspection& inspection,
                const Console& console) {
  Table table(Table::Align::kLeft);
  table.add_row({"graph", graph.name().empty() ? "(unnamed)"
                                               : display_name(graph.name())});
  if (!graph.description().empty()) {
    table.add_row({"", display_name(graph.description(), 200)});
  }
  table.add_row(
      {"ops",
       fmt::format("{}: {} forward, {} backward, {} other{}", graph.num_ops(),
                   inspection.forward, inspection.backward,
                   graph.num_ops() - inspection.forward - inspection.backward,
                   inspection.run_once == 0
                       ? ""
                       : fmt::format("; {} run once", inspection.run_once))});
  table.add_row({"edges", fmt::format("{}", graph.num_edges())});
  table.add_row(
      {"tensors", fmt::format("{} in {} storages", graph.num_tensors(),
                              graph.num_storages())});
  table.add_row({"total cost", cost_with_unit(graph, graph.base_cost())});
  table.add_row({"fixed", format_size(graph.fixed_bytes())});
  table.add_row({"keep-all peak", format_size(inspection.measured.peak)});
  table.add_row(
      {"floor",
       fmt::format(
           "{}, {:.3f} of keep-all{}", format_size(inspection.floor.bytes),
           inspection.floor_ratio(),
           graph.num_ops() == 0
               ? ""
               : ", at op " + display_name(floor_op(graph, inspection)))});
  table.print(console);
  if (graph.num_ops() == 0) return;
  const Step& step =
      inspection.keep_all.steps[inspection.measured.peak_step.index()];
  console.out << fmt::format("at the keep-all peak, while computing {}:\n",
                             display_name(graph.op(step.op()).name));
  print_live(
      graph,
      live_tensors(graph, inspection.keep_all, inspection.measured.peak_step),
      10, console);
}

Result<ExitCode> run(const Options& options, const Console& console) {
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  const Inspection inspection =
      inspect(*graph, *order_from_name(options.order));
  if (options.json) {
    print_json(*graph, inspection, console);
  } else {
    print_text(*graph, inspection, console);
  }
  return ExitCode::kAnswered;
}

}  // namespace

void add_inspect_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = app.add_command(
      "inspect", "Size, cost, keep-all peak, floor, what sits at the peak");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  command
      .add_option("--order", options->order,
                  "order rule that the floor is proved for")
      .check(one_of({"fixed", "free"}))
      .type_name("RULE")
      .show_default();
  command.add_flag("--json", options->json, "print one JSON object");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
