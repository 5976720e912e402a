// SPDX-License-Identifier: Apache-2.0
// rematch report: plans as a page, a trace, a picture or a table.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/validators.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/graph_origin.h"
#include "rematch/io/json_parse.h"
#include "rematch/io/json_reader.h"
#include "rematch/io/plan_json.h"
#include "rematch/io/solution_json.h"
#include "rematch/report/csv.h"
#include "rematch/report/page.h"
#include "rematch/report/svg.h"
#include "rematch/report/trace.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch plan graph.json --budget 50% -o plan.json
  rematch report plan.json -o page.html
      a page that shows the plan: memory, schedule, cost against budget
  rematch report small.json large.json -o page.html
      several plans of one graph, side by side
  rematch report plan.json --graph graph.json -o trace.json
      a trace for Perfetto; .svg is a picture, .csv the memory of every step

A file of plan -o says where its graph is; --graph names another place. Exit
codes: 0 written, 2 bad input.)";

struct Options {
  std::vector<std::string> plans;
  std::string graph;
  std::string order;
  std::string format;
  std::string output = "-";
};

struct Format {
  std::string_view name;
  std::string_view ending;
};

constexpr std::array<Format, 4> kFormats = {
    {{"html", ".html"}, {"trace", ".json"}, {"svg", ".svg"}, {"csv", ".csv"}}};

// As given, else what the file's name ends with; these must not contradict each
// other.
Result<std::string> format_of(const Options& options) {
  std::string named;
  for (const Format& format : kFormats) {
    if (options.output.ends_with(format.ending)) named = format.name;
  }
  if (!named.empty() && !options.format.empty() && named != options.format) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--format {} contradicts the name of the file, "
                             "'{}', which is one for {}",
                             options.format, options.output, named)};
  }
  if (!options.format.empty()) return options.format;
  if (!named.empty()) return named;
  if (options.output == "-") return std::string("html");
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("'{}' ends with none of .html, .json, .svg and "
                           ".csv; --format says what to write",
                           options.output)};
}

std::optional<Error> conflict(const Options& options,
                              const std::string& format) {
  std::string words;
  const auto inputs =
      std::count(options.plans.begin(), options.plans.end(), "-") +
      (options.graph == "-" ? 1 : 0);
  if (inputs > 1) {
    words = "only one of graph and plans can come from standard input";
  } else if (format != "html" && options.plans.size() > 1) {
    words = fmt::format("--format {} takes one plan, not {}", format,
                        options.plans.size());
  }
  if (words.empty()) return std::nullopt;
  return Error{ErrorCode::kInvalidArgument, words};
}

// A plan file, read but not understood: names need the graph.
struct PlanText {
  std::string path;
  std::string text;
  std::optional<GraphOrigin> origin;
};

Result<PlanText> read_plan(const std::string& path) {
  auto text = read_text(path);
  if (!text) return text.error();
  auto origin = origin_from_json(*text);
  if (!origin) return in_file(path, origin.error());
  return PlanText{path, *std::move(text), *std::move(origin)};
}

Result<Graph> find_graph(const Options& options, const PlanText& first) {
  if (!options.graph.empty()) return load_graph(options.graph);
  if (!first.origin) {
    return in_file(first.path,
                   {ErrorCode::kInvalidArgument,
                    "it does not say which graph it is for; --graph does"});
  }
  auto graph = load_graph(path_of(*first.origin, first.path));
  if (graph || graph.error().code != ErrorCode::kIo) return graph;
  return in_file(first.path,
                 {graph.error().code,
                  fmt::format("its graph is gone: {}; --graph says where it is",
                              graph.error().message)});
}

Result<MeasuredPlan> measured(const Graph& graph, const PlanText& text,
                              const std::string& label,
                              const std::string& order) {
  if (text.origin) {
    const auto same = check_origin(*text.origin, graph);
    if (!same) return same.error();
  }
  const auto document = parse_json(text.text);
  if (!document) return document.error();
  const auto rule = order_from_name(order);
  if (document_kind(*document) == DocumentKind::kSolution) {
    auto solution = solution_from_json(text.text, graph);
    if (!solution) return solution.error();
    if (rule) solution->order = *rule;
    if (solution->has_plan()) return measure(graph, label, *solution);
  }
  auto plan = plan_from_json(text.text, graph);
  if (!plan) return plan.error();
  return measure(graph, label, *std::move(plan),
                 rule.value_or(OrderRule::kFixed));
}

// The name of the file, or its whole path where others have the same name.
std::string label_of(const std::string& path,
                     const std::vector<std::string>& all) {
  const auto stem = [](const std::string& one) {
    return one == "-" ? "standard input"
                      : std::filesystem::path(one).stem().string();
  };
  const auto same = std::count_if(
      all.begin(), all.end(),
      [&](const std::string& other) { return stem(other) == stem(path); });
  return same > 1 ? path : stem(path);
}

std::string text_of(const Graph& graph, std::vector<MeasuredPlan> plans,
                    const std::string& format) {
  if (format == "trace") return plan_to_trace(graph, plans.front());
  if (format == "svg") return plan_to_svg(graph, plans.front());
  if (format == "csv") return plan_to_csv(graph, plans.front());
  return plans_page(graph, std::move(plans));
}

Result<ExitCode> run(const Options& options) {
  const auto format = format_of(options);
  if (!format) return format.error();
  if (const auto error = conflict(options, *format)) return *error;
  std::vector<PlanText> texts;
  for (const std::string& path : options.plans) {
    auto text = read_plan(path);
    if (!text) return text.error();
    texts.push_back(*std::move(text));
  }
  const auto graph = find_graph(options, texts.front());
  if (!graph) return graph.error();
  std::vector<MeasuredPlan> plans;
  for (const PlanText& text : texts) {
    auto plan = measured(*graph, text, label_of(text.path, options.plans),
                         options.order);
    if (!plan) return in_file(text.path, plan.error());
    plans.push_back(*std::move(plan));
  }
  const auto written =
      write_text(options.output, text_of(*graph, std::move(plans), *format));
  if (!written) return written.error();
  return ExitCode::kAnswered;
}

}  // namespace

void add_report_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = app.add_command(
      "report", "Show plans on a page, as a trace, a picture or a table");
  command.footer(kExamples);
  command
      .add_option("PLAN", options->plans, "plan or solution file, - for stdin")
      .required()
      .type_name("");
  command
      .add_option("--graph,-g", options->graph,
                  "graph file (default: where the first plan says it is)")
      .type_name("GRAPH");
  command
      .add_option("--order", options->order,
                  "order rule to check (default: the solution's own, else "
                  "fixed)")
      .check(one_of({"fixed", "free"}))
      .type_name("RULE");
  command
      .add_option("--format", options->format,
                  "html, trace, svg or csv (default: from the file's name, "
                  "else html)")
      .check(one_of({"html", "trace", "svg", "csv"}))
      .type_name("FORMAT");
  command.add_option("-o,--output", options->output, "file, - for stdout")
      .type_name("FILE")
      .show_default();
  command.callback([options, &session] {
    session.action = [options] { return run(*options); };
  });
}

}  // namespace rematch
