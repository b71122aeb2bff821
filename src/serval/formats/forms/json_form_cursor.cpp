#include "serval/formats/forms/json_form_cursor.h"

#include "serval/base/decimal_number.h"

namespace serval {

// At the first value, at the closing bracket, or where a comma is missing.
bool JsonFormCursor::more_without_comma() {
  if (*at_ == ']' || *at_ == '}') {
    close();
    return false;
  }
  if (at_ == end_) throw FormEnds{};
  if (!open_.back().first) {
    FormProblem missing = missing_closer(at_);
    missing.problem.insert(sizeof("expected"), "',' or ");
    throw missing;
  }
  open_.back().first = false;
  return true;
}

std::string_view JsonFormCursor::field() {
  skip_blanks();
  if (*at_ != '"') expected("a name in double quotes");
  const std::string_view name = quoted_text(Newlines::Forbidden);
  skip_blanks();
  if (*at_ != ':') expected("':' after the name");
  ++at_;
  return name;
}

std::string_view JsonFormCursor::bare_token() {
  const char* const start = at_;
  while (is_bare(*at_)) ++at_;
  if (at_ == end_) throw FormEnds{};
  return {start, static_cast<std::size_t>(at_ - start)};
}

Value JsonFormCursor::number(ValuePool& pool) {
  const char* const start = at_;
  const std::string_view spelling = bare_token();
  if (spelling.starts_with('+') || !is_decimal_number(spelling)) throw FormProblem{start, "expected a value"};
  return pool.number(spelling);
}

Value JsonFormCursor::long_scalar(ValuePool& pool) {
  if (*at_ == '"') return pool.text(word());
  const char* const start = at_;
  if (*at_ != 'n' && *at_ != 't' && *at_ != 'f') return number(pool);
  const std::string_view literal = bare_token();
  if (literal == "null") return Value::nil();
  if (literal == "true" || literal == "false") return Value::boolean(literal == "true");
  throw FormProblem{start, "expected a value"};
}

// Skips one value of any depth without recursion.
void JsonFormCursor::skip() {
  const std::size_t depth = open_.size();
  do {
    if (peek() != FormShape::Scalar) {
      open();
    } else if (*at_ == '"') {
      quoted_text(Newlines::Forbidden);
    } else {
      bare_token();
    }
    while (open_.size() > depth && !more()) continue;
    if (open_.size() > depth && open_.back().closer == '}') field();
  } while (open_.size() > depth);
}

}  // namespace serval
