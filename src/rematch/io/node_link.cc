// SPDX-License-Identifier: Apache-2.0
// Reads the parts of a node-link document that describe a training graph.
#include "rematch/io/node_link.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rematch/graph/declarations.h"
#include "rematch/io/json_parse.h"
#include "rematch/io/json_reader.h"

namespace rematch {
namespace {

// One of two fields that mean the same; records a problem unless exactly one
// of them is there.
std::string_view one_of(FieldReader& fields, std::string_view first,
                        std::string_view second) {
  const bool has_first = fields.find(first) != nullptr;
  if (has_first == (fields.find(second) != nullptr)) {
    fields.fail(has_first ? fmt::format("fields '{}' and '{}' are both there, "
                                        "expected one of them",
                                        first, second)
                          : fmt::format("field '{}' or '{}' is missing", first,
                                        second));
  }
  return has_first ? first : second;
}

// A string as it is and an integer by its digits; none for anything else.
std::optional<std::string> identity_of(const JsonValue& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* number = value.as<std::int64_t>()) {
    return std::to_string(*number);
  }
  if (const auto* number = value.as<std::uint64_t>()) {
    return std::to_string(*number);
  }
  return std::nullopt;
}

// Reads one document. Nodes are known by their position in `nodes`.
class NodeLinkReader {
 public:
  NodeLinkReader(const JsonValue& document, DeclaredOrder order)
      : fields_(document) {
    builder_.order(order);
  }

  Result<Graph> read() {
    for (auto part :
         {&NodeLinkReader::read_header, &NodeLinkReader::read_nodes,
          &NodeLinkReader::read_links, &NodeLinkReader::read_order}) {
      if (auto done = (this->*part)(); !done) return done.error();
    }
    name_ops();
    for (std::size_t node : order_) builder_.add_op(std::move(ops_[node]));
    return builder_.build();
  }

 private:
  Status done(const FieldReader& fields) const {
    return fields.failed() ? Status(fields.error()) : ok_status();
  }

  Status read_header() {
    if (!fields_.flag_or("directed", true)) {
      fields_.fail("the graph is not directed ('directed' is false)");
    }
    multigraph_ = fields_.flag_or("multigraph", false);
    const JsonValue* graph = fields_.find("graph");
    if (fields_.failed() || graph == nullptr) return done(fields_);
    FieldReader header(*graph, {"graph"});
    if (const auto name = read_identity(header, "name")) builder_.name(*name);
    has_order_ = header.find("order") != nullptr;
    given_order_ = &header.list_or_empty("order");
    return done(header);
  }

  Status read_nodes() {
    const auto& nodes = fields_.list("nodes");
    ops_.resize(nodes.size());
    nodes_.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      FieldReader node(nodes[i], {"node", i});
      read_node(i, node);
      if (node.failed()) return node.error();
    }
    return done(fields_);
  }

  void read_node(std::size_t at, FieldReader& node) {
    auto name = read_identity(node, "name");
    auto id = node.find("id") == nullptr ? name : read_identity(node, "id");
    if (!id) return node.fail("field 'id' or 'name' is missing");
    node.set_label(*id);
    if (const auto [other, added] = nodes_.emplace(*id, at); !added) {
      return node.fail(fmt::format("nodes {} and {} are both called that",
                                   other->second, at));
    }
    const std::string_view cost = one_of(node, "cost_cpu", "duration");
    const std::string_view bytes = one_of(node, "cost_ram", "out_cost");
    if (node.failed()) return;
    OpSpec& spec = ops_[at];
    spec.op.cost = node.number(cost);
    spec.outputs.push_back(
        {.name = {}, .bytes = node.integer(bytes), .storage_of = {}});
    if (node.find("backward") != nullptr) {
      spec.op.phase =
          node.flag_or("backward", false) ? Phase::kBackward : Phase::kForward;
    }
    ids_.push_back(*std::move(id));
    names_.push_back(std::move(name).value_or(""));
  }

  // None if the field is missing, or wrong, which is recorded.
  static std::optional<std::string> read_identity(FieldReader& fields,
                                                  std::string_view key) {
    const JsonValue* value = fields.find(key);
    if (value == nullptr) return std::nullopt;
    auto identity = identity_of(*value);
    if (!identity) fields.fail_type(key, "a string or an integer", *value);
    return identity;
  }

