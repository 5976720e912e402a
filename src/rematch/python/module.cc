// SPDX-License-Identifier: Apache-2.0
// The extension module rematch._core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "rematch/base/version.h"
#include "rematch/python/bindings.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name is the file's.
NB_MODULE(_core, module) {
  // What a compiler still holds when Python ends is not worth a warning.
  nanobind::set_leak_warnings(false);
  module.doc() = "Rematch's C++ library; use it as the package rematch.";
  module.attr("__version__") = rematch::kVersion;
  rematch::bind_errors(module);
  rematch::bind_bytes(module);
  rematch::bind_graph(module);
  rematch::bind_graph_builder(module);
  rematch::bind_plan(module);
  rematch::bind_solution(module);
  rematch::bind_solve(module);
  rematch::bind_frontier(module);
  rematch::bind_report(module);
}
