#include "serval/predicate/print_predicate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "serval/predicate/scalar.h"
#include "serval/predicate/sql_tokens.h"

namespace serval {
namespace {

using Node = Predicate::Node;

// Precedence of a node; an operand with lower precedence than its position requires is parenthesised.
enum Level { kOr, kAnd, kNot, kIs, kCompare, kRange, kConcatenate, kSum, kProduct, kSign, kPrimary };

Level level_of(const Predicate& tree) {
  static constexpr std::array kLevels{std::pair{Node::Or, kOr},           std::pair{Node::And, kAnd},
                                      std::pair{Node::Not, kNot},         std::pair{Node::IsNull, kIs},
                                      std::pair{Node::Compare, kCompare}, std::pair{Node::In, kRange},
                                      std::pair{Node::Between, kRange},   std::pair{Node::Like, kRange}};
  if (tree.node == Node::Arithmetic) {
    if (tree.children.size() == 1) return kSign;
    if (tree.name == "+" || tree.name == "-") return kSum;
    return tree.name == "*" || tree.name == "/" || tree.name == "%" ? kProduct : kConcatenate;
  }
  const auto* found = std::ranges::find(kLevels, tree.node, &std::pair<Node, Level>::first);
  return found == kLevels.end() ? kPrimary : found->second;
}

class Printer {
 public:
  explicit Printer(const ValuePool& pool) : pool_(pool) {}

  std::string text;

  void print(const Predicate& tree, int at_least) {
    const bool parentheses = level_of(tree) < at_least;
    if (parentheses) text += '(';
    node(tree);
    if (parentheses) text += ')';
  }

 private:
  void node(const Predicate& tree) {
    switch (tree.node) {
      case Node::True:
        text += "TRUE";
        return;
      case Node::Column:
        return column(tree.name);
      case Node::Literal:
        return literal(tree.literal);
      case Node::Or:
        return junction(tree, " OR ", "FALSE");
      case Node::And:
        return junction(tree, " AND ", "TRUE");
      case Node::Not:
        text += "NOT ";
        return operands(tree, 0, kNot, "");
      case Node::IsNull:
        operands(tree, 0, kConcatenate, "");
        text += " IS NULL";
        return;
      case Node::Arithmetic:
        if (tree.children.size() == 1) return sign(tree);
        return chain(tree);
      case Node::Aggregate:
        return aggregate(tree);
      case Node::Update:
        return update(tree);
      case Node::Set:
        column(tree.name);
        text += " = ";
        return operands(tree, 0, kOr, "");
      case Node::Compare:
        return operands(tree, 0, kConcatenate, " " + tree.name + " ");
      default:
        return range(tree);
    }
  }

  // The operands from `first` on, each with at least this precedence.
  void operands(const Predicate& tree, std::size_t first, int at_least, const std::string& between) {
    for (std::size_t i = first; i < tree.children.size(); ++i) {
      if (i > first) text += between;
      print(tree.children[i], at_least);
    }
  }

  void junction(const Predicate& tree, const std::string& between, const char* of_none) {
    if (tree.children.empty()) text += of_none;
    operands(tree, 0, level_of(tree) + 1, between);
  }

  void sign(const Predicate& tree) {
    text += tree.name;
    const Predicate& operand = tree.children.front();
    const bool plain = operand.node == Node::Column;
    if (!plain) text += '(';
    print(operand, kOr);
    if (!plain) text += ')';
  }

  // Left-associative: a - b - c is (a - b) - c. Databases differ on "||" combined with arithmetic.
  void chain(const Predicate& tree) {
    const int level = level_of(tree);
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      if (i > 0) text += " " + tree.name + " ";
      print(tree.children[i], i == 0 && level_of(tree.children[i]) == level ? level
                              : level == kConcatenate                       ? kSign
                              : i == 0                                      ? level
                                                                            : level + 1);
    }
  }

  void aggregate(const Predicate& tree) {
    for (const char c : tree.name) text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    text += '(';
    if (tree.children.size() < 2) text += '*';
    if (tree.children.size() > 1) print(tree.children.front(), kOr);
    text += ')';
    if (!tree.children.empty()) where(tree.children.back());
  }

  void update(const Predicate& tree) {
    text += "SET ";
    operands(tree, 1, kOr, ", ");
    if (!tree.children.empty()) where(tree.children.front());
  }

  void where(const Predicate& condition) {
    if (condition.node == Node::True) return;
    text += " WHERE ";
    print(condition, kOr);
  }

  void range(const Predicate& tree) {
    if (tree.children.empty()) return;
    print(tree.children.front(), kConcatenate);
    if (tree.node == Node::Between) {
      text += " BETWEEN ";
      return operands(tree, 1, kConcatenate, " AND ");
    }
    if (tree.node == Node::Like) {
      text += " LIKE ";
      return operands(tree, 1, kConcatenate, " ESCAPE ");
    }
    text += " IN (";
    const bool is_list = tree.children.size() == 2 && tree.children.back().node == Node::Literal &&
                         tree.children.back().literal.is_list();
    if (is_list)
      elements(tree.children.back().literal);
    else
      operands(tree, 1, kOr, ", ");
    text += ')';
  }
  void elements(Value list) {
    for (const char* between = ""; const Value element : pool_.elements(list)) {
      text += between;
      literal(element);
      between = ", ";
    }
  }

  void literal(Value value) {
    const bool spelled = value.kind() == Value::Kind::Number;
    const Scalar scalar = spelled ? Scalar() : Scalar::of(value, pool_);
    text += spelled || scalar.is_undefined() ? pool_.format(value) : scalar.format();
  }

  // The parts of table.column, each quoted if necessary.
  void column(std::string_view name) {
    for (;;) {
      const std::size_t dot = name.find('.');
      part(name.substr(0, dot));
      if (dot == std::string_view::npos) return;
      text += '.';
      name.remove_prefix(dot + 1);
    }
  }
  void part(std::string_view name) {
    const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    const bool starts_well = !name.empty() && (name.front() < '0' || name.front() > '9');
    if (starts_well && std::ranges::all_of(name, is_plain) && !is_reserved_in_sql(name)) {
      text += name;
      return;
    }
    text += '"';
    for (const char c : name) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }

  const ValuePool& pool_;
};

}  // namespace

std::string print_predicate(const Predicate& tree, const ValuePool& pool) {
  Printer printer(pool);
  printer.print(tree, kOr);
  return std::move(printer.text);
}

}  // namespace serval