  Status read_links() {
    const auto& links = fields_.list(one_of(fields_, "links", "edges"));
    if (fields_.failed()) return fields_.error();
    std::unordered_map<std::uint64_t, std::size_t> first_seen;
    first_seen.reserve(links.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      FieldReader link(links[i], {"link", i});
      const auto source = read_end(link, "source", "0");
      const auto target = read_end(link, "target", "1");
      if (link.failed()) return link.error();
      const auto [seen, added] =
          first_seen.emplace(*source * ops_.size() + *target, i);
      if (added) {
        links_.emplace_back(*source, *target);
      } else if (!multigraph_) {
        link.fail(fmt::format("it repeats link {} from '{}' to '{}'",
                              seen->second, shown_name(ids_[*source]),
                              shown_name(ids_[*target])));
        return link.error();
      }
    }
    return ok_status();
  }

  std::optional<std::size_t> read_end(FieldReader& link, std::string_view name,
                                      std::string_view digit) const {
    const std::string_view key = one_of(link, name, digit);
    if (link.failed()) return std::nullopt;
    const auto id = read_identity(link, key);
    if (!id) return std::nullopt;
    const auto found = nodes_.find(*id);
    if (found != nodes_.end()) return found->second;
    link.fail(fmt::format("{} '{}' is not a node (graph has {} nodes)", name,
                          shown_name(*id), ops_.size()));
    return std::nullopt;
  }

  // Fills order_ with every node once, as graph.order says.
  Status read_order() {
    constexpr std::size_t kNowhere = SIZE_MAX;
    if (!has_order_) {
      for (std::size_t i = 0; i < ops_.size(); ++i) order_.push_back(i);
      return ok_status();
    }
    std::vector<std::size_t> place(ops_.size(), kNowhere);
    for (std::size_t i = 0; i < given_order_->size(); ++i) {
      const auto id = identity_of((*given_order_)[i]);
      if (!id) {
        return bad_order("entry {} should be a string or an integer, found {}",
                         i, (*given_order_)[i].shown());
      }
      const auto node = nodes_.find(*id);
      if (node == nodes_.end()) {
        return bad_order("entry {}, '{}', is not a node (graph has {} nodes)",
                         i, shown_name(*id), ops_.size());
      }
      if (place[node->second] != kNowhere) {
        return bad_order("entries {} and {} are both '{}'", place[node->second],
                         i, shown_name(*id));
      }
      place[node->second] = i;
      order_.push_back(node->second);
    }
    return check_all_placed();
  }

  Status check_all_placed() const {
    if (order_.size() == ops_.size()) return ok_status();
    std::vector<bool> placed(ops_.size());
    for (std::size_t node : order_) placed[node] = true;
    std::size_t missing = 0;
    while (placed[missing]) ++missing;
    return bad_order("node '{}' is missing (it lists {} of {} nodes)",
                     shown_name(ids_[missing]), order_.size(), ops_.size());
  }

  template <class... Args>
  static Error bad_order(fmt::format_string<Args...> text, Args&&... args) {
    return {ErrorCode::kParse,
            "field 'graph.order': " +
                fmt::format(text, std::forward<Args>(args)...)};
  }

  // Names ops and tensors by the nodes' names if those tell them apart, else
  // by their identities, and connects them.
  void name_ops() {
    std::unordered_set<std::string_view> different;
    for (const std::string& name : names_) {
      if (!name.empty()) different.insert(name);
    }
    const auto& names = different.size() == names_.size() ? names_ : ids_;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      ops_[i].op.name = names[i];
      ops_[i].outputs.front().name = names[i];
    }
    for (const auto& [source, target] : links_) {
      ops_[target].inputs.push_back(names[source]);
    }
  }

  FieldReader fields_;
  GraphBuilder builder_;
  bool multigraph_ = false;
  bool has_order_ = false;
  const JsonValue::List* given_order_ = nullptr;
  std::unordered_map<std::string, std::size_t> nodes_;  // By identity.
  std::vector<std::string> ids_;
  std::vector<std::string> names_;  // Empty where there is none.
  std::vector<OpSpec> ops_;
  std::vector<std::pair<std::size_t, std::size_t>> links_;
  std::vector<std::size_t> order_;
};

}  // namespace

Result<Graph> graph_from_node_link_document(const JsonValue& document,
                                            DeclaredOrder order) {
  return NodeLinkReader(document, order).read();
}

Result<Graph> graph_from_node_link(std::string_view text, DeclaredOrder order) {
  const auto document = parse_json(text);
  if (!document) return document.error();
  return graph_from_node_link_document(*document, order);
}

}  // namespace rematch
