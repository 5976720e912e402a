// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "rematch/io/solution_json.h"
#include "rematch/plan/confirm.h"
#include "rematch/plan/solution.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {
namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;

// What there is only with a plan; None without one.
template <class Get>
auto with_plan(Get get) {
  return [get](const Solution& self) {
    return self.has_plan() ? std::optional(get(self)) : std::nullopt;
  };
}

void bind_measures(nb::class_<Solution>& solution) {
  solution
      .def_ro("plan", &Solution::plan,
              "The plan; None unless outcome is 'optimal' or 'feasible'.")
      .def_prop_ro("peak_bytes",
                   with_plan([](const Solution& s) { return s.peak; }),
                   "Of the plan, as replayed, fixed bytes included; or None.")
      .def_prop_ro("cost", with_plan([](const Solution& s) { return s.cost; }),
                   "Of the plan, as replayed; or None.")
      .def_prop_ro("overhead",
                   with_plan([](const Solution& s) { return s.overhead(); }),
                   "cost / base_cost - 1; or None.")
      .def_prop_ro("gap", &Solution::gap,
                   "cost / lower_bound - 1: the plan costs at most this much "
                   "more than the best; or None.")
      .def_ro("lower_bound", &Solution::lower_bound,
              "Proved lower bound on any plan's cost.");
}

void bind_question(nb::class_<Solution>& solution) {
  solution
      .def_prop_ro(
          "outcome", [](const Solution& s) { return outcome_name(s.outcome); },
          "'optimal', 'feasible', 'infeasible' (both proved) or 'unknown'.")
      .def_prop_ro(
          "stop_reason",
          [](const Solution& s) { return stop_reason_name(s.stop_reason); },
          "'proved', 'finished', 'over_budget', 'not_applicable', "
          "'time_limit', 'work_limit', 'gap_reached' or 'interrupted'.")
      .def_ro("message", &Solution::message,
              "One sentence where there is something to explain.")
      .def_ro("strategy", &Solution::strategy, "The strategy's name.")
      .def_prop_ro(
          "order", [](const Solution& s) { return order_name(s.order); },
          "'fixed' or 'free'.")
      .def_ro("seed", &Solution::seed, "Of the random numbers.")
      .def_ro("budget_bytes", &Solution::budget, "Largest allowed peak.")
      .def_ro("fixed_bytes", &Solution::fixed_bytes, "Of the graph.")
      .def_ro("peak_floor_bytes", &Solution::peak_floor,
              "Proved lower bound on any plan's peak.")
      .def_ro("base_cost", &Solution::base_cost, "Every op once.")
      .def_ro("seconds", &Solution::seconds, "Wall clock.");
}

std::string shown(const Solution& solution) {
  const auto outcome = outcome_name(solution.outcome);
  if (!solution.has_plan()) return fmt::format("<Solution: {}>", outcome);
  return fmt::format("<Solution: {}, peak {}, cost {}, lower bound {}>",
                     outcome, format_bytes(solution.peak),
                     format_cost(solution.cost),
                     format_cost(solution.lower_bound));
}

}  // namespace

void bind_solution(nb::module_& module) {
  nb::class_<Solution> solution(
      module, "Solution",
      "A plan with its certificate, or why there is none. Every number comes "
      "from replay or from a proof.");
  bind_question(solution);
  bind_measures(solution);
  solution
      .def_static("from_json", or_raise(&solution_from_json), "text"_a,
                  "graph"_a, Unlocked(),
                  "Read a solution for the graph; see confirm.")
      .def(
          "to_json",
          [](const Solution& self, const Graph& graph) {
            if (self.plan) or_raise(replay(graph, *self.plan, self.order));
            return solution_to_json(graph, self);
          },
          "graph"_a, Unlocked(),
          "The solution with its plan in our own JSON, without seconds; raise "
          "InvalidPlan if it is not one of this graph.")
      .def(
          "as_answer_to",
          [](const Solution& self, const Solution& asked) {
            return as_answer_to(asked, self);
          },
          "asked"_a,
          "This plan, searched for within less memory, as an answer to the "
          "question that another solution answers: with its budget, and with "
          "what is proved there.")
      .def("summary_to_json", &summary_to_json,
           "The numbers as one JSON object, as 'rematch plan --json' prints.")
      .def("__eq__",
           [](const Solution& a, const Solution& b) { return a == b; })
      .def("__repr__", &shown);
  module.def(
      "confirm",
      [](const Graph& graph, const Solution& claimed) {
        if (!claimed.has_plan()) {
          throw RaisedError({ErrorCode::kInvalidArgument,
                             "a solution without a plan claims nothing that "
                             "replay could confirm"});
        }
        return or_raise(confirm(graph, claimed));
      },
      "graph"_a, "solution"_a, Unlocked(),
      "Replay the plan of a solution that came from elsewhere and check every "
      "number that it claims; raise InvalidPlan, naming both numbers.");
}

}  // namespace rematch
