// SPDX-License-Identifier: Apache-2.0
#include "rematch/io/graph_origin.h"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "rematch/graph/declarations.h"
#include "rematch/io/graph_json.h"
#include "rematch/io/json_parse.h"
#include "rematch/io/json_writer.h"

namespace rematch {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kFields = {"path", "ops", "tensors",
                                                     "digest"};

fs::path folder_of(const std::string& document) {
  const fs::path folder = fs::path(document).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

Error other_graph(std::string_view what, std::string_view expected,
                  std::string_view found) {
  return {ErrorCode::kInvalidGraph,
          fmt::format("it was made for another graph: one with {} {}, not {}",
                      what, expected, found)};
}

}  // namespace

std::string graph_digest(const Graph& graph) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (char c : graph_to_json(graph)) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return fmt::format("{:016x}", hash);
}

std::optional<GraphOrigin> origin_of(const Graph& graph,
                                     const std::string& file,
                                     const std::string& document) {
  if (file == "-" || document == "-") return std::nullopt;
  const fs::path folder = folder_of(document);
  std::error_code failed;
  // As people wrote it, if that leads there; a link in between may not.
  const fs::path from = fs::absolute(folder, failed);
  fs::path path = fs::absolute(file, failed).lexically_relative(from);
  if (path.empty() || !fs::equivalent(folder / path, file, failed)) {
    path = fs::proximate(file, folder, failed);
    if (failed) return std::nullopt;
  }
  return GraphOrigin{.path = path.generic_string(),
                     .ops = static_cast<std::int64_t>(graph.num_ops()),
                     .tensors = static_cast<std::int64_t>(graph.num_tensors()),
                     .digest = graph_digest(graph)};
}

std::string path_of(const GraphOrigin& origin, const std::string& document) {
  const fs::path folder = fs::path(document).parent_path();
  const std::string path = (folder / origin.path).lexically_normal().string();
  return path == "-" ? "./-" : path;
}

Status check_origin(const GraphOrigin& origin, const Graph& graph) {
  const auto ops = static_cast<std::int64_t>(graph.num_ops());
  if (origin.ops != ops) {
    return other_graph("a number of ops of", std::to_string(origin.ops),
                       std::to_string(ops));
  }
  const auto tensors = static_cast<std::int64_t>(graph.num_tensors());
  if (origin.tensors != tensors) {
    return other_graph("a number of tensors of", std::to_string(origin.tensors),
                       std::to_string(tensors));
  }
  const std::string digest = graph_digest(graph);
  if (origin.digest != digest) {
    return other_graph("the digest", shown_name(origin.digest), digest);
  }
  return ok_status();
}

std::string origin_to_json(const GraphOrigin& origin) {
  JsonObjectWriter fields(JsonLayout::kOneLine);
  fields.text("path", origin.path)
      .integer("ops", origin.ops)
      .integer("tensors", origin.tensors)
      .text("digest", origin.digest);
  return fields.finish();
}

std::optional<GraphOrigin> read_origin(FieldReader& solution) {
  const JsonValue* found = solution.find("graph_file");
  if (found == nullptr) return std::nullopt;
  FieldReader fields(*found, {"graph_file", std::nullopt, &solution});
  fields.allow_only(kFields);
  GraphOrigin origin{.path = fields.text("path"),
                     .ops = fields.integer("ops"),
                     .tensors = fields.integer("tensors"),
                     .digest = fields.text("digest")};
  if (fields.failed()) {
    solution.fail(fields.error().message);
    return std::nullopt;
  }
  return origin;
}

Result<std::optional<GraphOrigin>> origin_from_json(std::string_view text) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  if (document_kind(*document) != DocumentKind::kSolution) {
    return std::optional<GraphOrigin>();
  }
  FieldReader solution(*document);
  check_header(solution, DocumentKind::kSolution);
  auto origin = read_origin(solution);
  if (solution.failed()) return solution.error();
  return origin;
}

}  // namespace rematch
