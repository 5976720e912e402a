// SPDX-License-Identifier: Apache-2.0
// Which graph a solution was made for: where its file is, and how to tell that
// it is the same graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rematch/base/result.h"
#include "rematch/graph/graph.h"
#include "rematch/io/json_reader.h"

namespace rematch {

struct GraphOrigin {
  std::string path;  // Relative to the folder of the document that has it.
  std::int64_t ops = 0;
  std::int64_t tensors = 0;
  std::string digest;  // graph_digest().

  friend bool operator==(const GraphOrigin&, const GraphOrigin&) = default;
};

// The same for equal graphs, in whatever format they were read: FNV-1a over
// what graph_to_json() writes, as 16 hexadecimal digits. Tells graphs apart
// that were mixed up, not those that somebody forged.
std::string graph_digest(const Graph& graph);

// What a document at `document` says about a graph that was read from `file`.
// None if one of them is standard input or output.
std::optional<GraphOrigin> origin_of(const Graph& graph,
                                     const std::string& file,
                                     const std::string& document);

// Where the graph of a document at `document` is. Never "-", which would be
// standard input.
std::string path_of(const GraphOrigin& origin, const std::string& document);

// Fails with kInvalidGraph, naming both sizes or digests, unless `graph` is the
// one.
Status check_origin(const GraphOrigin& origin, const Graph& graph);

// One JSON object.
std::string origin_to_json(const GraphOrigin& origin);

// The field `graph_file` of a solution; none if it is not there. What is wrong
// is recorded in the reader.
std::optional<GraphOrigin> read_origin(FieldReader& solution);

// The same of a document as text; none also for a plan.
Result<std::optional<GraphOrigin>> origin_from_json(std::string_view text);

}  // namespace rematch
