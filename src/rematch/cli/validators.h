// SPDX-License-Identifier: Apache-2.0
// Checks of option values that answer in our own words.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rematch {

// A check for the parser: the empty string if the text is fine, else what is
// wrong with it.
using Validator = std::function<std::string(const std::string&)>;

Validator one_of(std::vector<std::string> words);
Validator positive_integer();
Validator non_negative_number();
// 0 to 2^64 - 1.
Validator seed_number();

}  // namespace rematch
