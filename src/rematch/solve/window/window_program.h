// SPDX-License-Identifier: Apache-2.0
// The cheapest reruns of some ops while everything else of a sequence stays, as
// a linear model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rematch/solve/split/split_program.h"
#include "rematch/solve/window/window_frame.h"

namespace rematch {

// The objective is what the reruns of the free ops cost, divided by
// cost_scale(). Storages that free ops read or write may be held for them.
// Every point with whole numbers is a valid sequence; it fits but for reruns
// that exceed the budget, for which rows can be added. Refers to the problem.
class WindowProgram {
 public:
  WindowProgram(const Problem& problem, WindowFrame frame);

  // May be taken once.
  LinearModel take_model() { return std::move(model_); }
  double cost_scale() const { return 1 / units_.cost_scale; }
  const WindowFrame& frame() const { return frame_; }

  std::vector<PlacedRun> runs_at(std::span<const double> columns) const;
  // The row for a rerun of a free op at one of its places: what is there then,
  // reruns at the same slot in the order of their ids.
  void add_rerun_row(OpId op, std::int32_t slot, LinearModel& model) const;

 private:
  // A tensor that may be held. It has breaks where it is made or read, or may
  // be; in between it is held or not.
  struct Held {
    TensorId tensor;
    OpId producer;
    std::vector<std::int32_t> breaks;  // The first is where it is made first.
    std::vector<Binary> hold;          // From each break to the next.
    std::vector<std::int32_t> made;    // In the frame, ascending.
    std::vector<std::int32_t> read;
  };

  void choose_storages();
  void add_run_columns();
  void add_held(TensorId tensor);
  std::vector<std::int32_t> breaks_of(const Held& held) const;
  std::vector<Binary> holds_of(const Held& held);
  void add_source_rows(const Held& held);
  void add_input_rows(OpId op);
  void measure_rest();
  std::vector<std::int32_t> slots_to_look_at() const;
  Bytes taken_at(std::int32_t slot) const;
  void add_memory_rows();
  void add_memory_row(std::int32_t slot);
  bool touches(OpId op, StorageId storage) const;
  void add_present(const Held& held, OpId op, std::int32_t slot,
                   std::vector<LinearSum>& present) const;

  Binary run(OpId op, std::int32_t slot) const;
  // The number of the last break at or before the slot; none if it is not made
  // by then.
  static std::optional<std::size_t> break_before(const Held& held,
                                                 std::int32_t slot);
  static bool has(const std::vector<std::int32_t>& list, std::int32_t slot);

  const Problem& problem_;
  const Graph& graph_;
  WindowFrame frame_;
  LinearModel model_;
  ProgramUnits units_;
  IdVector<StorageId, bool> is_held_;
  std::vector<StorageId> storages_;  // That are held or not.
  IdVector<TensorId, std::optional<std::size_t>> held_of_;
  std::vector<Held> held_;
  IdVector<OpId, std::vector<Binary>> run_;  // At its places.
  // Of all other storages, the fixed bytes included: at a run of the frame and
  // between it and the one before.
  std::vector<Bytes> rest_at_;
  std::vector<Bytes> rest_before_;
};

}  // namespace rematch
