// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/page.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rematch/base/check.h"
#include "rematch/io/file.h"
#include "rematch/report/document.h"
#include "rematch/report/page_parts.h"

namespace rematch {
namespace {

// More would make the page large, and nobody compares as many.
constexpr std::size_t kMostPlans = 6;

// Points with plans that differ from those before them, evenly chosen.
std::vector<const Solution*> plans_to_show(const Frontier& frontier) {
  std::vector<const Solution*> different;
  for (const Solution& point : frontier.points) {
    if (!point.has_plan()) continue;
    if (different.empty() || different.back()->plan != point.plan) {
      different.push_back(&point);
    }
  }
  if (different.size() <= kMostPlans) return different;
  std::vector<const Solution*> chosen;
  for (std::size_t i = 0; i < kMostPlans; ++i) {
    chosen.push_back(different[i * (different.size() - 1) / (kMostPlans - 1)]);
  }
  return chosen;
}

}  // namespace

std::string json_in_html(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '<') {
      result += "\\u003c";
    } else if (c == '>') {
      result += "\\u003e";
    } else if (c == '&') {
      result += "\\u0026";
    } else if (json.substr(at, 3) == "\xe2\x80\xa8") {
      result += "\\u2028";
      at += 2;
    } else if (json.substr(at, 3) == "\xe2\x80\xa9") {
      result += "\\u2029";
      at += 2;
    } else {
      result += c;
    }
  }
  return result;
}

std::string report_page(const Report& report) {
  const std::string data = json_in_html(report_document(report));
  std::string page;
  page.reserve(page_before_data().size() + data.size() +
               page_after_data().size());
  page += page_before_data();
  page += data;
  page += page_after_data();
  return page;
}

Status check_page_name(std::string_view path) {
  for (const char* ending :
       {".csv", ".svg", ".json", ".trace", ".pdf", ".png"}) {
    if (!has_ending(path, ending)) continue;
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' ends with {}, but a page is HTML", path, ending)};
  }
  return ok_status();
}

std::string plans_page(const Graph& graph, std::vector<MeasuredPlan> plans) {
  REMATCH_CHECK(!plans.empty(), "a page shows a plan");
  std::vector<Bytes> budgets;
  budgets.reserve(plans.size());
  for (const MeasuredPlan& plan : plans) {
    budgets.push_back(plan.certificate ? plan.certificate->budget
                                       : plan.peak());
  }
  Curve curve = quick_curve(graph, plans.front().order, budgets);
  return report_page(
      {.graph = graph, .plans = std::move(plans), .curve = std::move(curve)});
}

Result<std::string> frontier_page(const Graph& graph,
                                  const Frontier& frontier) {
  Report report{
      .graph = graph, .plans = {}, .curve = whole_curve(graph, frontier)};
  for (const Solution* point : plans_to_show(frontier)) {
    auto plan = measure(graph, format_bytes(point->budget), *point);
    if (!plan) return plan.error();
    report.plans.push_back(*std::move(plan));
  }
  if (report.plans.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "a curve without a plan has nothing to show"};
  }
  return report_page(report);
}

}  // namespace rematch
