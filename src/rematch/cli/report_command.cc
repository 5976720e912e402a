// SPDX-License-Identifier: Apache-2.0
// rematch report: plans as a page, a trace, a picture or a table.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/file_format.h"
#include "rematch/cli/output_files.h"
#include "rematch/cli/table.h"
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

A file of plan -o says where its graph is; --graph names another place, or
another graph on which the plan is valid. Exit codes: 0 written, 2 bad input.)";

struct Options {
  std::vector<std::string> plans;
  std::string graph;
  std::string order;
  std::string format;
  std::string output = "-";
};

constexpr std::array<FileFormat, 4> kFormats = {
    {{"html", ".html"}, {"trace", ".json"}, {"svg", ".svg"}, {"csv", ".csv"}}};

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

// A plan's file may come from a stranger and name anything: no pipe that waits
// for a writer and no device without an end is opened for it, nor what the
// system would make of a name with a zero byte.
Result<Graph> load_regular_file(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  const bool other = std::filesystem::exists(status) &&
                     !std::filesystem::is_regular_file(status);
  if (other || path.find('\0') != path.npos) {
    return Error{ErrorCode::kIo, fmt::format("{}: not a regular file", path)};
  }
  return load_graph(path);
}

// The plans' files and where their graph is.
std::vector<std::string> files_read(const Options& options,
                                    const std::vector<PlanText>& texts) {
  std::vector<std::string> files = options.plans;
  if (!options.graph.empty()) files.push_back(options.graph);
  for (const PlanText& text : texts) {
    if (text.origin) files.push_back(path_of(*text.origin, text.path));
  }
  return files;
}

Result<Graph> find_graph(const Options& options, const PlanText& first) {
  if (!options.graph.empty()) return load_graph(options.graph);
  if (!first.origin) {
    return in_file(first.path,
                   {ErrorCode::kInvalidArgument,
                    "it does not say which graph it is for; --graph does"});
  }
  auto graph = load_regular_file(path_of(*first.origin, first.path));
  if (graph) return graph;
  return in_file(
      first.path,
      {graph.error().code,
       fmt::format(
           "its graph is not where it says: {}; --graph says where it is",
           graph.error().message)});
}

std::string file_name(const std::string& path) {
  return path == "-" ? "standard input"
                     : std::filesystem::path(path).filename().string();
}

// What a plan's file claims counts only on the graph that it was made for.
enum class Claims { kChecked, kLeftOut };

Result<MeasuredPlan> measured(const Graph& graph, const PlanText& text,
                              const std::string& label,
                              const std::string& order, Claims claims) {
  const auto document = parse_json(text.text);
  if (!document) return document.error();
  const auto rule = order_from_name(order);
  if (document_kind(*document) == DocumentKind::kSolution) {
    auto solution = solution_from_json(text.text, graph);
    if (!solution) return solution.error();
    const OrderRule own =
        std::exchange(solution->order, rule.value_or(solution->order));
    // What holds for plans in a fixed order says nothing about others.
    const bool widened =
        own == OrderRule::kFixed && solution->order == OrderRule::kFree;
    if (solution->has_plan() && (widened || claims == Claims::kLeftOut)) {
      return measure(graph, label, *solution->plan, solution->order);
    }
    if (solution->has_plan()) {
      auto plan = measure(graph, label, *solution);
      if (plan) plan->claimed_by = file_name(text.path);
      return plan;
    }
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

// Plans, and what a person should know about them.
struct Measured {
  std::vector<MeasuredPlan> plans;
  std::vector<std::string> notes;
};

// With a graph that was named on the command line replay is the only judge;
// one that a plan's file led to must be the one that the plan was made for.
Result<Measured> measure_all(const Graph& graph,
                             const std::vector<PlanText>& texts,
                             const Options& options) {
  Measured result;
  for (const PlanText& text : texts) {
    const Status same =
        text.origin ? check_origin(*text.origin, graph) : ok_status();
    if (!same && options.graph.empty()) {
      return in_file(text.path,
                     {same.error().code,
                      same.error().message + "; plan again, or give --graph"});
    }
    auto plan =
        measured(graph, text, label_of(text.path, options.plans), options.order,
                 same ? Claims::kChecked : Claims::kLeftOut);
    if (!plan) return in_file(text.path, plan.error());
    result.plans.push_back(*std::move(plan));
    if (same) continue;
    result.notes.push_back(
        in_file(text.path, same.error()).message +
        "; it is valid on this one, and what else it claims is left out");
  }
  return result;
}

Result<ExitCode> run(const Options& options, const Console& console) {
  const auto format = choose_format(kFormats, options.format, options.output);
  if (!format) return format.error();
  if (const auto error = conflict(options, *format)) return *error;
  std::vector<PlanText> texts;
  for (const std::string& path : options.plans) {
    auto text = read_plan(path);
    if (!text) return text.error();
    texts.push_back(*std::move(text));
  }
  const auto writable =
      check_outputs(files_read(options, texts), {{"-o", options.output}});
  if (!writable) return writable.error();
  const auto graph = find_graph(options, texts.front());
  if (!graph) return graph.error();
  auto shown = measure_all(*graph, texts, options);
  if (!shown) return shown.error();
  const auto written = write_text(
      options.output, text_of(*graph, std::move(shown->plans), *format));
  if (!written) return written.error();
  for (const std::string& note : shown->notes) {
    console.err << "rematch: " << display_name(note, 2000) << '\n';
  }
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
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
