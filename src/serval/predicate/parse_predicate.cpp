#include "serval/predicate/parse_predicate.h"

#include <algorithm>
#include <array>
#include <utility>

#include "serval/predicate/sql_tokens.h"

namespace serval {
namespace {

using Node = Predicate::Node;

constexpr std::array<std::string_view, 4> kAggregates{"count", "min", "max", "sum"};
constexpr int kMaxDepth = 1000;  // Of parentheses, NOT and signs; protects the stack.

Predicate node_of(Node node, std::vector<Predicate> children, std::string name = {}) {
  Predicate out;
  out.node = node;
  out.name = std::move(name);
  out.children = std::move(children);
  return out;
}

template <class... Children>
std::vector<Predicate> list_of(Children&&... children) {
  std::vector<Predicate> out;
  out.reserve(sizeof...(children));
  (out.push_back(std::forward<Children>(children)), ...);
  return out;
}

class Parser {
 public:
  Parser(std::string_view text, ValuePool& pool, const std::string& name)
      : tokens_(text, name), pool_(pool) {}

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
  Predicate whole(Predicate out) {
    if (tokens_.peek().kind != SqlToken::Kind::End) tokens_.fail("the end of the predicate");
    return out;
  }

  Predicate update() {
    Predicate out = node_of(Node::Update, list_of(Predicate{}));
    do {
      Predicate set = column();
      set.node = Node::Set;
      tokens_.expect_sign("=");
      set.children.push_back(condition());
      out.children.push_back(std::move(set));
    } while (tokens_.accept_sign(","));
    out.children.front() = where();
    return out;
  }

  Predicate aggregate() {
    Predicate out = node_of(Node::Aggregate, {}, tokens_.next().text);
    tokens_.expect_sign("(");
    const bool of_rows = out.name == "count" && tokens_.accept_sign("*");
    if (!of_rows) out.children.push_back(condition());
    tokens_.expect_sign(")");
    out.children.push_back(where());
    return out;
  }

  Predicate where() { return tokens_.accept_word("where") ? condition() : Predicate{}; }

  // From the loosest to the tightest.

  Predicate condition() { return junction(Node::Or, "or", &Parser::conjunction); }
  Predicate conjunction() { return junction(Node::And, "and", &Parser::negation); }

  Predicate junction(Node node, std::string_view word, Predicate (Parser::*operand)()) {
    Predicate first = (this->*operand)();
    if (!tokens_.peek().is_word(word)) return first;
    std::vector<Predicate> children = list_of(std::move(first));
    while (tokens_.accept_word(word)) children.push_back((this->*operand)());
    return node_of(node, std::move(children));
  }

  Predicate negation() {
    const Deeper deeper(*this);
    if (!tokens_.accept_word("not")) return null_test();
    return node_of(Node::Not, list_of(negation()));
  }

  Predicate null_test() {
    Predicate out = comparison();
    while (tokens_.accept_word("is")) {
      const bool negated = tokens_.accept_word("not");
      tokens_.expect_word("null");
      out = negated_if(negated, node_of(Node::IsNull, list_of(std::move(out))));
    }
    return out;
  }

  Predicate comparison() {
    static constexpr std::array<std::string_view, 7> kOperators{"=", "<>", "!=", "<=", ">=", "<", ">"};
    Predicate left = range();
    const SqlToken& token = tokens_.peek();
    if (token.kind != SqlToken::Kind::Sign || std::ranges::count(kOperators, token.text) == 0) return left;
    std::string sign = tokens_.next().text;
    Predicate right = range();
    return node_of(Node::Compare, list_of(std::move(left), std::move(right)), std::move(sign));
  }

  Predicate range() {
    Predicate operand = concatenation();
    const bool negated = tokens_.accept_word("not");
    if (tokens_.accept_word("between")) {
      Predicate low = concatenation();
      tokens_.expect_word("and");
      Predicate high = concatenation();
      return negated_if(negated,
                        node_of(Node::Between, list_of(std::move(operand), std::move(low), std::move(high))));
    }
    if (tokens_.accept_word("in")) return negated_if(negated, items(std::move(operand)));
    if (tokens_.accept_word("like")) {
      Predicate out = node_of(Node::Like, list_of(std::move(operand), concatenation()));
      if (tokens_.accept_word("escape")) out.children.push_back(concatenation());
      return negated_if(negated, std::move(out));
    }
    if (negated) tokens_.fail("BETWEEN, IN or LIKE after NOT");
    return operand;
  }

