// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/page.h"

#include <vector>

#include "rematch/base/check.h"
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

std::string frontier_page(const Graph& graph, const Frontier& frontier) {
  Report report{
      .graph = graph, .plans = {}, .curve = whole_curve(graph, frontier)};
  for (const Solution* point : plans_to_show(frontier)) {
    auto plan = measure(graph, format_bytes(point->budget), *point);
    REMATCH_CHECK(plan.ok(), "what solve_frontier() answers is true");
    report.plans.push_back(*std::move(plan));
  }
  REMATCH_CHECK(!report.plans.empty(), "a point has a plan");
  return report_page(report);
}

}  // namespace rematch
