// SPDX-License-Identifier: Apache-2.0
// rematch frontier: the whole curve of cost against budget.
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "rematch/cli/commands.h"
#include "rematch/cli/frontier_view.h"
#include "rematch/cli/live_text.h"
#include "rematch/cli/output_files.h"
#include "rematch/cli/search_options.h"
#include "rematch/cli/strategy_option.h"
#include "rematch/cli/validators.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_file.h"
#include "rematch/plan/budget.h"
#include "rematch/plan/sequence.h"
#include "rematch/report/page.h"
#include "rematch/solve/frontier.h"

namespace rematch {
namespace {

constexpr const char* kExamples = R"(Examples:
  rematch frontier graph.json
      20 budgets from the least that works to what keeping everything takes
  rematch frontier graph.json --points 50 --time-limit 60 --csv > curve.csv
  rematch frontier graph.json --budgets 90%,80%,6GiB,min --json

The time limit is for the whole curve. Exit codes: 0 there is a plan for one of
the budgets, 2 bad input, 3 there is none for any (proved), 4 none was found
within the limits.)";

constexpr std::int64_t kMostPoints = 10'000;

struct Options {
  std::string graph;
  std::string budgets;
  std::int64_t points = 0;  // 0: not given.
  std::string strategy = "auto";
  std::string output;
  std::string report;
  bool json = false;
  bool csv = false;
  SearchOptions search;
};

// The options, understood without the graph.
struct Asked {
  std::vector<BudgetSpec> budgets;
  const Strategy* strategy;
  Request request;
};

// Options that do not go together.
std::optional<Error> conflict(const Options& options) {
  std::string words;
  std::vector<std::string_view> wanting;
  if (options.json) wanting.emplace_back("--json");
  if (options.csv) wanting.emplace_back("--csv");
  if (options.output == "-") wanting.emplace_back("-o -");
  if (options.report == "-") wanting.emplace_back("--report -");
  if (wanting.size() > 1) {
    words = fmt::format("{} and {} both want standard output", wanting[0],
                        wanting[1]);
  } else if (options.points > 0 && !options.budgets.empty()) {
    words = "--points is for budgets that are not listed by --budgets";
  } else if (options.points > kMostPoints) {
    words =
        fmt::format("--points {} is more than {}", options.points, kMostPoints);
  }
  if (words.empty()) return std::nullopt;
  return Error{ErrorCode::kInvalidArgument, words};
}

Result<Asked> understand(const Options& options) {
  if (auto error = conflict(options)) return *error;
  Asked asked{.budgets = {}, .strategy = nullptr, .request = {}};
  if (!options.budgets.empty()) {
    auto budgets = parse_budgets(options.budgets);
    if (!budgets) return budgets.error();
    asked.budgets = *std::move(budgets);
  }
  const auto strategy = strategy_named(options.strategy);
  if (!strategy) return strategy.error();
  asked.strategy = *strategy;
  auto request = to_request(options.search, std::array{*strategy});
  if (!request) return request.error();
  asked.request = *std::move(request);
  return asked;
}

// The table on a terminal while it fills. Refers to its arguments.
class LiveTable {
 public:
  LiveTable(const Graph& graph, const Console& console)
      : graph_(graph),
        console_(console),
        keep_all_(keep_all_peak(graph)),
        text_(console, [this](double seconds) { return text(seconds); }) {}

  void update(std::span<const Solution> points) {
    auto rows = frontier_rows(points);
    const std::lock_guard lock(mutex_);
    rows_ = std::move(rows);
  }

 private:
  std::string text(double seconds) {
    const std::lock_guard lock(mutex_);
    if (rows_.empty()) {
      return fmt::format("looking for the least budget  {:.1f} s", seconds);
    }
    std::ostringstream table;
    print_rows(graph_, keep_all_, rows_,
               {.out = table, .err = table, .colour = console_.colour});
    return fmt::format("{}{}  {:.1f} s", table.str(), proved_words(rows_),
                       seconds);
  }

