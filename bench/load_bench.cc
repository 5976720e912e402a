// SPDX-License-Identifier: Apache-2.0
// How long it takes to load and to write a graph of 100,000 ops and 300,000
// edges, and the most memory that the whole process ever held.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "rematch/base/check.h"
#include "rematch/io/graph_file.h"
#include "rematch/io/graph_json.h"

namespace rematch {
namespace {

constexpr int kOps = 100000;
constexpr int kInputsPerOp = 3;

std::string name_of(int op) { return "layer" + std::to_string(op); }

// The k-th op that `op` reads: near ones and far ones, none twice.
int producer(int op, int k) { return k == 0 ? op - 1 : (op - 1) / (2 * k); }

std::string our_text() {
  std::string text = R"({"format": "rematch.graph", "version": 1, "ops": [)";
  for (int op = 0; op < kOps; ++op) {
    text += op == 0 ? "\n" : ",\n";
    text += R"({"name": ")" + name_of(op) + R"(", "kind": "conv2d", )";
    text += R"("inputs": [)";
    for (int k = 0; k < kInputsPerOp && op > 2 * kInputsPerOp; ++k) {
      if (k > 0) text += ", ";
      text += '"' + name_of(producer(op, k)) + '"';
    }
    text += R"(], "outputs": [{"name": ")" + name_of(op);
    text += R"(", "bytes": )" + std::to_string(1000 + op) + "}], ";
    text += R"("cost": 12.5, "phase": "forward"})";
  }
  return text + "\n]}\n";
}

std::string node_link_text() {
  std::string text = R"({"directed": true, "nodes": [)";
  for (int op = 0; op < kOps; ++op) {
    text += op == 0 ? "\n" : ",\n";
    text += R"({"id": )" + std::to_string(op) + R"(, "name": ")" + name_of(op);
    text += R"(", "backward": false, "cost_cpu": 12, "cost_ram": )";
    text += std::to_string(1000 + op) + "}";
  }
  text += R"(], "links": [)";
  bool is_first = true;
  for (int op = 2 * kInputsPerOp + 1; op < kOps; ++op) {
    for (int k = 0; k < kInputsPerOp; ++k) {
      text += is_first ? "\n" : ",\n";
      is_first = false;
      text += R"({"source": )" + std::to_string(producer(op, k));
      text += R"(, "target": )" + std::to_string(op) + "}";
    }
  }
  return text + "\n]}\n";
}

double peak_mib() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void load(benchmark::State& state, const std::string& text) {
  std::size_t edges = 0;
  for (auto _ : state) {
    const auto graph = graph_from_text(text);
    REMATCH_CHECK(graph.ok(), "the text is a graph");
    edges = graph->num_edges();
  }
  const auto size = static_cast<std::int64_t>(text.size());
  state.SetBytesProcessed(size * state.iterations());
  state.counters["edges"] = static_cast<double>(edges);
  state.counters["max_rss_mib"] = peak_mib();
}

void bm_load_graph_json(benchmark::State& state) { load(state, our_text()); }
BENCHMARK(bm_load_graph_json)->Unit(benchmark::kMillisecond);

void bm_load_node_link(benchmark::State& state) {
  load(state, node_link_text());
}
BENCHMARK(bm_load_node_link)->Unit(benchmark::kMillisecond);

void bm_write_graph_json(benchmark::State& state) {
  const auto graph = graph_from_json(our_text());
  for (auto _ : state) benchmark::DoNotOptimize(graph_to_json(*graph));
  state.counters["max_rss_mib"] = peak_mib();
}
BENCHMARK(bm_write_graph_json)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rematch
