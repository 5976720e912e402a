// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "rematch/plan/budget.h"
#include "rematch/plan/sequence.h"
#include "rematch/python/arguments.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"
#include "rematch/python/search_arguments.h"
#include "rematch/solve/frontier.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {
namespace {

using Size = std::variant<nb::int_, nb::str>;

void bind_answer(nb::module_& module) {
  nb::class_<Frontier>(module, "Frontier", "What solve_frontier found.")
      .def_ro("points", &Frontier::points,
              "Solutions by budget, ascending; no cost and no bound is above "
              "that of a smaller budget.")
      .def_ro("least_peak", &Frontier::least_peak,
              "Of all plans found, also of those that fit no point; None if "
              "there is none.")
      .def_prop_ro("num_proved", &Frontier::num_proved,
                   "How many points are optimal or infeasible.")
      .def_prop_ro(
          "outcome",
          [](const Frontier& self) { return outcome_name(self.outcome()); },
          "Of the points together.")
      .def_prop_ro(
          "stop_reason",
          [](const Frontier& self) {
            return stop_reason_name(self.stop_reason);
          },
          "As in Solution.")
      .def_ro("seconds", &Frontier::seconds, "Wall clock.");
}

}  // namespace

void bind_frontier(nb::module_& module) {
  bind_answer(module);
  module.def(
      "solve_frontier",
      [](const Graph& graph, const std::optional<std::vector<Size>>& budgets,
         int num_points, std::string_view strategy, std::string_view order,
         std::optional<double> time_limit,
         std::optional<std::int64_t> work_limit, double gap,
         std::optional<int> threads, std::uint64_t seed) {
        FrontierQuestion question;
        question.order = order_named(order);
        question.num_points = num_points;
        for (const Size& budget : budgets.value_or(std::vector<Size>{})) {
          question.budgets.push_back(or_raise(resolve_budget(
              or_raise(parse_budget(text_of(budget))), keep_all_peak(graph))));
        }
        if (budgets && budgets->empty()) {
          or_raise(Result<int>(Error{.message = "budgets is empty"}));
        }
        if (num_points < 1) {
          or_raise(Result<int>(
              Error{.message = fmt::format(
                        "num_points must be at least 1, not {}", num_points)}));
        }
        const Strategy* chosen = or_raise(strategy_named(strategy));
        Request request =
            to_request({time_limit, work_limit, gap, threads, seed});
        or_raise(check_request(graph, question.order, request));
        return search_in_background<Frontier>(request, {}, [&] {
          return Result<Frontier>(
              solve_frontier(graph, question, *chosen, request));
        });
      },
      "graph"_a, "budgets"_a.none() = nb::none(), nb::kw_only(),
      "num_points"_a = 20, "strategy"_a = "auto", "order"_a = "fixed",
      "time_limit"_a.none() = 10.0, "work_limit"_a.none() = nb::none(),
      "gap"_a = 0.0, "threads"_a.none() = nb::none(), "seed"_a = 0,
      "The whole curve of cost against budget: at the given budgets, each as "
      "in "
      "solve, or at num_points of them from the least peak that is found to "
      "that of keeping everything. time_limit is for all of it, work_limit for "
      "each solve.");
}

}  // namespace rematch
