// SPDX-License-Identifier: Apache-2.0
// The parsers agree with the JSON Schemas on every sample. Runs in the root of
// the source tree.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "rematch/base/result.h"
#include "rematch/graph/graph_builder.h"
#include "rematch/io/file.h"
#include "rematch/io/graph_json.h"
#include "rematch/io/plan_json.h"
#include "rematch/io/solution_json.h"

namespace rematch {
namespace {

std::vector<std::filesystem::path> samples(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path("tests/schema/samples") / folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// What the parser says about a sample, which is named by its kind; empty if it
// accepts it.
std::string problem(const std::filesystem::path& path) {
  const Graph graph =
      *GraphBuilder().add_op("a", {}, 1).add_op("b", {"a"}, 1).build();
  const std::string text = *read_text(path.string());
  const std::string name = path.filename().string();
  const auto message = [](const auto& result) {
    return result ? std::string() : result.error().message;
  };
  if (name.starts_with("graph_")) return message(graph_from_json(text));
  if (name.starts_with("plan_")) return message(plan_from_json(text, graph));
  return message(solution_from_json(text, graph));
}

TEST(SchemaSamples, ValidOnesAreRead) {
  for (const auto& path : samples("valid"))
    EXPECT_EQ(problem(path), "") << path;
}

TEST(SchemaSamples, InvalidOnesAreRefused) {
  for (const auto& path : samples("invalid")) {
    EXPECT_NE(problem(path), "") << path;
  }
}

}  // namespace
}  // namespace rematch
