#pragma once
// The syntax tree of a predicate: what was requested. Evaluation over rows is in the predicate room, so
// that a history stays plain data.
//
//   value > 3 AND NOT (owner = "bob")
//   And(Compare(">", Column("value"), Literal(3)), Not(Compare("=", Column("owner"), Literal("bob"))))
//
// If a query returns or does more than select the matching rows, its condition is one part of the tree:
//
//   MAX(value) WHERE value < 3             Aggregate("max", Column("value"), condition)
//   SET value = value + 1 WHERE value < 3  Update(condition, Set("value", Arithmetic("+", ...)))

#include <cstdint>
#include <string>
#include <vector>

#include "serval/history/value.h"

namespace serval {

struct Predicate {
  enum class Node : std::uint8_t {
    True,
    Column,
    Literal,
    Compare,
    Arithmetic,
    And,
    Or,
    Not,
    IsNull,
    In,
    Between,
    Like,
    Aggregate,  // The argument, absent for COUNT(*); then the condition.
    Update,     // The condition, then the assignments.
    Set         // The new value.
  };

  Node node = Node::True;
  // Column, Set: the column's name. Compare, Arithmetic: the operator ("=", "<", "%", ...). Aggregate: the
  // function ("min", "max", "count", "sum").
  std::string name;
  Value literal;                    // Literal only; from the history's pool.
  std::vector<Predicate> children;  // Operands, left to right.

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

// Replaces the literals of a tree by the same values of another pool.
inline void adopt_literals(Predicate& tree, const ValuePool& from, ValuePool& to) {
  tree.literal = to.adopt(from, tree.literal);
  for (Predicate& child : tree.children) adopt_literals(child, from, to);
}

}  // namespace serval
