#pragma once
// Random predicates over a table of eight columns, and random rows for it, typed as PostgreSQL requires.
//
//   i, j: integers of up to 64 bits     s: small integers     d, e: decimals     t, u: text     b: boolean
//
// A drawn predicate has columns c0, c1, ... in place of its constants, so that a database that must know
// the type of every NULL can be given it. with_literals() inserts the constants.

#include <string>
#include <vector>

#include "serval/base/random.h"
#include "serval/history/predicate.h"
#include "serval/history/value.h"
#include "serval/predicate/scalar.h"

namespace serval {

enum class Type { Integer, Decimal, Text, Boolean };

struct TypedColumn {
  std::string name;
  Type type;
  Value value;  // Its value in one row.
};

struct DrawOptions {
  // Decimals are a few small quarters, so that a database of binary fractions computes with them
  // exactly, and they are not divided. LIKE always states its escape character.
  enum class Numbers { Exact, Everything } numbers = Numbers::Exact;
  int depth = 3;
};

class PredicateDraw {
 public:
  PredicateDraw(std::uint64_t seed, ValuePool& pool, DrawOptions options)
      : random_(seed), pool_(pool), options_(options) {}

  Predicate condition() {
    constants.clear();
    mixes_kinds = false;
    return boolean(options_.depth);
  }
  std::vector<TypedColumn> row() {
    return {{"i", Type::Integer, any(Type::Integer)},
            {"j", Type::Integer, any(Type::Integer)},
            {"s", Type::Integer, pick(8) == 0 ? Value::nil() : small()},
            {"d", Type::Decimal, any(Type::Decimal)},
            {"e", Type::Decimal, any(Type::Decimal)},
            {"t", Type::Text, any(Type::Text)},
            {"u", Type::Text, any(Type::Text)},
            {"b", Type::Boolean, any(Type::Boolean)}};
  }

  // Properties of the condition drawn last.
  std::vector<TypedColumn> constants;
  bool mixes_kinds = false;  // For example, it compares text with a number.

  Predicate with_literals(Predicate tree) const {
    if (tree.node == Predicate::Node::Column) {
      for (const TypedColumn& constant : constants) {
        if (constant.name != tree.name) continue;
        tree.node = Predicate::Node::Literal;
        tree.name.clear();
        tree.literal = constant.value;
        return tree;
      }
    }
    for (Predicate& child : tree.children) child = with_literals(std::move(child));
    return tree;
  }

 private:
  using Node = Predicate::Node;

  int pick(int below) { return static_cast<int>(random_.below(static_cast<std::uint64_t>(below))); }
  bool exact() const { return options_.numbers == DrawOptions::Numbers::Exact; }

  static Predicate node_of(Node node, std::string name, std::vector<Predicate> children) {
    Predicate out;
    out.node = node;
    out.name = std::move(name);
    out.children = std::move(children);
    return out;
  }

  Value small() { return Value::integer(pick(17) - 8); }

  Value any(Type type) {
    static const std::vector<std::string> kTexts{"",     "a",   "A",        "ab",         "b%",
                                                 "a_b",  "\\",  "!",        "%",          "a\\",
                                                 "it's", "zzz", "\xc3\xa9", "\xc3\xa9_x", "\xf0\x9f\x90\x86",
                                                 "aab"};
    static const std::vector<std::string> kDecimals{"0.0",   "1.50",     "-2.5",     "100.0",       "0.001",
                                                    "99.99", "-0.00001", "123456.0", "98765.43210", "3.0"};
    if (pick(6) == 0) return Value::nil();
    switch (type) {
      case Type::Integer:
        return integer();
      case Type::Decimal:
        if (exact() || pick(2) == 0) return quarter();
        return pool_.number(kDecimals[random_.below(kDecimals.size())]);
      case Type::Text:
        return pool_.text(kTexts[random_.below(kTexts.size())]);
      case Type::Boolean:
        break;
    }
    return Value::boolean(pick(2) == 0);
  }
  Value integer() {
    static const std::vector<std::string> kCorners{"9223372036854775807", "-9223372036854775808",
                                                   "-9223372036854775807", "4294967296", "1000000007"};
    if (pick(8) == 0) return pool_.number(kCorners[random_.below(kCorners.size())]);
    return small();
  }
  Value quarter() {
    static const std::vector<std::string> kFractions{".0", ".25", ".5", ".75"};
    return pool_.number((pick(2) == 0 ? "-" : "") + std::to_string(pick(8)) + kFractions[random_.below(4)]);
  }

  Predicate column(std::string name) { return node_of(Node::Column, std::move(name), {}); }
  Predicate constant(Type type, Value value) {
    constants.push_back({"c" + std::to_string(constants.size()), type, value});
    return column(constants.back().name);
  }

