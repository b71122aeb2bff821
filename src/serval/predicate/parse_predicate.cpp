#include "serval/predicate/parse_predicate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "serval/predicate/sql_tokens.h"

namespace serval {
namespace {

using Node = Predicate::Node;

constexpr std::array<std::string_view, 4> kAggregates{"count", "min", "max", "sum"};

// A part of the predicate and the depth of its tree. A long chain, 1 + 1 + ..., is as deep as it is
// long, although nothing in the text is nested.
struct Part {
  Predicate tree;
  int height = 1;
};
using Parts = std::vector<Part>;

template <class... Children>
Parts list_of(Children&&... children) {
  Parts out;
  out.reserve(sizeof...(children));
  (out.push_back(std::forward<Children>(children)), ...);
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, ValuePool& pool, const std::string& name, int deepest)
      : tokens_(text, name), pool_(pool), deepest_(deepest) {}

  Predicate parse_condition() { return whole(condition()); }

  Predicate parse_query() {
    if (tokens_.accept_word("set")) return whole(update());
    SqlTokens ahead = tokens_;
    const std::string function = ahead.next().text;
    const bool calls = tokens_.peek().kind == SqlToken::Kind::Name && ahead.peek().is_sign("(");
    const bool known = std::ranges::count(kAggregates, function) > 0;
    return whole(calls && known ? aggregate() : condition());
  }

 private:
  Predicate whole(Part out) {
    if (tokens_.peek().kind != SqlToken::Kind::End) tokens_.fail("the end of the predicate");
    return std::move(out.tree);
  }

  Part node_of(Node node, Parts children, std::string name = {}) {
    Part out;
    out.tree.node = node;
    out.tree.name = std::move(name);
    out.tree.children.reserve(children.size());
    for (Part& child : children) {
      out.height = std::max(out.height, child.height + 1);
      out.tree.children.push_back(std::move(child.tree));
    }
    if (out.height > deepest_) fail_too_deep();
    return out;
  }
  [[noreturn]] void fail_too_deep() const {
    tokens_.fail_at(tokens_.peek().at,
                    "the predicate is nested too deeply (limit " + std::to_string(deepest_) + ")");
  }

  Part update() {
    Parts parts = list_of(Part{});
    do {
      std::string name = column_name();
      tokens_.expect_sign("=");
      parts.push_back(node_of(Node::Set, list_of(condition()), std::move(name)));
    } while (tokens_.accept_sign(","));
    parts.front() = where();
    return node_of(Node::Update, std::move(parts));
  }

  Part aggregate() {
    std::string function = tokens_.next().text;
    tokens_.expect_sign("(");
    Parts parts;
    const bool of_rows = function == "count" && tokens_.accept_sign("*");
    if (!of_rows) parts.push_back(condition());
    tokens_.expect_sign(")");
    parts.push_back(where());
    return node_of(Node::Aggregate, std::move(parts), std::move(function));
  }

  Part where() { return tokens_.accept_word("where") ? condition() : Part{}; }

  // From lowest to highest precedence.

  Part condition() { return junction(Node::Or, "or", &Parser::conjunction); }
  Part conjunction() { return junction(Node::And, "and", &Parser::negation); }

  Part junction(Node node, std::string_view word, Part (Parser::*operand)()) {
    Part first = (this->*operand)();
    if (!tokens_.peek().is_word(word)) return first;
    Parts children = list_of(std::move(first));
    while (tokens_.accept_word(word)) children.push_back((this->*operand)());
    return node_of(node, std::move(children));
  }

  Part negation() {
    const Deeper deeper(*this);
    if (!tokens_.accept_word("not")) return null_test();
    return node_of(Node::Not, list_of(negation()));
  }

  Part null_test() {
    Part out = comparison();
    while (tokens_.accept_word("is")) {
      const bool negated = tokens_.accept_word("not");
      tokens_.expect_word("null");
      out = negated_if(negated, node_of(Node::IsNull, list_of(std::move(out))));
    }
    return out;
  }

  Part comparison() {
    static constexpr std::array<std::string_view, 7> kOperators{"=", "<>", "!=", "<=", ">=", "<", ">"};
    Part left = range();
    const SqlToken& token = tokens_.peek();
    if (token.kind != SqlToken::Kind::Sign || std::ranges::count(kOperators, token.text) == 0) return left;
    std::string sign = tokens_.next().text;
    Part right = range();
    return node_of(Node::Compare, list_of(std::move(left), std::move(right)), std::move(sign));
  }

