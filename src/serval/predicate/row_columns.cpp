#include "serval/predicate/row_columns.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "serval/base/json_string.h"
#include "serval/predicate/query.h"

namespace serval {
namespace {

// Iterates over the members of a row's canonical JSON, which has no spaces. Anything else ends the
// iteration.
class RowCursor {
 public:
  static RowCursor of_row(std::string_view text) {
    RowCursor out(text);
    out.fine_ = out.take('{');
    return out;
  }
  static RowCursor of_text(std::string_view text) { return RowCursor(text); }

  // The next member; false at the end.
  bool next(std::string& name, std::string_view& value) {
    if (!fine_ || text_.starts_with('}')) return false;
    take(',');
    std::optional<std::string> found = text();
    if (!found || !take(':')) return fine_ = false;
    name = std::move(*found);
    const std::string_view start = text_;
    if (!skip(0)) return fine_ = false;
    value = start.substr(0, start.size() - text_.size());
    return true;
  }

  // The characters of a JSON string.
  std::optional<std::string> text() {
    if (!take('"')) return std::nullopt;
    std::string out;
    for (;;) {
      out += until([](char c) { return c == '"' || c == '\\'; });
      if (!text_.starts_with('\\')) break;
      const JsonEscape escape = append_json_escape(out, text_.data(), text_.data() + text_.size());
      if (escape.flaw != JsonEscapeFlaw::None) return std::nullopt;
      text_.remove_prefix(static_cast<std::size_t>(escape.at - text_.data()));
    }
    if (!take('"')) return std::nullopt;
    return out;
  }

 private:
  explicit RowCursor(std::string_view text) : text_(text) {}

  bool take(char wanted) {
    if (!text_.starts_with(wanted)) return false;
    text_.remove_prefix(1);
    return true;
  }

  // Consumes everything up to such a character.
  template <class Ends>
  std::string_view until(const Ends& ends) {
    std::size_t size = 0;
    while (size < text_.size() && !ends(text_[size])) ++size;
    const std::string_view out = text_.substr(0, size);
    text_.remove_prefix(size);
    return out;
  }

  bool skip(int depth) {
    if (text_.empty() || depth > 1000) return false;
    if (text_.front() == '"') return text().has_value();
    const bool nests = text_.front() == '{' || text_.front() == '[';
    if (!nests) {
      until([](char c) { return c == ',' || c == '}' || c == ']'; });
      return true;
    }
    const char close = text_.front() == '{' ? '}' : ']';
    text_.remove_prefix(1);
    while (!text_.empty() && text_.front() != close) {
      if (text_.front() == ',' || text_.front() == ':')
        text_.remove_prefix(1);
      else if (!skip(depth + 1))
        return false;
    }
    return take(close);
  }

  std::string_view text_;
  bool fine_ = true;
};

Scalar scalar_of_json(std::string_view json) {
  if (json == "null") return {};
  if (json == "true" || json == "false") return Scalar::boolean(json == "true");
  if (json.starts_with('"')) {
    std::optional<std::string> text = RowCursor::of_text(json).text();
    return text ? Scalar(std::move(*text)) : Scalar::undefined();
  }
  return Scalar::number(json);
}

std::string_view unqualified(std::string_view name) { return name.substr(name.rfind('.') + 1); }
std::string_view qualifier(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

// "pieces/5" is 5 for a predicate over pieces.
Scalar key_of(Value key, const ValuePool& pool, std::string_view table) {
  Scalar out = Scalar::of(key, pool);
  if (table.empty() || out.kind() != Scalar::Kind::Text) return out;
  const std::string& text = out.as_text();
  if (!text.starts_with(std::string(table) + "/")) return out;
  const std::string_view rest = std::string_view(text).substr(table.size() + 1);
  const std::optional<Decimal> number = Decimal::parse(rest);
  const std::optional<std::int64_t> whole = number ? number->whole() : std::nullopt;
  return whole ? Scalar(*whole) : Scalar(std::string(rest));
}

}  // namespace

void read_columns(std::span<const std::string> columns, Value key, Value value, const ValuePool& pool,
                  std::vector<Scalar>& out) {
  out.assign(columns.size(), Scalar::undefined());
  const bool is_row = value.kind() == Value::Kind::Row;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string_view name = unqualified(columns[i]);
    if (name == "key" || name == "k") out[i] = key_of(key, pool, qualifier(columns[i]));
    if (name == "value" && !is_row) out[i] = Scalar::of(value, pool);
  }
  if (!is_row) return;
  std::string name;
  std::string_view json;
  for (RowCursor cursor = RowCursor::of_row(pool.characters(value)); cursor.next(name, json);)
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (unqualified(columns[i]) == name) out[i] = scalar_of_json(json);
}

std::vector<std::string> column_names(Value value, const ValuePool& pool) {
  if (value.is_nil()) return {};
  if (value.kind() != Value::Kind::Row) return {"value"};
  std::vector<std::string> names;
  std::string name;
  std::string_view json;
  for (RowCursor cursor = RowCursor::of_row(pool.characters(value)); cursor.next(name, json);)
    names.push_back(name);
  return names;
}

bool rows_agree(Value a, Value b, const ValuePool& pool) {
  if (a == b) return true;
  if (a.kind() != Value::Kind::Row || b.kind() != Value::Kind::Row) return false;
  const std::vector<std::string> names = column_names(a, pool);
  std::vector<Scalar> first, second;
  read_columns(names, Value::nil(), a, pool, first);
  read_columns(names, Value::nil(), b, pool, second);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!first[i].is_undefined() && !second[i].is_undefined() && !same(first[i], second[i])) return false;
  return true;
}

Table::Table(const Condition& condition) {
  for (const std::string& column : condition.columns()) {
    const std::string_view table = qualifier(column);
    is_join_ = is_join_ || (!table.empty() && !name_.empty() && table != name_);
    if (name_.empty()) name_ = table;
  }
}

Truth Table::has(const History& history, KeyId key) const {
  if (name_.empty()) return Truth::True;
  const Value value = history.key_value(key);
  const std::string_view text =
      value.kind() == Value::Kind::Text ? history.values().characters(value) : std::string_view();
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) return truth_of(text.substr(0, slash) == name_);
  const auto fact = history.facts().find("table");
  return fact == history.facts().end() ? Truth::Undefined : truth_of(fact->second == name_);
}

}  // namespace serval
