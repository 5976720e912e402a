// SPDX-License-Identifier: Apache-2.0
#include "rematch/report/modules.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace rematch {
namespace {

constexpr std::array<std::string_view, 3> kEndings = {".backward", "/backward",
                                                      ".grad_sum"};

std::string_view without_ending(std::string_view name) {
  for (std::string_view ending : kEndings) {
    if (name.ends_with(ending))
      return name.substr(0, name.size() - ending.size());
  }
  return name;
}

bool is_separator(char c) { return c == '.' || c == '/'; }

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
}

// Where the part of `path` that begins at `from` ends.
std::size_t end_of_part(std::string_view path, std::size_t from) {
  const auto end =
      std::find_if(path.begin() + static_cast<std::ptrdiff_t>(from), path.end(),
                   is_separator);
  return static_cast<std::size_t>(end - path.begin());
}

// `path` up to the part that begins at `from`, and a number behind it.
std::string_view cut(std::string_view path, std::size_t from) {
  if (from >= path.size()) return path;
  std::size_t end = end_of_part(path, from);
  if (end < path.size()) {
    const std::size_t next = end_of_part(path, end + 1);
    if (is_number(path.substr(end + 1, next - end - 1))) end = next;
  }
  return path.substr(0, end);
}

// Groups by path, cut behind `from`.
Modules grouped(const Graph& graph, std::size_t from) {
  Modules modules;
  std::unordered_map<std::string_view, ModuleId> seen;
  for (OpId op : graph.ops()) {
    const std::string_view name = cut(module_path(graph.op(op).name), from);
    const auto [found, is_new] =
        seen.emplace(name, ModuleId(modules.names.size()));
    if (is_new) modules.names.emplace_back(name);
    modules.of.push_back(found->second);
  }
  return modules;
}

// The one group that has a name, or nothing if there are none or several.
std::string_view only_name(const Modules& modules) {
  std::string_view only;
  for (const std::string& name : modules.names) {
    if (name.empty()) continue;
    if (!only.empty()) return {};
    only = name;
  }
  return only;
}

}  // namespace

std::string_view module_path(std::string_view op_name) {
  const std::string_view name = without_ending(op_name);
  const auto last = std::find_if(name.rbegin(), name.rend(), is_separator);
  if (last == name.rend()) return {};
  return name.substr(0, static_cast<std::size_t>(name.rend() - last) - 1);
}

Modules modules_of(const Graph& graph) {
  std::size_t from = 0;
  while (true) {
    Modules modules = grouped(graph, from);
    const std::string_view only = only_name(modules);
    // All in one group: its name is followed as far as it goes.
    if (!only.empty() && only.size() >= from) {
      from = only.size() + 1;
      continue;
    }
    if (modules.names.size() < 2) return {};
    return modules;
  }
}

}  // namespace rematch
