// SPDX-License-Identifier: Apache-2.0
// How long the gap program's bound takes on graphs that are in memory: those of
// data/h200 and the published ones, which are expected in ../shared/data or
// where REMATCH_PUBLIC_DATA says. Run it in the repository's folder.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "rematch/base/limits.h"
#include "rematch/io/graph_file.h"
#include "rematch/plan/floor.h"
#include "rematch/plan/sequence.h"
#include "rematch/solve/gap/gap_bound.h"
#include "rematch/solve/gap/gap_program.h"

namespace rematch {
namespace {

std::vector<std::filesystem::path> files() {
  const char* elsewhere = std::getenv("REMATCH_PUBLIC_DATA");
  std::vector<std::filesystem::path> found;
  for (const std::string folder :
       {"data/h200", elsewhere != nullptr ? elsewhere : "../shared/data"}) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".json") found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

void bound(benchmark::State& state, const Graph& graph, Bytes budget) {
  const Problem problem{graph, budget};
  Cost found = 0;
  for (auto _ : state) {
    Meter meter{Limits{}};
    found = gap_bound(problem, gap_program(problem), meter).lower_bound;
  }
  state.counters["of_keep_all"] = found / graph.base_cost();
}

bool register_all() {
  for (const auto& file : files()) {
    auto loaded = load_graph(file.string());
    if (!loaded) continue;
    const auto graph = std::make_shared<Graph>(std::move(*loaded));
    const Bytes whole = keep_all_peak(*graph);
    for (const int percent : {90, 50, 30, 20}) {
      const Bytes budget = whole / 100 * percent;
      if (budget < peak_floor(*graph, OrderRule::kFixed).bytes) continue;
      benchmark::RegisterBenchmark(
          (file.stem().string() + "/" + std::to_string(percent)).c_str(),
          [graph, budget](benchmark::State& state) {
            bound(state, *graph, budget);
          })
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}

const bool registered = register_all();

}  // namespace
}  // namespace rematch
