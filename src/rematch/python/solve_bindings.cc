// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "rematch/plan/budget.h"
#include "rematch/plan/cost_cap.h"
#include "rematch/plan/sequence.h"
#include "rematch/python/arguments.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"
#include "rematch/python/search_arguments.h"
#include "rematch/solve/least_peak.h"
#include "rematch/solve/max_batch.h"
#include "rematch/solve/within_budget.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {
namespace {

using Size = std::variant<nb::int_, nb::str>;

Solution solve_in_background(const Graph& graph, const BudgetSpec& budget,
                             std::string_view order, std::string_view strategy,
                             Request request,
                             const ProgressCallback& on_progress) {
  const Strategy* chosen = or_raise(strategy_named(strategy));
  const OrderRule rule = order_named(order);
  or_raise(check_request(graph, rule, request));
  return search_in_background<Solution>(request, on_progress, [&] {
    return solve_within(graph, budget, rule, *chosen, request);
  });
}

void bind_progress(nb::module_& module) {
  nb::class_<ProgressNote>(module, "SearchProgress", "Where a search stands.")
      .def_prop_ro(
          "cost",
          [](const ProgressNote& self) {
            const bool found =
                self.cost < std::numeric_limits<Cost>::infinity();
            return found ? std::optional(self.cost) : std::nullopt;
          },
          "Of the best plan so far; None if there is none.")
      .def_ro("lower_bound", &ProgressNote::lower_bound, "Proved.")
      .def_ro("plan", &ProgressNote::plan,
              "The best plan so far; None if it is not at hand.");
}

void bind_solve_within(nb::module_& module) {
  module.def(
      "solve",
      [](const Graph& graph, const Size& budget, std::string_view strategy,
         std::string_view order, std::optional<double> time_limit,
         std::optional<std::int64_t> work_limit, double gap,
         std::optional<int> threads, std::uint64_t seed, const Plan* start,
         const ProgressCallback& on_progress) {
        Request request =
            to_request({time_limit, work_limit, gap, threads, seed});
        request.start = start;
        return solve_in_background(graph,
                                   or_raise(parse_budget(text_of(budget))),
                                   order, strategy, request, on_progress);
      },
      "graph"_a, "budget"_a, nb::kw_only(), "strategy"_a = "auto",
      "order"_a = "fixed", "time_limit"_a.none() = 10.0,
      "work_limit"_a.none() = nb::none(), "gap"_a = 0.0,
      "threads"_a.none() = nb::none(), "seed"_a = 0,
      "start"_a.none() = nb::none(), "on_progress"_a.none() = nb::none(),
      "Find the cheapest plan whose peak is within the budget: bytes, '6GiB', "
      "'50%' of the keep-all peak, or 'min' for the least that works.\n\n"
      "time_limit is in seconds (None: no limit). work_limit stops at the same "
      "place on every machine. The search ends early once the plan is proved "
      "to cost at most 1 + gap times the best. threads: None for one per "
      "processor. start: a plan to begin with. on_progress is called on this "
      "thread now and then; what it raises ends the search. Ctrl-C does, too.");
}

void bind_least_peak(nb::module_& module) {
  module.def(
      "solve_least_peak",
      [](const Graph& graph, std::string_view strategy, std::string_view order,
         std::optional<double> time_limit,
         std::optional<std::int64_t> work_limit, double gap,
         std::optional<int> threads, std::uint64_t seed) {
        return solve_in_background(
            graph, LeastBudget{}, order, strategy,
            to_request({time_limit, work_limit, gap, threads, seed}), {});
      },
      "graph"_a, nb::kw_only(), "strategy"_a = "auto", "order"_a = "fixed",
      "time_limit"_a.none() = 10.0, "work_limit"_a.none() = nb::none(),
      "gap"_a = 0.0, "threads"_a.none() = nb::none(), "seed"_a = 0,
      "The solution with the least peak that the strategy reaches; the same as "
      "solve with the budget 'min'.");
}

void bind_batch_answer(nb::module_& module) {
  nb::class_<BatchAnswer>(module, "BatchAnswer", "What max_batch found.")
      .def_ro("batch", &BatchAnswer::batch,
              "What the plan allows; 0: none was found.")
      .def_ro("batch_bound", &BatchAnswer::batch_bound,
              "Proved: no plan within the cap allows more.")
      .def_ro("keep_all_batch", &BatchAnswer::keep_all_batch,
              "Without recomputation.")
      .def_prop_ro(
          "outcome",
          [](const BatchAnswer& self) { return outcome_name(self.outcome); },
          "About the batch: 'optimal' if it meets its bound, 'infeasible' if "
          "not even one sample fits, 'feasible' or 'unknown'.")
      .def_prop_ro(
          "stop_reason",
          [](const BatchAnswer& self) {
            return stop_reason_name(self.stop_reason);
          },
          "As in Solution.")
      .def_ro("solution", &BatchAnswer::solution,
              "The plan with the least peak that was found within the cap, for "
              "the graph as it is.")
      .def_ro("seconds", &BatchAnswer::seconds, "Wall clock.");
}

void bind_max_batch(nb::module_& module) {
  module.def(
      "max_batch",
      [](const Graph& graph, const Size& memory, std::string_view overhead,
         const Size& fixed, std::int64_t graph_batch, std::string_view strategy,
         std::string_view order, std::optional<double> time_limit,
         std::optional<std::int64_t> work_limit, double gap,
         std::optional<int> threads, std::uint64_t seed) {
        const BatchQuestion question{
            .memory = or_raise(parse_bytes(text_of(memory))),
            .extra_fixed = or_raise(parse_bytes(text_of(fixed))),
            .graph_batch = graph_batch,
            .cost_cap =
                or_raise(cost_cap(or_raise(parse_overhead(overhead)), graph)),
            .order = order_named(order)};
        const Strategy* chosen = or_raise(strategy_named(strategy));
        Request request =
            to_request({time_limit, work_limit, gap, threads, seed});
        or_raise(check_request(graph, question.order, request));
        return search_in_background<BatchAnswer>(request, {}, [&] {
          return max_batch(graph, question, *chosen, request);
        });
      },
      "graph"_a, "memory"_a, "overhead"_a, nb::kw_only(), "fixed"_a = 0,
      "graph_batch"_a = 1, "strategy"_a = "auto", "order"_a = "fixed",
      "time_limit"_a.none() = 10.0, "work_limit"_a.none() = nb::none(),
      "gap"_a = 0.0, "threads"_a.none() = nb::none(), "seed"_a = 0,
      "Find the largest batch that fits in memory when reruns may cost "
      "overhead: 'forward', one more forward pass, or a share such as '10%'. "
      "fixed: bytes besides those of the graph that do not grow with the "
      "batch. graph_batch: what the sizes in the graph are for.");
}

void bind_strategies(nb::module_& module) {
  nb::class_<Strategy>(module, "Strategy", "One way to search.")
      .def_ro("name", &Strategy::name, "For solve.")
      .def_ro("summary", &Strategy::summary, "One line for people.")
      .def_ro("source", &Strategy::source, "Where it was published.")
      .def_prop_ro(
          "exact", [](const Strategy& self) { return self.can.exact; },
          "Proves optimality where it runs to the end.")
      .def_prop_ro(
          "gives_bound",
          [](const Strategy& self) { return self.can.gives_bound; },
          "May raise the lower bound on the cost.")
      .def_prop_ro(
          "needs_chain",
          [](const Strategy& self) { return self.can.needs_chain; },
          "Takes only graphs whose forward part is a chain.")
      .def_prop_ro(
          "uses_budget",
          [](const Strategy& self) { return self.can.uses_budget; },
          "Its plan depends on the budget.")
      .def_prop_ro(
          "free_order",
          [](const Strategy& self) { return self.can.free_order; },
          "Uses the freedom of a free order.")
      .def_prop_ro(
          "randomised",
          [](const Strategy& self) { return self.can.randomised; },
          "Its plan depends on the seed.");
  module.def(
      "strategies",
      [] {
        return std::vector<Strategy>(strategies().begin(), strategies().end());
      },
      "All strategies, in the order in which people should read about them.");
}

}  // namespace

void bind_solve(nb::module_& module) {
  bind_progress(module);
  bind_batch_answer(module);
  bind_strategies(module);
  bind_solve_within(module);
  bind_least_peak(module);
  bind_max_batch(module);
  module.def(
      "resolve_budget",
      [](const Graph& graph, const Size& budget) {
        return or_raise(resolve_budget(or_raise(parse_budget(text_of(budget))),
                                       keep_all_peak(graph)));
      },
      "graph"_a, "budget"_a,
      "The budget in bytes; None for 'min', which a search has to find.");
}

}  // namespace rematch
