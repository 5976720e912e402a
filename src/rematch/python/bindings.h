// SPDX-License-Identifier: Apache-2.0
// The parts of the Python module. Each adds its names; what a name means is
// said by the C++ of the same name.
#pragma once

namespace nanobind {  // NOLINT(readability-identifier-naming): not ours.
class module_;
}

namespace rematch {

void bind_errors(nanobind::module_& module);
void bind_bytes(nanobind::module_& module);
void bind_graph(nanobind::module_& module);
void bind_graph_builder(nanobind::module_& module);
void bind_plan(nanobind::module_& module);
void bind_solution(nanobind::module_& module);
void bind_solve(nanobind::module_& module);
void bind_frontier(nanobind::module_& module);
void bind_report(nanobind::module_& module);

}  // namespace rematch
