#pragma once
// A predicate prepared for evaluation: its tree, columns and constants in one array each, with the
// meaning of every node resolved. The history's Predicate is the syntax, a Condition the semantics.
//
//   ValuePool pool;
//   const Condition condition(parse_predicate("place BETWEEN 3 AND 5 AND owner <> 'bob'", pool), pool);
//   condition.columns()                                                  // {"place", "owner"}
//   evaluate(condition, std::vector{Scalar(4), Scalar()})                // Truth::Unknown
//
// An immutable value, independent of the pool; may be read by many threads. A part that the language
// does not support (an operator of another database, a missing operand) is Undefined, and problem() says
// why.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "serval/history/predicate.h"
#include "serval/history/value.h"
#include "serval/predicate/scalar.h"

namespace serval {

class Condition {
 public:
  enum class Kind : std::uint8_t {
    Constant,   // at: index into constants()
    Column,     // at: index into columns()
    Undefined,  // No operands.
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Negate,
    Concatenate,
    And,
    Or,
    Not,
    IsNull,
    In,       // Operand, then the items.
    Between,  // Operand, low, high.
    Like,     // Operand, pattern, escape.
  };
  // In prefix order: a node, then its complete operands.
  struct Node {
    Kind kind = Kind::Undefined;
    std::uint32_t at = 0;
    std::uint32_t end = 0;  // One past the last node of this subtree.
    friend bool operator==(const Node&, const Node&) = default;
  };

  // Indexes into nodes(), for range-for.
  struct Operands {
    struct Iterator {
      const Node* nodes;
      std::uint32_t at;
      std::uint32_t operator*() const { return at; }
      void operator++() { at = nodes[at].end; }
      friend bool operator==(const Iterator&, const Iterator&) = default;
    };
    Iterator first, last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };

  Condition();  // True for every row.
  Condition(const Predicate& tree, const ValuePool& pool);

  std::span<const Node> nodes() const noexcept { return nodes_; }
  // The indexes of a node's operands:  for (const std::uint32_t child : condition.operands(index))
  Operands operands(std::uint32_t index) const noexcept {
    return {{nodes_.data(), index + 1}, {nodes_.data(), nodes_[index].end}};
  }
  std::span<const Scalar> constants() const noexcept { return constants_; }
  // The distinct names in order of first use; a row for evaluate() has their values in this order.
  std::span<const std::string> columns() const noexcept { return columns_; }
  // Why a part is Undefined for every row; empty if none is.
  const std::string& problem() const noexcept { return problem_; }

  // The same tree over the same columns and constants. Unequal conditions may still be equivalent.
  friend bool operator==(const Condition&, const Condition&) = default;
  template <class Hash>
  friend Hash AbslHashValue(Hash state, const Condition& condition) {
    for (const Node& node : condition.nodes_) state = Hash::combine(std::move(state), node.kind, node.at);
    for (const Scalar& constant : condition.constants_) {
      state = Hash::combine(std::move(state), constant.kind());
      if (constant.kind() == Scalar::Kind::Integer)
        state = Hash::combine(std::move(state), constant.as_integer());
      if (constant.kind() == Scalar::Kind::Text) state = Hash::combine(std::move(state), constant.as_text());
    }
    return state;
  }

 private:
  friend class ConditionBuilder;

  std::vector<Node> nodes_;
  std::vector<Scalar> constants_;
  std::vector<std::string> columns_;
  std::string problem_;
};

// Equal, NotEqual, Less, LessOrEqual, Greater or GreaterOrEqual.
constexpr bool is_comparison(Condition::Kind kind) {
  return kind >= Condition::Kind::Equal && kind <= Condition::Kind::GreaterOrEqual;
}

}  // namespace serval
