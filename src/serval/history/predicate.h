#pragma once
// The tree of a predicate: what was asked, not what it means. Truth over rows lives one floor up, so that a
// history stays plain data.
//
//   value > 3 AND NOT (owner = "bob")
//   And(Compare(">", Column("value"), Literal(3)), Not(Compare("=", Column("owner"), Literal("bob"))))

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
    Like
  };

  Node node = Node::True;
  std::string name;  // Column: its name. Compare, Arithmetic: the operator ("=", "<", "%", ...).
  Value literal;     // Literal only; of the history's pool.
  std::vector<Predicate> children;  // Operands, left to right.

  friend bool operator==(const Predicate&, const Predicate&) = default;
};

}  // namespace serval
