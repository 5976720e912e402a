// SPDX-License-Identifier: Apache-2.0
// rematch max-batch: the largest batch that fits in memory at a bounded cost.
#include <array>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/live_text.h"
#include "rematch/cli/output_files.h"
#include "rematch/cli/search_options.h"
#include "rematch/cli/summary.h"
#include "rematch/cli/table.h"
#include "rematch/cli/validators.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/json_writer.h"
#include "rematch/io/solution_json.h"
#include "rematch/plan/cost_cap.h"
#include "rematch/plan/floor.h"
#include "rematch/solve/max_batch.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch max-batch graph.json --memory 16GB --overhead forward
      a graph of one sample; reruns may cost one more forward pass
  rematch max-batch graph.json --memory 16GB --overhead 10% --fixed 2GB
      reruns may cost a tenth; parameters and their gradients take 2 GB
  rematch max-batch graph.json --batch 32 --memory 80GiB --overhead 5% -o plan.json
      a graph of a batch of 32; the plan goes to a file

Everything but the graph inputs, the graph's fixed bytes and --fixed grows with
the batch. Exit codes: 0 a batch was found, 2 bad input, 3 not even one sample
fits (proved), 4 none was found within the limits.)";

struct Options {
  std::string graph;
  std::string memory;
  std::string overhead;
  std::string fixed = "0";
  std::int64_t batch = 1;
  std::string strategy = "auto";
  std::string output;
  bool json = false;
  SearchOptions search;
};

// The options, understood without the graph.
struct Asked {
  BatchQuestion question;
  OverheadSpec overhead;
  const Strategy* strategy;
  Request request;
};

Result<Bytes> size_of_option(std::string_view option, const std::string& text) {
  auto bytes = parse_bytes(text);
  if (bytes) return bytes;
  const char* what = bytes.error().code == ErrorCode::kOutOfRange
                         ? "has too many digits or is too large"
                         : "is not a size such as 16GB";
  return Error{bytes.error().code,
               fmt::format("{} '{}' {}", option, text, what)};
}

Result<Asked> understand(const Options& options) {
  if (options.json && options.output == "-") {
    return Error{ErrorCode::kInvalidArgument,
                 "--json and -o - both want standard output"};
  }
  const auto memory = size_of_option("--memory", options.memory);
  if (!memory) return memory.error();
  if (*memory == 0) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("--memory '{}' is no memory at all", options.memory)};
  }
  const auto fixed = size_of_option("--fixed", options.fixed);
  if (!fixed) return fixed.error();
  const auto overhead = parse_overhead(options.overhead);
  if (!overhead) return overhead.error();
  const auto strategy = strategy_named(options.strategy);
  if (!strategy) return strategy.error();
  const auto request = to_request(options.search, std::array{*strategy});
  if (!request) return request.error();
  return Asked{.question = {.memory = *memory,
                            .extra_fixed = *fixed,
                            .graph_batch = options.batch,
                            .cost_cap = 0,
                            .order = to_order(options.search)},
               .overhead = *overhead,
               .strategy = *strategy,
               .request = *request};
}

// One sentence on why there is no batch, or none but that of keeping
// everything; empty if there is one.
std::string why_none(const Graph& graph, const BatchQuestion& question,
                     const BatchAnswer& answer) {
  if (answer.batch > 0) {
    const Solution& solution = answer.solution;
    return solution.strategy == "keep_all" ? solution.message : "";
  }
  if (answer.outcome == Outcome::kUnknown) {
    return fmt::format("no plan was found with which one sample fits in {}",
                       format_size(question.memory));
  }
  const std::string none = fmt::format("not even one sample fits in {}",
                                       format_size(question.memory));
  const Bytes fixed = graph.fixed_bytes() + question.extra_fixed;
  if (fixed == question.memory) return none + ": all of it is fixed";
  if (fixed > question.memory) {
    return fmt::format("{}: {} is fixed", none, format_size(fixed));
  }
  const Bytes floor =
      peak_floor(graph, question.order).bytes - graph.fixed_bytes();
  if (batch_for(graph, question, floor) > 0) {
    return fmt::format("{} at a cost of at most {}", none,
                       cost_with_unit(graph, question.cost_cap));
  }
  const std::string sample =
      question.graph_batch == 1
          ? std::string("a sample")
          : fmt::format("a batch of {}", format_exact(question.graph_batch));
  if (fixed == 0) {
    return fmt::format("{}: {} takes at least {}", none, sample,
                       format_size(floor));
  }
  return fmt::format("{}: {} is fixed, and {} takes at least {} more", none,
                     format_size(fixed), sample, format_size(floor));
}

