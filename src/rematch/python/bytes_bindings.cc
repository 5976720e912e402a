// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "rematch/base/bytes.h"
#include "rematch/python/bindings.h"
#include "rematch/python/or_raise.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace rematch {

void bind_bytes(nb::module_& module) {
  module.def("parse_bytes", or_raise(&parse_bytes), "text"_a,
             "Read a size such as '8GiB', '1.5 GB' or '512' (bytes).");
  module.def("format_bytes", &format_bytes, "bytes"_a,
             "A size for people: '15.57 GiB', '512 B'.");
}

}  // namespace rematch
