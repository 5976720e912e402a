// SPDX-License-Identifier: Apache-2.0
// The page around its data. cmake/EmbedPage.cmake makes it from assets/ when
// the library is built.
#pragma once

#include <string_view>

namespace rematch {

// From the doctype to where the data goes.
std::string_view page_before_data();
// From there to the end.
std::string_view page_after_data();

}  // namespace rematch
