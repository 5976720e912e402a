// SPDX-License-Identifier: Apache-2.0
#include "rematch/graph/declarations.h"

#include <unordered_set>

#include <fmt/format.h>

namespace rematch {
namespace {

constexpr std::size_t kMaxIds = std::size_t{1} << 30;

template <class... Args>
Error invalid(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorCode::kInvalidGraph,
          fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace

std::string shown_name(std::string_view name) {
  constexpr std::size_t kLongest = 60;
  if (name.size() <= kLongest) return std::string(name);
  std::size_t end = kLongest;
  // Not in the middle of a UTF-8 character.
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) {
    --end;
  }
  return fmt::format("{}...", name.substr(0, end));
}

Status Declarations::resolve() {
  if (auto ok = index_ops(); !ok) return ok;
  if (auto ok = index_tensors(); !ok) return ok;
  if (auto ok = resolve_inputs(); !ok) return ok;
  return resolve_storages();
}

Status Declarations::index_ops() {
  if (ops_.size() > kMaxIds) return invalid("more than {} ops", kMaxIds);
  std::unordered_set<std::string_view> names;
  names.reserve(ops_.size());
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    const std::string& name = ops_[i].op.name;
    if (name.empty()) return invalid("op {} has no name", i);
    if (!names.insert(name).second) {
      return invalid("two ops are named '{}'", shown_name(name));
    }
  }
  return ok_status();
}

Status Declarations::index_tensors() {
  std::size_t count = inputs_.size();
  for (const OpSpec& spec : ops_) count += spec.outputs.size();
  by_name_.reserve(count);
  tensors_.reserve(count);
  first_output_.reserve(ops_.size());
  for (const TensorSpec& input : inputs_) {
    if (auto added = add_tensor(input, kNoOp); !added) return added;
  }
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    first_output_.push_back(tensors_.size());
    for (const TensorSpec& output : ops_[i].outputs) {
      if (auto added = add_tensor(output, i); !added) return added;
    }
  }
  if (tensors_.size() > kMaxIds)
    return invalid("more than {} tensors", kMaxIds);
  return ok_status();
}

Status Declarations::add_tensor(const TensorSpec& spec, std::size_t producer) {
  if (spec.name.empty()) {
    if (producer == kNoOp) return invalid("a graph input has no name");
    return invalid("op '{}' has an output without a name",
                   shown_name(ops_[producer].op.name));
  }
  const auto [found, added] = by_name_.emplace(spec.name, tensors_.size());
  if (!added) {
    return two_producers(spec.name, tensors_[found->second].producer, producer);
  }
  tensors_.push_back({&spec, producer});
  return ok_status();
}

Error Declarations::two_producers(std::string_view name, std::size_t first,
                                  std::size_t second) const {
  if (first == kNoOp && second == kNoOp) {
    return invalid("two graph inputs are named '{}'", shown_name(name));
  }
  if (first == kNoOp) {
    return invalid("tensor '{}' is a graph input and also an output of op '{}'",
                   shown_name(name), shown_name(ops_[second].op.name));
  }
  if (first == second) {
    return invalid("op '{}' has two outputs named '{}'",
                   shown_name(ops_[first].op.name), shown_name(name));
  }
  return invalid("tensor '{}' has two producers: op '{}' and op '{}'",
                 shown_name(name), shown_name(ops_[first].op.name),
                 shown_name(ops_[second].op.name));
}

Status Declarations::resolve_inputs() {
  reads_.resize(ops_.size());
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    reads_[i].reserve(ops_[i].inputs.size());
    for (const std::string& name : ops_[i].inputs) {
      const auto found = by_name_.find(name);
      if (found == by_name_.end()) {
        return invalid(
            "op '{}' reads '{}', which no op produces and which is not a graph "
            "input (graph has {} ops and {} inputs)",
            shown_name(ops_[i].op.name), shown_name(name), ops_.size(),
            inputs_.size());
      }
      reads_[i].push_back(found->second);
    }
  }
  return ok_status();
}

// Follows storage_of from every tensor to one with a storage of its own.
Status Declarations::resolve_storages() {
  enum class Mark : char { kNew, kOnWalk, kDone };
  roots_.resize(tensors_.size());
  std::vector<Mark> marks(tensors_.size(), Mark::kNew);
  std::vector<std::size_t> walk;
  for (std::size_t start = 0; start < tensors_.size(); ++start) {
    walk.clear();
    std::size_t at = start;
    while (marks[at] == Mark::kNew) {
      marks[at] = Mark::kOnWalk;
      walk.push_back(at);
      const TensorSpec& spec = *tensors_[at].spec;
      if (spec.storage_of.empty()) break;
      const auto found = by_name_.find(spec.storage_of);
      if (found == by_name_.end()) {
        return invalid(
            "tensor '{}' lives in the storage of '{}', which does not exist "
            "(graph has {} tensors)",
            shown_name(spec.name), shown_name(spec.storage_of),
            tensors_.size());
      }
      if (marks[found->second] == Mark::kOnWalk) {
        return invalid("tensor '{}' lives in its own storage through '{}'",
                       shown_name(spec.name), shown_name(spec.storage_of));
      }
      at = found->second;
    }
    const std::size_t root = marks[at] == Mark::kDone ? roots_[at] : at;
    for (std::size_t tensor : walk) {
      roots_[tensor] = root;
      marks[tensor] = Mark::kDone;
    }
  }
  return ok_status();
}

std::vector<std::vector<std::size_t>> Declarations::dependencies() const {
  std::vector<std::vector<std::size_t>> result(ops_.size());
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    result[i].reserve(reads_[i].size());
    for (std::size_t tensor : reads_[i]) {
      const std::size_t producer = tensors_[tensor].producer;
      if (producer != kNoOp) result[i].push_back(producer);
    }
  }
  return result;
}

}  // namespace rematch
