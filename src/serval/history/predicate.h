#pragma once
// The tree of a predicate: what was asked, not what it means. Truth over rows lives one floor up, so that a
// history stays plain data.
//
//   value > 3 AND NOT (owner = "bob")
//   And(Compare(">", Column("value"), Literal(3)), Not(Compare("=", Column("owner"), Literal("bob"))))
//
// Where more was asked for than the rows that match, the condition is one part of the tree:
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
    Aggregate,  // What it is of, unless it is COUNT(*); then the condition.
    Update,     // The condition; then what is set.
    Set         // The new value.
  };

  Node node = Node::True;
  // Column, Set: the column's name. Compare, Arithmetic: the operator ("=", "<", "%", ...). Aggregate: the
  // function ("min", "max", "count", "sum").
  std::string name;
  Value literal;                    // Literal only; of the history's pool.
  std::vector<Predicate> children;  // Operands, left to right.

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

}  // namespace serval