  Part range() {
    Part operand = concatenation();
    const bool negated = tokens_.accept_word("not");
    if (tokens_.accept_word("between")) {
      Part low = concatenation();
      tokens_.expect_word("and");
      Part high = concatenation();
      return negated_if(negated,
                        node_of(Node::Between, list_of(std::move(operand), std::move(low), std::move(high))));
    }
    if (tokens_.accept_word("in")) return negated_if(negated, items(std::move(operand)));
    if (tokens_.accept_word("like")) {
      Parts parts = list_of(std::move(operand), concatenation());
      if (tokens_.accept_word("escape")) parts.push_back(concatenation());
      return negated_if(negated, node_of(Node::Like, std::move(parts)));
    }
    if (negated) tokens_.fail("BETWEEN, IN or LIKE after NOT");
    return operand;
  }

  Part items(Part operand) {
    tokens_.expect_sign("(");
    Parts parts = list_of(std::move(operand));
    do parts.push_back(condition());
    while (tokens_.accept_sign(","));
    tokens_.expect_sign(")");
    return node_of(Node::In, std::move(parts));
  }

  Part concatenation() { return chain({"||"}, &Parser::sum); }
  Part sum() { return chain({"+", "-"}, &Parser::product); }
  Part product() { return chain({"*", "/", "%"}, &Parser::sign); }

  Part chain(std::initializer_list<std::string_view> signs, Part (Parser::*operand)()) {
    Part out = (this->*operand)();
    while (tokens_.peek().kind == SqlToken::Kind::Sign &&
           std::ranges::find(signs, tokens_.peek().text) != signs.end()) {
      std::string sign = tokens_.next().text;
      Part right = (this->*operand)();
      out = node_of(Node::Arithmetic, list_of(std::move(out), std::move(right)), std::move(sign));
    }
    return out;
  }

  // A sign becomes part of the number, as in PostgreSQL's grammar, with or without parentheses.
  Part sign() {
    const Deeper deeper(*this);
    if (tokens_.accept_sign("+")) return sign();
    if (!tokens_.accept_sign("-")) return primary();
    Part operand = sign();
    if (take_sign_in(operand.tree, pool_)) return operand;
    return node_of(Node::Arithmetic, list_of(std::move(operand)), "-");
  }

  Part primary() {
    const SqlToken& token = tokens_.peek();
    if (token.kind == SqlToken::Kind::Number) return literal(pool_.number(tokens_.next().text));
    if (token.kind == SqlToken::Kind::Text) return literal(pool_.text(tokens_.next().text));
    if (tokens_.accept_word("null")) return literal(Value::nil());
    if (tokens_.accept_word("true")) return literal(Value::boolean(true));
    if (tokens_.accept_word("false")) return literal(Value::boolean(false));
    if (tokens_.accept_sign("(")) {
      Part out = condition();
      tokens_.expect_sign(")");
      return out;
    }
    return column();
  }

  Part column() { return node_of(Node::Column, {}, column_name()); }
  std::string column_name() {
    std::string name = name_part();
    while (tokens_.accept_sign(".")) name += "." + name_part();
    if (tokens_.peek().is_sign("("))
      tokens_.fail_at(tokens_.peek().at, "predicates do not support functions");
    return name;
  }
  std::string name_part() {
    const SqlToken& token = tokens_.peek();
    const bool plain = token.kind == SqlToken::Kind::Name && !is_reserved(token.text);
    if (!plain && token.kind != SqlToken::Kind::QuotedName)
      tokens_.fail("a column, a number, 'text', NULL, TRUE, FALSE or '('");
    return tokens_.next().text;
  }

  static Part literal(Value value) {
    Part out;
    out.tree.node = Node::Literal;
    out.tree.literal = value;
    return out;
  }
  Part negated_if(bool negated, Part part) {
    return negated ? node_of(Node::Not, list_of(std::move(part))) : std::move(part);
  }

  struct Deeper {
    explicit Deeper(Parser& owner) : parser(owner) {
      if (++parser.depth_ > parser.deepest_) parser.fail_too_deep();
    }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser;
  };

  SqlTokens tokens_;
  ValuePool& pool_;
  int deepest_;
  int depth_ = 0;  // Recursion depth: parentheses, NOT and signs.
};

}  // namespace

bool take_sign_in(Predicate& operand, ValuePool& pool) {
  const Value literal = operand.literal;
  const bool is_number = operand.node == Predicate::Node::Literal &&
                         (literal.is_integer() || literal.kind() == Value::Kind::Number);
  if (!is_number) return false;
  const std::string spelled = pool.format(literal);
  operand.literal = pool.number(spelled.starts_with('-') ? spelled.substr(1) : "-" + spelled);
  return true;
}

Predicate parse_predicate(std::string_view text, ValuePool& pool, const std::string& name) {
  return Parser(text, pool, name, kMaxPredicateDepth).parse_condition();
}

Predicate parse_query(std::string_view text, ValuePool& pool, const std::string& name, int deepest) {
  return Parser(text, pool, name, deepest).parse_query();
}

}  // namespace serval