  const Graph& graph_;
  const Console& console_;
  Bytes keep_all_;
  std::mutex mutex_;
  std::vector<FrontierRow> rows_;  // Guarded by the mutex.
  LiveText text_;
};

Result<Frontier> search(const Graph& graph, const Options& options,
                        const Asked& asked, const Console& console) {
  FrontierQuestion question;
  question.order = to_order(options.search);
  if (options.points > 0) {
    question.num_points = static_cast<int>(options.points);
  }
  for (const BudgetSpec& spec : asked.budgets) {
    const auto budget = resolve_budget(spec, keep_all_peak(graph));
    if (!budget) return budget.error();
    question.budgets.push_back(*budget);
  }
  LiveTable table(graph, console);
  if (console.live) {
    question.on_change = [&](std::span<const Solution> points) {
      table.update(points);
    };
  }
  return solve_frontier(graph, question, *asked.strategy, asked.request);
}

Result<ExitCode> run(const Options& options, const Console& console) {
  // A wrong option is found before a large file is read.
  if (const auto ok = check_page_name(options.report); !ok) return ok.error();
  const auto asked = understand(options);
  if (!asked) return asked.error();
  const auto writable = check_outputs(
      {options.graph}, {{"-o", options.output}, {"--report", options.report}});
  if (!writable) return writable.error();
  const auto graph = load_graph(options.graph);
  if (!graph) return graph.error();
  const auto frontier = search(*graph, options, *asked, console);
  if (!frontier) return frontier.error();
  const auto json = [&] {
    return frontier_to_json(*graph, options.strategy, *frontier) + '\n';
  };
  if (!options.output.empty()) {
    const bool csv = options.csv || has_ending(options.output, ".csv");
    const auto written =
        write_text(options.output, csv ? frontier_to_csv(*frontier) : json());
    if (!written) return written.error();
  }
  const bool answered = exit_code(frontier->outcome()) == ExitCode::kAnswered;
  if (!options.report.empty() && answered) {
    const auto page = frontier_page(*graph, *frontier);
    if (!page) return page.error();
    const auto written = write_text(options.report, *page);
    if (!written) return written.error();
  }
  if (options.json) {
    console.out << json();
  } else if (options.csv) {
    console.out << frontier_to_csv(*frontier);
  } else if (options.output != "-" && options.report != "-") {
    print_frontier(*graph, options.strategy, *frontier, console);
  }
  if (!answered) say_no_page(options.report, console);
  return exit_code(frontier->outcome());
}

}  // namespace

void add_frontier_command(Command app, Session& session) {
  auto options = std::make_shared<Options>();
  Command command =
      app.add_command("frontier", "The whole curve of cost against budget");
  command.footer(kExamples);
  add_graph_argument(command, options->graph);
  command
      .add_option("--budgets", options->budgets,
                  "comma-separated budgets, as for plan (default: evenly "
                  "spaced from min to 100%)")
      .check([](const std::string& text) {
        return text.empty() ? std::string("an empty list has no budgets")
                            : std::string();
      })
      .type_name("LIST");
  command
      .add_option("--points", options->points,
                  "how many budgets, if they are not listed (default: 20)")
      .check(positive_integer())
      .type_name("N");
  add_strategy_option(command, options->strategy);
  add_search_options(command, options->search);
  command
      .add_option("-o,--output", options->output,
                  "write the points to this file: JSON, or CSV if --csv is "
                  "given or the name ends in .csv")
      .type_name("FILE");
  command
      .add_option("--report", options->report,
                  "write a page that shows the curve and its plans to this "
                  "file")
      .type_name("FILE");
  command.add_flag("--json", options->json, "print one JSON object");
  command.add_flag("--csv", options->csv,
                   "print a line of names and a line per point");
  command.callback([options, &session] {
    session.action = [options, &session] {
      return run(*options, session.console);
    };
  });
}

}  // namespace rematch
