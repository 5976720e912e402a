// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/chain/reversal.h"

#include <algorithm>

#include "rematch/solve/chain/binomial.h"
#include "rematch/solve/chain/forward_part.h"

namespace rematch {
namespace {

class Reversal {
 public:
  Reversal(const ChainSteps& chain, Meter& meter)
      : chain_(chain), meter_(meter) {}

  std::vector<OpId> sequence;

  // Reverses the steps [from, to); the value of step from - 1 is there, and
  // `slots` more may be stored. False if the meter says stop. With a stack of
  // its own: there may be as many parts inside each other as slots.
  bool reverse(std::int64_t from, std::int64_t to, std::int64_t slots) {
    parts_.assign(1, {from, to, slots, 0});
    while (!parts_.empty()) {
      Part& part = parts_.back();
      if (part.advance > 0) {  // What comes behind the stored value is done.
        run_backward(part.from + part.advance - 1);
        part.to = part.from + part.advance - 1;
        part.advance = 0;
      }
      if (part.to == part.from) {
        parts_.pop_back();
        continue;
      }
      if (part.slots == 1) {
        if (!reverse_without_storing(part.from, part.to)) return false;
        parts_.pop_back();
        continue;
      }
      part.advance = best_advance(part.to - part.from, part.slots);
      if (!run_forward(part.from, part.from + part.advance)) return false;
      const Part behind = {part.from + part.advance, part.to, part.slots - 1,
                           0};
      parts_.push_back(behind);  // `part` is no longer valid.
    }
    return true;
  }

 private:
  struct Part {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t slots = 0;
    std::int64_t advance = 0;  // Steps up to the value stored; 0: none yet.
  };

  bool reverse_without_storing(std::int64_t from, std::int64_t to) {
    for (std::int64_t step = to - 1; step >= from; --step) {
      if (!run_forward(from, step + 1)) return false;
      run_backward(step);
    }
    return true;
  }

  bool run_forward(std::int64_t from, std::int64_t to) {
    const auto first = chain_.forward.begin() + from;
    sequence.insert(sequence.end(), first, chain_.forward.begin() + to);
    return !meter_.stop(to - from);
  }

  void run_backward(std::int64_t step) {
    const auto& ops = chain_.after_step[static_cast<std::size_t>(step)];
    sequence.insert(sequence.end(), ops.begin(), ops.end());
  }

  const ChainSteps& chain_;
  Meter& meter_;
  std::vector<Part> parts_;
};

}  // namespace

ChainSteps chain_steps(const Graph& graph) {
  ChainSteps chain;
  chain.forward = forward_ops(graph);
  chain.after_step.resize(chain.forward.size());
  const std::size_t n = chain.forward.size();
  std::size_t step = n - 1;
  for (std::size_t i = n; i < graph.num_ops(); ++i) {
    for (TensorId input : graph.inputs(OpId(i))) {
      const auto producer = graph.tensor(input).producer;
      // In a chain, forward ops are the first n ops.
      if (producer && producer->index() < n) {
        step = std::min(step, producer->index());
      }
    }
    chain.after_step[step].push_back(OpId(i));
  }
  return chain;
}

std::optional<std::vector<OpId>> reversal_sequence(const ChainSteps& chain,
                                                   std::int64_t slots,
                                                   Meter& meter) {
  Reversal reversal(chain, meter);
  const auto length = static_cast<std::int64_t>(chain.forward.size());
  if (!reversal.reverse(0, length, slots)) return std::nullopt;
  return std::move(reversal.sequence);
}

}  // namespace rematch