void print_json(const Graph& graph, const BatchQuestion& question,
                const BatchAnswer& answer, const Console& console) {
  const Solution& solution = answer.solution;
  JsonObjectWriter object(JsonLayout::kOneLine);
  object.text("outcome", outcome_name(answer.outcome))
      .text("strategy", solution.strategy)
      .integer("batch", answer.batch)
      .integer("batch_bound", answer.batch_bound)
      .integer("keep_all_batch", answer.keep_all_batch)
      .integer("graph_batch", question.graph_batch)
      .integer("memory_bytes", question.memory)
      .integer("fixed_bytes", graph.fixed_bytes() + question.extra_fixed);
  if (solution.has_plan()) {
    object.integer("activation_bytes", solution.peak - graph.fixed_bytes())
        .integer("peak_bytes", solution.peak)
        .number("cost", solution.cost);
  } else {
    object.json("activation_bytes", "null")
        .json("peak_bytes", "null")
        .json("cost", "null");
  }
  object.number("base_cost", graph.base_cost());
  if (solution.has_plan()) {
    object.number("overhead", solution.overhead());
  } else {
    object.json("overhead", "null");
  }
  object.number("cost_cap", question.cost_cap)
      .number("seconds", answer.seconds)
      .text("stop_reason", stop_reason_name(answer.stop_reason))
      .text("order", order_name(question.order))
      .integer("seed", solution.seed);
  const std::string message = why_none(graph, question, answer);
  if (!message.empty()) object.text("message", message);
  console.out << object.finish() << '\n';
}

Cell batch_words(const BatchAnswer& answer) {
  switch (answer.outcome) {
    case Outcome::kOptimal:
      return {fmt::format("{}: no plan allows more (proved)",
                          format_exact(answer.batch)),
              Style::kGood};
    case Outcome::kFeasible:
      return fmt::format("{}; no plan allows more than {} (proved)",
                         format_exact(answer.batch),
                         format_exact(answer.batch_bound));
    case Outcome::kInfeasible:
      return {"0 (proved)", Style::kBad};
    case Outcome::kUnknown:
      return {fmt::format("none found; no plan allows more than {} (proved)",
                          format_exact(answer.batch_bound)),
              Style::kWarning};
  }
  return "";
}

std::string of_keep_all(const Graph& graph, Cost cost) {
  const Cost base = graph.base_cost();
  const double ratio = base > 0 ? cost / base : 1;
  return fmt::format("{}, {} of keep-all ({})", cost_with_unit(graph, cost),
                     format_ratio(ratio), format_percent(ratio - 1));
}