  Predicate items(Predicate operand) {
    tokens_.expect_sign("(");
    Predicate out = node_of(Node::In, list_of(std::move(operand)));
    do out.children.push_back(condition());
    while (tokens_.accept_sign(","));
    tokens_.expect_sign(")");
    return out;
  }

  Predicate concatenation() { return chain({"||"}, &Parser::sum); }
  Predicate sum() { return chain({"+", "-"}, &Parser::product); }
  Predicate product() { return chain({"*", "/", "%"}, &Parser::sign); }

  Predicate chain(std::initializer_list<std::string_view> signs, Predicate (Parser::*operand)()) {
    Predicate out = (this->*operand)();
    while (tokens_.peek().kind == SqlToken::Kind::Sign &&
           std::ranges::find(signs, tokens_.peek().text) != signs.end()) {
      std::string sign = tokens_.next().text;
      Predicate right = (this->*operand)();
      out = node_of(Node::Arithmetic, list_of(std::move(out), std::move(right)), std::move(sign));
    }
    return out;
  }

  // A number takes its sign in, as in PostgreSQL's grammar, parentheses or not.
  Predicate sign() {
    const Deeper deeper(*this);
    if (tokens_.accept_sign("+")) return sign();
    if (!tokens_.accept_sign("-")) return primary();
    Predicate operand = sign();
    const bool is_number = operand.node == Node::Literal &&
                           (operand.literal.is_integer() || operand.literal.kind() == Value::Kind::Number);
    if (!is_number) return node_of(Node::Arithmetic, list_of(std::move(operand)), "-");
    const std::string spelled = pool_.spell(operand.literal);
    operand.literal = pool_.number(spelled.starts_with('-') ? spelled.substr(1) : "-" + spelled);
    return operand;
  }

  Predicate primary() {
    const SqlToken& token = tokens_.peek();
    if (token.kind == SqlToken::Kind::Number) return literal(pool_.number(tokens_.next().text));
    if (token.kind == SqlToken::Kind::Text) return literal(pool_.text(tokens_.next().text));
    if (tokens_.accept_word("null")) return literal(Value::nil());
    if (tokens_.accept_word("true")) return literal(Value::boolean(true));
    if (tokens_.accept_word("false")) return literal(Value::boolean(false));
    if (tokens_.accept_sign("(")) {
      Predicate out = condition();
      tokens_.expect_sign(")");
      return out;
    }
    return column();
  }

  Predicate column() {
    std::string name = name_part();
    while (tokens_.accept_sign(".")) name += "." + name_part();
    if (tokens_.peek().is_sign("(")) tokens_.fail("no function call: the language has none");
    return node_of(Node::Column, {}, std::move(name));
  }
  std::string name_part() {
    const SqlToken& token = tokens_.peek();
    const bool plain = token.kind == SqlToken::Kind::Name && !is_reserved(token.text);
    if (!plain && token.kind != SqlToken::Kind::QuotedName)
      tokens_.fail("a column, a number, 'text', NULL, TRUE, FALSE or '('");
    return tokens_.next().text;
  }

  static Predicate literal(Value value) {
    Predicate out;
    out.node = Node::Literal;
    out.literal = value;
    return out;
  }
  static Predicate negated_if(bool negated, Predicate tree) {
    return negated ? node_of(Node::Not, list_of(std::move(tree))) : std::move(tree);
  }

  struct Deeper {
    explicit Deeper(Parser& owner) : parser(owner) {
      if (++parser.depth_ > kMaxDepth) parser.tokens_.fail("less deep nesting");
    }
    ~Deeper() { --parser.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Parser& parser;
  };

  SqlTokens tokens_;
  ValuePool& pool_;
  int depth_ = 0;
};

}  // namespace

Predicate parse_predicate(std::string_view text, ValuePool& pool, const std::string& name) {
  return Parser(text, pool, name).parse_condition();
}

Predicate parse_query(std::string_view text, ValuePool& pool, const std::string& name) {
  return Parser(text, pool, name).parse_query();
}

}  // namespace serval
