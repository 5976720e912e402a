// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "rematch/io/file.h"
#include "rematch/python/arguments.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"
#include "rematch/report/page.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {
namespace {

using Unlocked = nb::call_guard<nb::gil_scoped_release>;
using Path = std::filesystem::path;
using Planned = std::variant<Solution, Plan>;

void write_page(const Path& path, const std::string& page) {
  or_raise(write_text(path.string(), page));
}

MeasuredPlan measured(const Graph& graph, const std::string& label,
                      const Planned& planned, OrderRule order) {
  if (const Plan* plan = std::get_if<Plan>(&planned)) {
    return or_raise(measure(graph, label, *plan, order));
  }
  const auto& solution = std::get<Solution>(planned);
  if (!solution.has_plan()) {
    throw RaisedError({ErrorCode::kInvalidArgument,
                       "a solution without a plan has nothing to show"});
  }
  return or_raise(measure(graph, label, solution));
}

void write_plans(const Graph& graph,
                 const std::vector<std::pair<std::string, Planned>>& plans,
                 const Path& path, std::string_view order) {
  or_raise(check_page_name(path.string()));
  if (plans.empty()) {
    throw RaisedError(
        {ErrorCode::kInvalidArgument, "there is no plan to show"});
  }
  std::vector<MeasuredPlan> all;
  all.reserve(plans.size());
  for (const auto& [label, planned] : plans) {
    all.push_back(measured(graph, label, planned, order_named(order)));
  }
  write_page(path, plans_page(graph, std::move(all)));
}

void write_frontier(const Frontier& frontier, const Graph& graph,
                    const Path& path) {
  or_raise(check_page_name(path.string()));
  write_page(path, or_raise(frontier_page(graph, frontier)));
}

template <class Class>
void add_report(nb::module_& module, const char* name, const char* label) {
  auto type = nb::borrow<nb::object>(module.attr(name));
  type.attr("report") = nb::cpp_function(
      [label](const Class& self, const Graph& graph, const Path& path) {
        const nb::gil_scoped_release unlocked;
        write_plans(graph, {{label, self}}, path, "fixed");
      },
      nb::is_method(), nb::scope(type), nb::name("report"), "graph"_a, "path"_a,
      "Write a page that shows the plan: one HTML file that needs no network. "
      "The plan is replayed, and what a solution claims is checked.");
}

}  // namespace

void bind_report(nb::module_& module) {
  add_report<Plan>(module, "Plan", "plan");
  add_report<Solution>(module, "Solution", "plan");
  auto type = nb::borrow<nb::object>(module.attr("Frontier"));
  type.attr("report") = nb::cpp_function(
      &write_frontier, nb::is_method(), nb::scope(type), nb::name("report"),
      "graph"_a, "path"_a, Unlocked(),
      "Write a page that shows the curve and some of its plans: one HTML file "
      "that needs no network.");
  module.def(
      "report", &write_plans, "graph"_a, "plans"_a, "path"_a, nb::kw_only(),
      "order"_a = "fixed", Unlocked(),
      "Write a page that compares plans, given as pairs of a label and a "
      "Solution or a Plan: one HTML file that needs no network. order is "
      "that of plans.");
}

}  // namespace rematch
