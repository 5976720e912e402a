// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rematch/graph/graph_builder.h"
#include "rematch/io/json_parse.h"
#include "rematch/plan/sequence.h"
#include "rematch/report/columns.h"
#include "rematch/report/csv.h"
#include "rematch/report/svg.h"
#include "rematch/report/trace.h"

namespace rematch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Graph small_graph() {
  GraphBuilder builder;
  builder.name("a < b").cost_unit("ms");
  builder.add_op("a,\"x\"", {}, 8, 1, Phase::kForward);
  builder.add_op("b", {"a,\"x\""}, 4, 2, Phase::kForward);
  builder.add_op("c", {"b", "a,\"x\""}, 2, 4, Phase::kBackward);
  return *builder.build();
}

MeasuredPlan with_a_rerun(const Graph& graph) {
  const Plan plan = plan_from_sequence(
      graph, std::vector<OpId>{OpId(0), OpId(1), OpId(0), OpId(2)});
  return *measure(graph, "plan", plan, OrderRule::kFixed);
}

TEST(PlanToCsv, HasALinePerStep) {
  const Graph graph = small_graph();
  EXPECT_EQ(plan_to_csv(graph, with_a_rerun(graph)),
            "step,action,name,phase,run,cost,footprint_bytes\n"
            "0,compute,\"a,\"\"x\"\"\",forward,1,1,8\n"
            "1,compute,b,forward,1,2,12\n"
            "2,drop,\"a,\"\"x\"\"\",,,,4\n"
            "3,compute,\"a,\"\"x\"\"\",forward,2,1,12\n"
            "4,compute,c,backward,1,4,14\n"
            "5,drop,c,,,,12\n"
            "6,drop,b,,,,8\n"
            "7,drop,\"a,\"\"x\"\"\",,,,0\n");
}

TEST(PlanToTrace, HasASlicePerRunAndACounter) {
  const Graph graph = small_graph();
  const auto trace = parse_json(plan_to_trace(graph, with_a_rerun(graph)));
  ASSERT_TRUE(trace.ok());
  std::vector<double> starts;
  std::vector<double> lengths;
  std::vector<double> counts;
  for (const JsonValue& event :
       *trace->find("traceEvents")->as<JsonValue::List>()) {
    const std::string& kind = *event.find("ph")->as<std::string>();
    if (kind == "X") {
      starts.push_back(*event.find("ts")->to_number());
      lengths.push_back(*event.find("dur")->to_number());
    } else if (kind == "C") {
      counts.push_back(*event.find("args")->find("bytes")->to_number());
    }
  }
  EXPECT_THAT(starts, ElementsAre(0, 1000, 3000, 4000));
  EXPECT_THAT(lengths, ElementsAre(1000, 2000, 1000, 4000));
  EXPECT_THAT(counts, ElementsAre(8, 12, 4, 12, 14, 12, 8, 0));
}

TEST(PlanToSvg, EscapesNames) {
  const Graph graph = small_graph();
  const std::string picture = plan_to_svg(graph, with_a_rerun(graph));
  EXPECT_THAT(picture, HasSubstr("a &lt; b"));
  EXPECT_THAT(picture, HasSubstr("peak 14 B"));
}

TEST(PlanToSvg, DrawsAGraphWithoutOps) {
  const Graph graph = *GraphBuilder().build();
  const auto plan = measure(graph, "plan", Plan(), OrderRule::kFixed);
  EXPECT_THAT(plan_to_svg(graph, *plan), HasSubstr("</svg>"));
}

TEST(Columns, SetKeepAllBesideThePlan) {
  const Graph graph = small_graph();
  const Columns columns = columns_of(graph, with_a_rerun(graph));
  EXPECT_THAT(columns.footprint, ElementsAre(8, 12, 12, 14));
  // While the first op runs again, keeping everything is about to run the last.
  EXPECT_THAT(columns.keep_all, ElementsAre(8, 12, 14, 14));
}

TEST(LargestOfParts, LosesNoPeak) {
  EXPECT_THAT(largest_of_parts({1, 9, 2, 3, 8, 4, 5}, 3), ElementsAre(9, 3, 8));
  EXPECT_THAT(largest_of_parts({1, 2}, 3), ElementsAre(1, 2));
}

}  // namespace
}  // namespace rematch
