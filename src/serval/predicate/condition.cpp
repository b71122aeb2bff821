#include "serval/predicate/condition.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace serval {

using Tree = Predicate::Node;

namespace {

using Kind = Condition::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 7> kComparisons{{{"=", Kind::Equal},
                                                                         {"<>", Kind::NotEqual},
                                                                         {"!=", Kind::NotEqual},
                                                                         {"<", Kind::Less},
                                                                         {"<=", Kind::LessOrEqual},
                                                                         {">", Kind::Greater},
                                                                         {">=", Kind::GreaterOrEqual}}};
constexpr std::array<std::pair<std::string_view, Kind>, 6> kArithmetic{{{"+", Kind::Add},
                                                                        {"-", Kind::Subtract},
                                                                        {"*", Kind::Multiply},
                                                                        {"/", Kind::Divide},
                                                                        {"%", Kind::Modulo},
                                                                        {"||", Kind::Concatenate}}};

template <std::size_t Size>
std::optional<Kind> find(const std::array<std::pair<std::string_view, Kind>, Size>& table,
                         std::string_view name) {
  const auto found = std::ranges::find(table, name, &std::pair<std::string_view, Kind>::first);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

// Nodes of one kind, and the number of operands that they need.
struct NodeKind {
  Tree node;
  Kind kind;
  std::size_t least, most;
};
constexpr std::size_t kAny = ~std::size_t{0};
constexpr std::array kOthers{
    NodeKind{Tree::Column, Kind::Column, 0, 0},   NodeKind{Tree::And, Kind::And, 1, kAny},
    NodeKind{Tree::Or, Kind::Or, 1, kAny},        NodeKind{Tree::Not, Kind::Not, 1, 1},
    NodeKind{Tree::IsNull, Kind::IsNull, 1, 1},   NodeKind{Tree::In, Kind::In, 2, kAny},
    NodeKind{Tree::Between, Kind::Between, 3, 3}, NodeKind{Tree::Like, Kind::Like, 2, 3}};

// The kind, if the node has the number of operands that it needs.
std::optional<Kind> kind_of(const Predicate& tree) {
  const std::size_t operands = tree.children.size();
  if (tree.node == Tree::Compare) return operands == 2 ? find(kComparisons, tree.name) : std::nullopt;
  if (tree.node == Tree::Arithmetic) {
    if (operands == 1 && tree.name == "-") return Kind::Negate;
    return operands == 2 ? find(kArithmetic, tree.name) : std::nullopt;
  }
  const auto* found = std::ranges::find(kOthers, tree.node, &NodeKind::node);
  const bool fits = found != kOthers.end() && operands >= found->least && operands <= found->most;
  return fits ? std::optional(found->kind) : std::nullopt;
}

}  // namespace

class ConditionBuilder {
 public:
  ConditionBuilder(Condition& out, const ValuePool& pool) : out_(out), pool_(pool) {}

  void add(const Predicate& tree) {
    if (tree.node == Tree::True) return constant(Scalar::boolean(true));
    if (tree.node == Tree::Literal) return literal(tree.literal);
    const std::optional<Kind> kind = kind_of(tree);
    if (!kind) return fail(tree);
    const std::size_t index = out_.nodes_.size();
    out_.nodes_.push_back({*kind, 0, 0});
    if (*kind == Kind::Column) out_.nodes_[index].at = column(tree.name);
    if (*kind == Kind::In)
      items(tree);
    else
      for (const Predicate& child : tree.children) add(child);
    if (*kind == Kind::Like && tree.children.size() == 2) constant(Scalar("\\"));
    out_.nodes_[index].end = static_cast<std::uint32_t>(out_.nodes_.size());
  }

 private:
  void push(Kind kind, std::size_t at) {
    const auto end = static_cast<std::uint32_t>(out_.nodes_.size() + 1);
    out_.nodes_.push_back({kind, static_cast<std::uint32_t>(at), end});
  }

  void constant(Scalar value) {
    push(Kind::Constant, out_.constants_.size());
    out_.constants_.push_back(std::move(value));
  }

  void literal(Value value) {
    Scalar scalar = Scalar::of(value, pool_);
    if (scalar.is_undefined())
      note("the literal " + pool_.format(value) + " is not a number, text, boolean or NULL");
    constant(std::move(scalar));
  }

  // A list as the only item stands for its elements.
  void items(const Predicate& tree) {
    add(tree.children.front());
    for (std::size_t i = 1; i < tree.children.size(); ++i) {
      const Predicate& item = tree.children[i];
      const bool is_list = item.node == Tree::Literal && item.literal.is_list();
      if (!is_list) {
        add(item);
        continue;
      }
      for (const Value element : pool_.elements(item.literal)) literal(element);
    }
  }

  std::uint32_t column(const std::string& name) {
    const auto found = std::ranges::find(out_.columns_, name);
    const auto index = static_cast<std::uint32_t>(found - out_.columns_.begin());
    if (found == out_.columns_.end()) out_.columns_.push_back(name);
    return index;
  }

  void fail(const Predicate& tree) {
    note(tree.name.empty() ? "a part of the predicate has the wrong number of operands"
                           : "the operator " + tree.name + " is not supported, or lacks an operand");
    push(Kind::Undefined, 0);
  }
  void note(std::string problem) {
    if (out_.problem_.empty()) out_.problem_ = std::move(problem);
  }

  Condition& out_;
  const ValuePool& pool_;
};

Condition::Condition() : nodes_{{Kind::Constant, 0, 1}}, constants_{Scalar::boolean(true)} {}

Condition::Condition(const Predicate& tree, const ValuePool& pool) {
  ConditionBuilder(*this, pool).add(tree);
}

}  // namespace serval