void print_text(const Graph& graph, const BatchQuestion& question,
                const BatchAnswer& answer, const Console& console) {
  const Solution& solution = answer.solution;
  Table table(Table::Align::kLeft);
  table.add_row({"graph", size_of(graph)});
  table.add_row({"memory", format_size(question.memory)});
  table.add_row(
      {"fixed", format_size(graph.fixed_bytes() + question.extra_fixed)});
  table.add_row({"cost cap", of_keep_all(graph, question.cost_cap)});
  table.add_row({"batch", batch_words(answer)});
  const std::string message = why_none(graph, question, answer);
  if (!message.empty()) table.add_row({"", display_name(message, 500)});
  table.add_row({"keep-all", format_exact(answer.keep_all_batch) +
                                 " without recomputation"});
  table.add_row(
      {"strategy", fmt::format("{}, {} order, {:.3f} s{}", solution.strategy,
                               order_name(question.order), answer.seconds,
                               stop_words(answer.stop_reason))});
  if (solution.has_plan()) {
    table.add_row(
        {"peak", fmt::format("{} for a batch of {}, without what is fixed",
                             format_size(solution.peak - graph.fixed_bytes()),
                             format_exact(question.graph_batch))});
    table.add_row({"cost", of_keep_all(graph, solution.cost)});
  }
  table.print(console);
}

// "batch 412, at most 418  3.2 s", on a terminal.
Result<BatchAnswer> search(const Graph& graph, const Asked& asked,
                           const Console& console) {
  std::mutex mutex;
  std::string found = "searching";
  const LiveText text(console, [&](double seconds) {
    const std::lock_guard lock(mutex);
    return fmt::format("{}  {:.1f} s", found, seconds);
  });
  return max_batch(graph, asked.question, *asked.strategy, asked.request,
                   [&](std::int64_t batch, std::int64_t bound) {
                     const std::lock_guard lock(mutex);
                     found =
                         fmt::format("{}, at most {}",
                                     batch > 0 ? "batch " + format_exact(batch)
                                               : std::string("no batch yet"),
                                     format_exact(bound));
                   });
}

Result<ExitCode> run(const Options& options, const Console& console) {
  // A wrong option is found before a large file is read.
  auto asked = understand(options);
  if (!asked) return asked.error();
  const auto writable =
      check_outputs({options.graph}, {{"-o", options.output}});
  if (!writable) return writable.error();
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  BatchQuestion& question = asked->question;
  const auto cap = cost_cap(asked->overhead, *graph);
  if (!cap) return in_file(options.graph, cap.error());
  question.cost_cap = *cap;
  const auto answer = search(*graph, *asked, console);
  if (!answer) return in_file(options.graph, answer.error());
  if (!options.output.empty() && answer->solution.has_plan()) {
    const auto written = write_text(
        options.output,
        solution_to_json(*graph, answer->solution,
                         origin_of(*graph, options.graph, options.output)));
    if (!written) return written.error();
  }
  if (options.json) {
    print_json(*graph, question, *answer, console);
  } else if (options.output != "-") {
    print_text(*graph, question, *answer, console);
  } else if (!answer->solution.has_plan()) {
    console.err << "rematch: " << why_none(*graph, question, *answer) << '\n';
  }
  return exit_code(answer->outcome);
}

}  // namespace

void add_max_batch_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command = app.add_command(
      "max-batch", "Find the largest batch that fits in memory");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  command
      .add_option("--memory,-m", options->memory,
                  "what there is, in bytes with an optional unit (16GB)")
      .required()
      .type_name("BYTES");
  command
      .add_option("--overhead", options->overhead,
                  "what reruns may cost: forward, one more forward pass, or a "
                  "percentage of the cost without reruns (10%)")
      .required()
      .type_name("SHARE");
  command
      .add_option("--fixed", options->fixed,
                  "bytes besides those of the graph that do not grow with the "
                  "batch: parameters, their gradients, optimizer state")
      .type_name("BYTES")
      .show_default();
  command
      .add_option("--batch", options->batch, "the batch that the graph is for")
      .check(positive_integer())
      .type_name("N")
      .show_default();
  command
      .add_option("--strategy,-s", options->strategy,
                  "see 'rematch strategies'")
      .type_name("NAME")
      .show_default();
  add_search_options(command, options->search);
  command
      .add_option("-o,--output", options->output,
                  "write the solution with its plan to this file")
      .type_name("FILE");
  command.add_flag("--json", options->json,
                   "print the summary as one JSON object");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