  Predicate whole(int depth) {
    if (depth == 0 || pick(3) == 0)
      return pick(2) == 0 ? constant(Type::Integer, any(Type::Integer))
                          : column(pick(3) == 0   ? "s"
                                   : pick(2) == 0 ? "i"
                                                  : "j");
    return computed(depth, {"+", "-", "*", "/", "%"}, &PredicateDraw::whole);
  }
  // Uses only small numbers where they must stay exact.
  Predicate decimal(int depth) {
    if (depth == 0 || pick(3) == 0) {
      if (pick(3) == 0) return pick(2) == 0 ? column("s") : constant(Type::Integer, small());
      return pick(2) == 0 ? constant(Type::Decimal, any(Type::Decimal)) : column(pick(2) == 0 ? "d" : "e");
    }
    if (exact()) return computed(depth, {"+", "-", "*"}, &PredicateDraw::decimal);
    return computed(depth, {"+", "-", "*", "/", "%"}, &PredicateDraw::decimal);
  }
  Predicate computed(int depth, const std::vector<std::string>& signs,
                     Predicate (PredicateDraw::*operand)(int)) {
    Predicate only = (this->*operand)(depth - 1);
    const bool is_constant = only.name.starts_with('c');  // Includes its sign.
    if (!is_constant && pick(8) == 0) return node_of(Node::Arithmetic, "-", {std::move(only)});
    return node_of(Node::Arithmetic, signs[random_.below(signs.size())],
                   {std::move(only), (this->*operand)(depth - 1)});
  }
  Predicate text(int depth) {
    if (depth == 0 || pick(3) > 0)
      return pick(2) == 0 ? constant(Type::Text, any(Type::Text)) : column(pick(2) == 0 ? "t" : "u");
    return node_of(Node::Arithmetic, "||", {text(depth - 1), text(depth - 1)});
  }
  Predicate value(Type type, int depth) {
    switch (type) {
      case Type::Integer:
        return whole(depth);
      case Type::Decimal:
        return pick(4) == 0 ? whole(depth) : decimal(depth);
      case Type::Text:
        return text(depth);
      case Type::Boolean:
        break;
    }
    return pick(2) == 0 ? column("b") : boolean(depth);
  }

  Predicate boolean(int depth) {
    const Type type = static_cast<Type>(pick(4));
    const int below = depth > 0 ? depth - 1 : 0;
    switch (depth == 0 ? 6 + pick(6) : pick(14)) {
      case 0:
      case 1:
        return junction(Node::And, below);
      case 2:
      case 3:
        return junction(Node::Or, below);
      case 4:
        return node_of(Node::Not, "", {boolean(below)});
      case 5:
        return node_of(Node::IsNull, "", {value(type, below)});
      case 6:
        return node_of(Node::Between, "", {leaf(type, below), leaf(type, below), leaf(type, below)});
      case 7:
        return in(type, below);
      case 8:
        return like(below);
      case 9:
        return pick(2) == 0 ? column("b") : constant(Type::Boolean, any(Type::Boolean));
      default:
        return comparison(type, below);
    }
  }
  Predicate leaf(Type type, int depth) { return value(type == Type::Boolean ? Type::Integer : type, depth); }
  Predicate junction(Node node, int depth) {
    std::vector<Predicate> children;
    for (int i = 2 + pick(2); i > 0; --i) children.push_back(boolean(depth));
    return node_of(node, "", std::move(children));
  }
  Predicate comparison(Type type, int depth) {
    static const std::vector<std::string> kSigns{"=", "<>", "!=", "<", "<=", ">", ">="};
    const bool bad = pick(40) == 0;  // Kinds that cannot be compared.
    mixes_kinds = mixes_kinds || bad;
    const Type other = bad ? static_cast<Type>(pick(4)) : type;
    if (type == Type::Boolean && depth == 0) type = Type::Text;
    Predicate right = value(other == Type::Boolean && depth == 0 ? Type::Text : other, depth);
    return node_of(Node::Compare, kSigns[random_.below(kSigns.size())],
                   {value(type, depth), std::move(right)});
  }
  Predicate in(Type type, int depth) {
    std::vector<Predicate> children{leaf(type, depth)};
    for (int i = 1 + pick(3); i > 0; --i) children.push_back(leaf(type, 0));
    return node_of(Node::In, "", std::move(children));
  }
  Predicate like(int depth) {
    static const std::vector<std::string> kPatterns{"%",    "_",   "a%",  "%a%",   "a\\%", "!%%",
                                                    "a!_b", "__",  "%_b", "\\\\%", "%\\",  "%\xc3\xa9%",
                                                    "%%b",  "_%_", "",    "a%b"};
    Predicate pattern = pick(4) == 0
                            ? text(depth)
                            : constant(Type::Text, pool_.text(kPatterns[random_.below(kPatterns.size())]));
    std::vector<Predicate> children{text(depth), std::move(pattern)};
    if (exact() || pick(2) == 0)
      children.push_back(constant(Type::Text, pool_.text(pick(2) == 0 ? "\\" : "!")));
    return node_of(Node::Like, "", std::move(children));
  }

  Random random_;
  ValuePool& pool_;
  DrawOptions options_;
};

}  // namespace serval
