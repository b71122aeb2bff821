#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "serval/base/error.h"
#include "serval/formats/native/jsonl_value.h"
#include "serval/predicate/parse_predicate.h"

// A JSON array is a node, its first element the name of the node; anything else is a literal.
//
//   ["and", [">",["col","value"],3], ["not",["=",["col","owner"],"bob"]]]
//   ["sql", "value > 3 AND NOT (owner = 'bob')"]                            the same; never written
namespace serval {
namespace {

using Node = Predicate::Node;

constexpr std::array<std::pair<Node, std::string_view>, 15> kNodes{{
    {Node::True, "true"},
    {Node::Column, "col"},
    {Node::Literal, "lit"},
    {Node::Compare, "compare"},
    {Node::Arithmetic, "arithmetic"},
    {Node::And, "and"},
    {Node::Or, "or"},
    {Node::Not, "not"},
    {Node::IsNull, "is-null"},
    {Node::In, "in"},
    {Node::Between, "between"},
    {Node::Like, "like"},
    {Node::Aggregate, "aggregate"},
    {Node::Update, "update"},
    {Node::Set, "set"},
}};
// Operators that may stand for the node itself: [">",a,b] is ["compare",">",a,b].
constexpr std::array<std::string_view, 7> kComparisons{"=", "<>", "!=", "<", "<=", ">", ">="};
constexpr std::array<std::string_view, 6> kArithmetic{"+", "-", "*", "/", "%", "||"};

bool has_operator(Node node) { return node == Node::Compare || node == Node::Arithmetic; }

bool has_name(Node node) { return node == Node::Column || node == Node::Set || node == Node::Aggregate; }

bool is_short_operator(Node node, std::string_view name) {
  if (node == Node::Compare) return std::ranges::count(kComparisons, name) > 0;
  return node == Node::Arithmetic && std::ranges::count(kArithmetic, name) > 0;
}

// The text of ["sql","..."], whose head has been read. An error points at the start of the text and has
// its own line and column in it, because escapes shift the characters.
Predicate parse_text(JsonCursor& at, ValuePool& pool, int depth) {
  at.expect(',', "',' and a predicate in SQL");
  at.peek();
  const char* start = at.position();
  const std::string text(at.string("a predicate in SQL, in quotes"));
  at.expect(']', "']' after the predicate");
  try {
    return parse_query(text, pool, "predicate", kMaxPredicateDepth - depth);
  } catch (const InputError& error) {
    throw JsonFailure{start, fmt::format("a predicate in SQL ({})", error.what()), false};
  }
}

// Sets the node, and the operator if the head is one.
void parse_head(JsonCursor& at, Predicate& tree) {
  const char* start = at.position();
  const std::string_view head = at.string("the name of a predicate node in quotes");
  const auto named = std::ranges::find(kNodes, head, &std::pair<Node, std::string_view>::second);
  if (named != kNodes.end()) {
    tree.node = named->first;
  } else if (std::ranges::count(kComparisons, head) > 0) {
    tree.node = Node::Compare;
    tree.name = head;
  } else if (std::ranges::count(kArithmetic, head) > 0) {
    tree.node = Node::Arithmetic;
    tree.name = head;
  } else {
    at.fail_at(
        start,
        "a predicate node: col lit and or not is-null in between like true aggregate update sql, or an "
        "operator such as =");
  }
}

}  // namespace

Predicate parse_json_predicate(JsonCursor& at, ValuePool& pool, int depth) {
  Predicate tree;
  if (depth >= JsonCursor::kMaxDepth) at.fail("less deep nesting");
  if (at.peek() != '[') {
    tree.node = Node::Literal;
    tree.literal = parse_json_value(at, pool, depth);
    return tree;
  }
  at.expect('[', "a predicate");
  if (at.accept_word("sql")) return parse_text(at, pool, depth);
  parse_head(at, tree);
  if (has_name(tree.node) || (has_operator(tree.node) && tree.name.empty())) {
    at.expect(',', "',' and a name");
    tree.name = at.string("a name in quotes");
  } else if (tree.node == Node::Literal) {
    at.expect(',', "',' and a value");
    tree.literal = parse_json_value(at, pool, depth);
  }
  while (at.more(']')) tree.children.push_back(parse_json_predicate(at, pool, depth + 1));
  return tree;
}

void append_json_node_start(std::string& out, Node node, std::string_view name) {
  out += '[';
  const bool is_short = is_short_operator(node, name);
  append_json_string(out, is_short ? name : kNodes[static_cast<std::size_t>(node)].second);
  if (has_name(node) || (has_operator(node) && !is_short)) {
    out += ',';
    append_json_string(out, name);
  }
}

void append_json_predicate(std::string& out, const ValuePool& pool, const Predicate& tree) {
  // A bare null stands for "no predicate".
  if (tree.node == Node::Literal && !tree.literal.is_list() && !tree.literal.is_nil())
    return append_json_value(out, pool, tree.literal);
  append_json_node_start(out, tree.node, tree.name);
  if (tree.node == Node::Literal) {
    out += ',';
    append_json_value(out, pool, tree.literal);
  }
  for (const Predicate& child : tree.children) {
    out += ',';
    append_json_predicate(out, pool, child);
  }
  out += ']';
}

}  // namespace serval
