// SPDX-License-Identifier: Apache-2.0
#include "rematch/solve/split/lives.h"

#include <algorithm>

namespace rematch {
namespace {

constexpr std::size_t kMostUses = 12;

// Being live at `stage` and before is of use to a plan that spends `cost` on
// reruns after last touches.
struct Use {
  Cost cost = 0;
  std::int32_t stage = 0;
};

// Uses of which none is both cheaper and later than another: costs and stages
// ascend.
class Uses {
 public:
  void add(Use use) {
    for (const Use& other : list_) {
      if (other.cost <= use.cost && other.stage >= use.stage) return;
    }
    std::erase_if(list_, [&](const Use& other) {
      return use.cost <= other.cost && use.stage >= other.stage;
    });
    const auto at =
        std::find_if(list_.begin(), list_.end(),
                     [&](const Use& other) { return other.cost > use.cost; });
    list_.insert(at, use);
    if (list_.size() <= kMostUses) return;
    // The last two become one that promises more than either.
    const std::int32_t latest = list_.back().stage;
    list_.pop_back();
    list_.back().stage = latest;
  }

  const std::vector<Use>& list() const { return list_; }
  std::int32_t latest() const {
    return list_.empty() ? -1 : list_.back().stage;
  }

 private:
  std::vector<Use> list_;
};

class Finder {
 public:
  Finder(const Graph& graph, Cost spare) : graph_(graph), spare_(spare) {
    lives_.of = IdVector<TensorId, std::optional<LifeId>>(graph.num_tensors());
    lives_.read_by = IdVector<OpId, std::vector<LifeId>>(graph.num_ops());
    lives_.written_by = IdVector<OpId, std::vector<LifeId>>(graph.num_ops());
    lives_.lives_in =
        IdVector<StorageId, std::vector<LifeId>>(graph.num_storages());
  }

  Lives find() {
    for (TensorId tensor : graph_.tensors()) {
      const Storage& block = graph_.storage(graph_.tensor(tensor).storage);
      if (!block.resident && block.bytes > 0) add(tensor);
    }
    link_ops();
    find_horizons();
    return std::move(lives_);
  }

 private:
  void add(TensorId id) {
    const Tensor& tensor = graph_.tensor(id);
    const OpId producer = *tensor.producer;
    Life life;
    life.tensor = id;
    life.storage = tensor.storage;
    life.pinned = tensor.is_output;
    if (graph_.op(producer).recomputable) life.root = producer;
    life.touches.push_back(producer.value);
    for (OpId reader : graph_.readers(id)) life.touches.push_back(reader.value);
    life.horizon = life.last_touch();
    const LifeId own = lives_.all.push_back(std::move(life));
    lives_.of[id] = own;
    lives_.written_by[producer].push_back(own);
    lives_.lives_in[tensor.storage].push_back(own);
  }

  void link_ops() {
    for (OpId op : graph_.ops()) {
      auto& read = lives_.read_by[op];
      for (TensorId input : graph_.inputs(op)) {
        if (const auto life = lives_.of[input]) read.push_back(*life);
      }
      std::sort(read.begin(), read.end());
      read.erase(std::unique(read.begin(), read.end()), read.end());
    }
  }

  // The last touch for which it may have to be brought back; -1 if none.
  static std::int32_t last_return(const Life& life) {
    if (life.pinned) return -1;
    for (std::size_t i = life.touches.size(); i-- > 1;) {
      if (life.touches[i] - life.touches[i - 1] > 1) return life.touches[i];
    }
    return -1;
  }

  // The end of the storage's last gap before a graph output in it is born; -1
  // if there is none. The gap program charges a root of the storage for a rerun
  // in there, although the root's own tensor may not be touched any more.
  std::int32_t last_gap(StorageId storage) const {
    std::vector<std::int32_t> touches;
    auto pinned = static_cast<std::int32_t>(graph_.num_ops());
    for (LifeId id : lives_.lives_in[storage]) {
      const Life& life = lives_.all[id];
      touches.insert(touches.end(), life.touches.begin(), life.touches.end());
      if (life.pinned) pinned = std::min(pinned, life.birth());
    }
    std::sort(touches.begin(), touches.end());
    for (std::size_t i = touches.size(); i-- > 1;) {
      const std::int32_t before = touches[i - 1];
      if (before < pinned && touches[i] - before > 1) return touches[i];
    }
    return -1;
  }

  // The last stage before which a rerun of the op that restores the life is
  // part of the gap program's bound; -1 if none.
  std::int32_t last_charge(OpId op, const Life& life) const {
    const auto& read = lives_.read_by[op];
    const bool is_root = std::none_of(read.begin(), read.end(), [&](LifeId id) {
      return lives_.all[id].storage == life.storage;
    });
    const std::int32_t own = last_return(life);
    return is_root ? std::max(own, last_gap_[life.storage]) : own;
  }

  // What the inputs of a rerun of `op` are good for.
  Uses uses_of_rerun(OpId op, const IdVector<LifeId, Uses>& uses) const {
    Uses result;
    const Cost own = graph_.op(op).cost;
    for (LifeId id : lives_.written_by[op]) {
      const Life& life = lives_.all[id];
      const std::int32_t back = last_charge(op, life);
      if (back >= 0) result.add({0, back});
      if (own <= spare_) result.add({own, life.last_touch()});
      for (const Use& use : uses[id].list()) {
        if (own + use.cost <= spare_) result.add({own + use.cost, use.stage});
      }
    }
    return result;
  }

  void find_horizons() {
    for (StorageId storage : graph_.storages()) {
      last_gap_.push_back(last_gap(storage));
    }
    IdVector<LifeId, Uses> uses(lives_.all.size());
    for (std::size_t i = graph_.num_ops(); i-- > 0;) {
      const OpId op(i);
      if (!graph_.op(op).recomputable) continue;
      const Uses rerun = uses_of_rerun(op, uses);
      for (LifeId input : lives_.read_by[op]) {
        for (const Use& use : rerun.list()) uses[input].add(use);
      }
    }
    for (LifeId id : lives_.all.ids()) {
      Life& life = lives_.all[id];
      life.last_use = uses[id].latest();
      life.horizon = std::max(life.horizon, life.last_use - 1);
      if (life.pinned) {
        life.horizon = static_cast<std::int32_t>(graph_.num_ops()) - 1;
      }
    }
  }

  const Graph& graph_;
  Cost spare_;
  Lives lives_;
  IdVector<StorageId, std::int32_t> last_gap_;
};

}  // namespace

bool Life::is_touched_at(std::int32_t stage) const {
  return std::binary_search(touches.begin(), touches.end(), stage);
}

std::optional<std::int32_t> Life::next_touch(std::int32_t stage) const {
  const auto next = std::upper_bound(touches.begin(), touches.end(), stage);
  if (next == touches.end()) return std::nullopt;
  return *next;
}

bool Life::is_certain_at(std::int32_t stage) const {
  if (pinned || is_touched_at(stage)) return true;
  return !root && stage <= last_touch();
}

Lives find_lives(const Graph& graph, Cost spare) {
  return Finder(graph, spare).find();
}

std::vector<StorageId> storages_of(const Lives& lives, OpId op) {
  std::vector<StorageId> result;
  for (const auto* list : {&lives.read_by[op], &lives.written_by[op]}) {
    for (LifeId id : *list) result.push_back(lives.all[id].storage);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace rematch
