#include "serval/formats/forms/form_cursor.h"

#include "serval/base/json_string.h"

namespace serval {
namespace {

const char* problem_of(JsonEscapeFlaw flaw) {
  if (flaw == JsonEscapeFlaw::Letter) return "unknown escape in a string";
  if (flaw == JsonEscapeFlaw::Digits) return "expected four hexadecimal digits after \\u";
  return "half of a surrogate pair without the other";
}

}  // namespace

FormProblem FormCursor::missing_closer(const char* at) const {
  if (open_.empty()) return {at, std::string("'") + *at + "' closes nothing"};
  const Opening& opening = open_.back();
  const char* name = opening.closer == ']'   ? names_.square
                     : opening.closer == ')' ? names_.round
                                             : names_.curly;
  return {at, std::string("expected '") + opening.closer + "' to close the " + name, opening.at};
}

void FormCursor::expected(const std::string& what) const {
  if (at_ == end_) throw FormEnds{};
  throw FormProblem{at_, "expected " + what};
}

std::string_view FormCursor::quoted_text(Newlines newlines) {
  const char* const from = at_ + 1;
  bool escaped = false;
  const char* at = from;
  while (*at != '"') {
    if (*at == '\\') {
      escaped = true;
      if (++at == end_) throw FormEnds{};
    } else if (*at == '\n' && newlines == Newlines::Forbidden) {
      throw FormProblem{at_, "this string is not closed on its line"};
    } else if (*at == '\0' && at == end_) {
      throw FormEnds{};
    }
    ++at;
  }
  at_ = at + 1;
  if (escaped) return unescape(from, at);
  return {from, static_cast<std::size_t>(at - from)};
}

std::string_view FormCursor::unescape(const char* from, const char* to) {
  scratch_.clear();
  while (from < to) {
    if (*from != '\\') {
      scratch_ += *from++;
      continue;
    }
    const JsonEscape escape = append_json_escape(scratch_, from, to);
    if (escape.flaw != JsonEscapeFlaw::None) throw FormProblem{from, problem_of(escape.flaw)};
    from = escape.at;
  }
  return scratch_;
}

}  // namespace serval
