#include "serval/formats/native/jsonl_value.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "serval/formats/native/jsonl_line.h"

namespace serval {
namespace {

std::string canonical_row(JsonCursor& at, int depth);

std::string canonical_element(JsonCursor& at, int depth) {
  std::string out;
  switch (at.peek()) {
    case '{':
      return canonical_row(at, depth + 1);
    case '"':
      append_json_string(out, at.string("a string"));
      return out;
    case '[':
      break;
    default:
      return std::string(at.skip_value());
  }
  if (depth >= JsonCursor::kMaxDepth) at.fail("less deep nesting");
  at.expect('[', "a list");
  out = "[";
  if (at.accept(']')) return "[]";
  do {
    if (out.size() > 1) out += ',';
    out += canonical_element(at, depth + 1);
  } while (at.more(']'));
  return out + "]";
}

std::string spelled_row(std::vector<std::pair<std::string, std::string>>& columns, JsonCursor& at) {
  std::ranges::sort(columns);
  std::string out = "{";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0 && columns[i].first == columns[i - 1].first) at.fail("each column of a row only once");
    if (i > 0) out += ',';
    append_json_string(out, columns[i].first);
    out += ':';
    out += columns[i].second;
  }
  return out + "}";
}

// Starts after the name of the first member, which is `first`.
std::string canonical_row_rest(JsonCursor& at, int depth, std::string first) {
  std::vector<std::pair<std::string, std::string>> columns;
  std::string name = std::move(first);
  while (true) {
    columns.emplace_back(std::move(name), canonical_element(at, depth));
    if (!at.more('}')) return spelled_row(columns, at);
    name = at.member_name();
  }
}

std::string canonical_row(JsonCursor& at, int depth) {
  if (depth >= JsonCursor::kMaxDepth) at.fail("less deep nesting");
  at.expect('{', "a row");
  if (at.accept('}')) return "{}";
  return canonical_row_rest(at, depth, std::string(at.member_name()));
}

Value parse_marked(JsonCursor& at, ValuePool& pool, const std::string& mark) {
  const char* start = at.position();
  const std::string_view text = at.string("a string");
  Value value = Value::unknown();
  if (mark == "?number") {
    value = pool.number(text);
  } else if (mark == "?row") {
    value = pool.row(text);
  } else if (mark != "?" || text != "unknown") {
    at.fail_at(start, R"({"?":"unknown"}, {"?number":"..."} or {"?row":"..."})");
  }
  at.expect('}', "'}' after the only member");
  return value;
}

Value parse_object(JsonCursor& at, ValuePool& pool, int depth) {
  at.expect('{', "a row");
  if (at.accept('}')) return pool.row("{}");
  const std::string first(at.member_name());
  if (first.starts_with('?')) return parse_marked(at, pool, first);
  return pool.row(canonical_row_rest(at, depth, first));
}

Value parse_list(JsonCursor& at, ValuePool& pool, int depth) {
  at.expect('[', "a list");
  std::vector<Value> elements;
  if (!at.accept(']')) {
    do elements.push_back(parse_json_value(at, pool, depth + 1));
    while (at.more(']'));
  }
  return pool.list(elements);
}

// Whether a reader would read the spelling as exactly this row or number.
bool reads_back(std::string spelling, Value::Kind kind) {
  if (spelling.find('\n') != std::string::npos) return false;
  spelling += '\n';
  const char* end = spelling.data() + spelling.size() - 1;
  JsonCursor at(spelling.data(), end);
  try {
    if (kind == Value::Kind::Number) return at.number("").size() + 1 == spelling.size();
    return canonical_row(at, 0) + '\n' == spelling && !spelling.starts_with("{\"?");
  } catch (const JsonFailure&) {
    return false;
  }
}

void append_spelled(std::string& out, std::string_view spelling, Value::Kind kind) {
  if (reads_back(std::string(spelling), kind)) {
    out += spelling;
    return;
  }
  out += kind == Value::Kind::Number ? R"({"?number":)" : R"({"?row":)";
  append_json_string(out, spelling);
  out += '}';
}

}  // namespace

Value parse_uncommon_json_value(JsonCursor& at, ValuePool& pool, int depth) {
  if (depth >= JsonCursor::kMaxDepth) at.fail("less deep nesting");
  switch (at.peek()) {
    case '"':
      return pool.text(at.string("text"));
    case '[':
      return parse_list(at, pool, depth);
    case '{':
      return parse_object(at, pool, depth);
    case 'n':
      at.literal("null", "null");
      return Value::nil();
    case 't':
      at.literal("true", "true");
      return Value::boolean(true);
    case 'f':
      at.literal("false", "false");
      return Value::boolean(false);
    default:
      return pool.number(at.number("a value: a number, text in quotes, null, true, false, a list or a row"));
  }
}

void append_json_value(std::string& out, const ValuePool& pool, Value value) {
  switch (value.kind()) {
    case Value::Kind::Integer:
      return put(out, value.as_integer());
    case Value::Kind::Nil:
      out += "null";
      return;
    case Value::Kind::Unknown:
      out += R"({"?":"unknown"})";
      return;
    case Value::Kind::Boolean:
      out += value.as_boolean() ? "true" : "false";
      return;
    case Value::Kind::Text:
      return append_json_string(out, pool.characters(value));
    case Value::Kind::Number:
    case Value::Kind::Row:
      return append_spelled(out, pool.characters(value), value.kind());
    case Value::Kind::List:
      break;
  }
  out += '[';
  for (const Value element : pool.elements(value)) {
    put_separator(out);
    append_json_value(out, pool, element);
  }
  out += ']';
}

}  // namespace serval
