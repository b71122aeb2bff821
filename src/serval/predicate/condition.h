#pragma once
// A predicate made ready to be evaluated: its tree in one array, its columns and constants in two more, and
// the meaning of every node settled. The history's Predicate says what was asked, a Condition what it means.
//
//   ValuePool pool;
//   const Condition condition(parse_predicate("place BETWEEN 3 AND 5 AND owner <> 'bob'", pool), pool);
//   condition.columns()                                                  // {"place", "owner"}
//   evaluate(condition, std::vector{Scalar(4), Scalar()})                // Truth::Unknown
//
// An immutable value, independent of the pool; may be read by many threads. What the language does not know
// (an operator of another database, a missing operand) makes its part Undefined, and problem() says why.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "serval/history/predicate.h"
#include "serval/history/value.h"
#include "serval/predicate/scalar.h"
#include "serval/predicate/truth.h"

namespace serval {

class Condition {
 public:
  enum class Kind : std::uint8_t {
    Constant,   // at: into constants()
    Column,     // at: into columns()
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
  // In prefix order: a node, then its operands, each whole. The operands of the node at `index` are
  //   for (std::uint32_t child = index + 1; child < nodes[index].end; child = nodes[child].end)
  struct Node {
    Kind kind = Kind::Undefined;
    std::uint32_t at = 0;
    std::uint32_t end = 0;  // One past the last node below this one.
    friend bool operator==(const Node&, const Node&) = default;
  };

  Condition();  // True of every row.
  Condition(const Predicate& tree, const ValuePool& pool);

  std::span<const Node> nodes() const noexcept { return nodes_; }
  std::span<const Scalar> constants() const noexcept { return constants_; }
  // The distinct names in order of first use; a row for evaluate() has their values in this order.
  std::span<const std::string> columns() const noexcept { return columns_; }
  // Why a part of it is Undefined whatever the row, in words; empty where none is.
  const std::string& problem() const noexcept { return problem_; }

  // The same tree over the same columns and constants. Conditions that are not equal may still mean the same.
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

}  // namespace serval
