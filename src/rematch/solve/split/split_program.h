// SPDX-License-Identifier: Apache-2.0
// The exact program: the life of each storage, split at chosen moments.
// docs/formulation.md derives it; the names of its row families are those of
// the functions in split_program.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rematch/lp/linear_model.h"
#include "rematch/solve/program/units.h"
#include "rematch/solve/split/lives.h"

namespace rematch {

// Where lives are split besides their touches.
struct SplitPoints {
  std::vector<std::int32_t> moments;  // Ascending stages.
  // Stages whose reruns are looked at one by one. Each of them and the one
  // before it are global moments.
  std::set<std::int32_t> detailed;
  // Points of one life alone.
  std::set<std::pair<LifeId, std::int32_t>> local = {};
  // The objective is that much larger, a power of two, so that a solver's
  // tolerances hide less of it.
  double magnification = 1;
};

// Zero, one, or a column in between.
class Binary {
 public:
  static Binary constant(bool value) { return Binary(value ? -1 : -2); }
  static Binary of(ColumnId column) { return Binary(column.value); }

  bool is_constant() const { return value_ < 0; }
  bool is_one() const { return value_ == -1; }
  bool is_zero() const { return value_ == -2; }
  // Only if it is not constant.
  ColumnId column() const { return ColumnId(value_); }
  // Its value at a point of the program.
  double at(std::span<const double> columns) const {
    return is_constant() ? (is_one() ? 1 : 0)
                         : columns[static_cast<std::size_t>(value_)];
  }

 private:
  explicit Binary(std::int32_t value) : value_(value) {}
  std::int32_t value_;
};

// A sum of columns and a constant.
struct LinearSum {
  std::vector<LinearTerm> terms;
  double constant = 0;

  void add(Binary binary, double factor);
  double at(std::span<const double> columns) const;
};

// What is in memory at some time, minus the budget: at most zero in every plan.
// A storage counts if any of its tensors is there. In scaled units of bytes.
class MemoryUse {
 public:
  void add_constant(double value) { constant_ += value; }
  void add_any(const std::vector<Binary>& lives, double value);

  double at(std::span<const double> columns) const;
  // Adds the row, and columns for storages with several tensors.
  void add_row(std::string_view family, LinearModel& model) const;

 private:
  struct Block {
    std::vector<Binary> lives;  // None is constant.
    double value = 0;
  };

  double constant_ = 0;
  std::vector<Block> blocks_;
};

// Any point of it with whole numbers, and so its relaxation, costs no more than
// any plan of interest; see find_lives() for what that means. The objective is
// what the reruns cost, divided by cost_scale(). Refers to its arguments.
class SplitProgram {
 public:
  // No plan of interest spends more than `most` on reruns.
  SplitProgram(const Problem& problem, const Lives& lives,
               const SplitPoints& points,
               Cost most = std::numeric_limits<Cost>::infinity());

  // The model without any memory row; may be taken once.
  LinearModel take_model() { return std::move(model_); }
  double cost_scale() const { return cost_scale_; }
  // Of the ops that may run again.
  Cost largest_cost() const { return largest_cost_; }
  double magnification() const { return magnification_; }
  const Lives& lives() const { return lives_; }

  // The points of a life, ascending; its touches are among them.
  std::span<const std::int32_t> points(LifeId life) const {
    return life_points_[life];
  }
  // Points where the pieces of an op's runs begin, ascending, from its stage
  // on. The last piece is open.
  std::span<const std::int32_t> run_points(OpId op) const {
    return run_points_[op];
  }
  // Whether the life is live at its point number i.
  Binary live(LifeId life, std::size_t i) const { return live_[life][i]; }
  // Whether it is live from its point number i to the next without a break.
  Binary keep(LifeId life, std::size_t i) const { return keep_[life][i]; }
  // Whether the op runs again in its piece number i. One: not modelled, may run
  // for nothing.
  Binary run(OpId op, std::size_t i) const { return run_[op][i]; }

  // Whether anything can have a use for a rerun of the op after the first
  // computation of op `stage`.
  bool is_of_use_after(OpId op, std::int32_t stage) const;

  // Live at the stage, as far as the program knows: never more than in truth.
  Binary surely_live(LifeId id, std::int32_t stage) const;
  // The number of the life's last point at or before the stage; none if it is
  // not born by then.
  std::optional<std::size_t> point_before(LifeId id, std::int32_t stage) const;
  // Whether the stage is a point of the life.
  bool is_point(LifeId id, std::int32_t stage) const;

  // Runs of the life's root between stage `after` and stage `by`: all pieces
  // that meet that time.
  LinearSum runs(LifeId id, std::int32_t after, std::int32_t by) const;

  // At the first computation of op `stage`.
  MemoryUse memory(std::int32_t stage) const;
  // While the op runs again in a detailed stage, if it does, as far as that
  // does not depend on the order of reruns. None if the op has no piece of that
  // stage alone.
  std::optional<MemoryUse> rerun_memory(OpId op, std::int32_t stage) const;

 private:
  void split_lives(const SplitPoints& points);
  void split_runs();
  void add_life_columns(LifeId id);
  void add_run_columns(OpId op);
  void add_keep_rows(LifeId id);
  void add_restore_rows(LifeId id);
  void add_input_rows(OpId op);
  void add_last_rerun_rows(std::int32_t stage);
  void add_last_rerun_row(OpId op, std::int32_t stage, ColumnId last);
  // Whether a life is taken for live between these points because both are
  // touches, one right after the other.
  bool is_adjacent(const Life& life, std::int32_t begin,
                   std::int32_t end) const;
  std::optional<std::size_t> run_piece(OpId op, std::int32_t stage) const;

  // All storages but those that the op touches, if `is_there` says so of one of
  // their lives.
  template <class IsThere>
  void add_others(OpId op, const IsThere& is_there, MemoryUse& use) const;
  MemoryUse empty_use() const;
  Bytes bytes_touched_by(OpId op) const;

  const Problem& problem_;
  const Lives& lives_;
  const std::set<std::int32_t> detailed_;
  LinearModel model_;
  Cost most_;
  Cost largest_cost_ = 0;
  double cost_scale_ = 1;
  double magnification_ = 1;
  ProgramUnits units_;
  IdVector<LifeId, std::vector<std::int32_t>> life_points_;
  IdVector<LifeId, std::vector<Binary>> live_;
  IdVector<LifeId, std::vector<Binary>> keep_;
  IdVector<OpId, std::vector<std::int32_t>> run_points_;
  IdVector<OpId, std::vector<Binary>> run_;
};

}  // namespace rematch
