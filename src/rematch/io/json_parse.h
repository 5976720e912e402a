// SPDX-License-Identifier: Apache-2.0
// Turns JSON text into a document in memory, or says where it is wrong.
#pragma once

#include <string_view>

#include "rematch/base/result.h"
#include "rematch/io/json_value.h"

namespace rematch {

// No document may nest lists and objects deeper than this.
inline constexpr int kMaxJsonDepth = 64;

// Parses one JSON document. Fails with kParse, naming line and column, on text
// that is not JSON or not UTF-8, that ends too early, that nests too deeply or
// that has an object with one key twice. Linear in the size of the text, up to
// a logarithm in the size of the largest object.
Result<JsonValue> parse_json(std::string_view text);

}  // namespace rematch
