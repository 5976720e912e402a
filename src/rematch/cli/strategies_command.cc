// SPDX-License-Identifier: Apache-2.0
// rematch strategies: what there is, and what each can prove.
#include <memory>
#include <ostream>

#include "rematch/cli/commands.h"
#include "rematch/cli/table.h"
#include "rematch/io/json_writer.h"
#include "rematch/solve/strategy.h"

namespace rematch {
namespace {

void print_json(const Console& console) {
  std::vector<std::string> items;
  for (const Strategy& strategy : strategies()) {
    items.push_back(JsonObjectWriter(JsonLayout::kOneLine)
                        .text("name", strategy.name)
                        .text("summary", strategy.summary)
                        .text("source", strategy.source)
                        .flag("exact", strategy.can.exact)
                        .flag("gives_bound", strategy.can.gives_bound)
                        .flag("needs_chain", strategy.can.needs_chain)
                        .flag("uses_budget", strategy.can.uses_budget)
                        .flag("free_order", strategy.can.free_order)
                        .flag("randomised", strategy.can.randomised)
                        .finish());
  }
  console.out << JsonObjectWriter(JsonLayout::kOneLine)
                     .json("strategies", json_list(items, JsonLayout::kOneLine))
                     .finish()
              << '\n';
}

std::string mark(bool yes) { return yes ? "yes" : "-"; }

void print_table(const Console& console) {
  Table table(Table::Align::kLeft);
  table.add_row({{"strategy", Style::kBold},
                 {"exact", Style::kBold},
                 {"bound", Style::kBold},
                 {"chain", Style::kBold},
                 {"budget", Style::kBold},
                 {"what", Style::kBold}});
  for (const Strategy& strategy : strategies()) {
    table.add_row({std::string(strategy.name), mark(strategy.can.exact),
                   mark(strategy.can.gives_bound),
                   mark(strategy.can.needs_chain),
                   mark(strategy.can.uses_budget),
                   std::string(strategy.summary) + " (" +
                       std::string(strategy.source) + ")"});
  }
  table.print(console);
  console.out
      << "\nexact: proves its plan optimal where it runs to the end; bound: "
         "can "
         "raise the lower\nbound on the cost; chain: takes only chains; "
         "budget: "
         "its plan depends on the budget.\nEvery plan is replayed before it is "
         "reported, and one that costs no more than running\nevery op once is "
         "optimal whoever found it.\n";
}

}  // namespace

void add_strategies_command(Command app, Session& session) {
  auto json = std::make_shared<bool>(false);
  Command command = app.add_command(
      "strategies", "List the strategies and what each can prove");
  command.footer(
      "Examples:\n  rematch strategies\n  rematch strategies --json");
  command.add_flag("--json", *json, "print one JSON object");
  command.callback([json, &session] {
    session.action = [json, &session]() -> Result<ExitCode> {
      if (*json) {
        print_json(session.console);
      } else {
        print_table(session.console);
      }
      return ExitCode::kAnswered;
    };
  });
}

}  // namespace rematch
