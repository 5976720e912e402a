// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/stage_cuts.h"

#include <cmath>

#include "rematch/solve/split/stage_oracle.h"

namespace rematch {
namespace {

constexpr int kMostStates = 20'000;
// Sums of the same costs in another order differ by less than this share.
constexpr double kRounding = 1e-12;
// A little more than its share, so that rounding asks for less.
constexpr double kAndRounding = 1 + 1e-14;

// The runs of an op that may happen in a stage. The last piece of an op is
// open, but what it is for ends with a stage.
template <class Visit>
void for_runs_in(const SplitProgram& program, OpId op, std::int32_t stage,
                 const Visit& visit) {
  if (!program.is_of_use_after(op, stage - 1)) return;
  const auto points = program.run_points(op);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i] >= stage) return;
    if (i + 1 < points.size() && points[i + 1] < stage) continue;
    visit(program.run(op, i));
  }
}

class Cutter {
 public:
  Cutter(const Problem& problem, const SplitProgram& program,
         std::int32_t stage, Cost limit)
      : problem_(problem),
        program_(program),
        lives_(program.lives()),
        stage_(stage),
        limit_(limit),
        available_(lives_.all.size()),
        wanted_(lives_.all.size()) {}

  std::optional<StageCut> run(std::span<const double> columns) {
    for (LifeId id : lives_.all.ids()) {
      const Life& life = lives_.all[id];
      if (life.birth() >= stage_) continue;
      available_[id] = program_.surely_live(id, stage_ - 1).at(columns) > 0.5;
      wanted_[id] = program_.surely_live(id, stage_).at(columns) > 0.5;
    }
    const StageAnswer answer = solve();
    const Cost paid = paid_at(columns);
    if (answer.least <= paid + kRounding * paid) return std::nullopt;
    shrink(answer);
    return cut();
  }

 private:
  StageAnswer solve() const {
    return solve_stage(problem_, lives_, stage_, available_, wanted_, limit_,
                       kMostStates);
  }

  Cost paid_at(std::span<const double> columns) const {
    Cost cost = 0;
    for (OpId op : IdRange<OpId>(OpId(0), OpId(stage_))) {
      for_runs_in(program_, op, stage_, [&](Binary run) {
        if (!run.is_constant() && run.at(columns) > 0.5) {
          cost += problem_.graph.op(op).cost;
        }
      });
    }
    return cost;
  }

  // Lets more be available and less be wanted while it costs as much.
  void shrink(const StageAnswer& answer) {
    for (LifeId id : answer.relevant) {
      if (available_[id] || lives_.all[id].birth() >= stage_) continue;
      available_[id] = true;
      if (solve().least < answer.least) available_[id] = false;
    }
    for (LifeId id : lives_.all.ids()) {
      if (!wanted_[id]) continue;
      wanted_[id] = false;
      if (solve().least < answer.least) wanted_[id] = true;
    }
  }

  StageCut cut() const {
    StageCut result;
    result.stage = stage_;
    const StageAnswer answer = solve();
    for (LifeId id : answer.relevant) {
      if (!available_[id]) result.dead.push_back(id);
    }
    for (LifeId id : lives_.all.ids()) {
      if (wanted_[id]) result.wanted.push_back(id);
    }
    result.cost = answer.least > limit_ ? std::numeric_limits<Cost>::infinity()
                                        : answer.least;
    return result;
  }

  const Problem& problem_;
  const SplitProgram& program_;
  const Lives& lives_;
  std::int32_t stage_;
  Cost limit_;
  LiveSet available_;
  LiveSet wanted_;
};

}  // namespace

std::optional<StageCut> stage_cut(const Problem& problem,
                                  const SplitProgram& program,
                                  std::span<const double> columns,
                                  std::int32_t stage, Cost limit) {
  return Cutter(problem, program, stage, limit).run(columns);
}

void add_stage_row(const Graph& graph, const SplitProgram& program,
                   const StageCut& cut, std::map<std::int32_t, ColumnId>& extra,
                   LinearModel& model) {
  LinearSum sum;
  for (LifeId id : cut.dead) {
    sum.add(program.surely_live(id, cut.stage - 1), 1);
  }
  for (LifeId id : cut.wanted) {
    sum.constant += 1;
    sum.add(program.surely_live(id, cut.stage), -1);
  }
  double left_out = 0;  // Shares too small for a solver, as if all were paid.
  if (std::isfinite(cut.cost)) {
    bool counted = true;
    for (OpId op : IdRange<OpId>(OpId(0), OpId(cut.stage))) {
      const double share = graph.op(op).cost / cut.cost * kAndRounding;
      for_runs_in(program, op, cut.stage, [&](Binary run) {
        if (run.is_one()) counted = false;
        if (share < kLeastCoefficient) {
          left_out += share;
        } else {
          sum.add(run, share);
        }
      });
    }
    if (!counted) return;
    const double cost = cut.cost / program.cost_scale();
    const auto [at, is_new] = extra.try_emplace(cut.stage);
    if (is_new) {
      at->second = model.add_column(model.family("extra"), {0, cost, 1, false});
    } else {
      model.set_bounds(at->second, 0,
                       std::max(cost, model.column(at->second).upper));
    }
    sum.terms.push_back({at->second, 1 / cost * kAndRounding});
  }
  model.add_row(model.family("stage"), 1 - sum.constant - left_out, kInfinity,
                sum.terms);
}

}  // namespace rematch
