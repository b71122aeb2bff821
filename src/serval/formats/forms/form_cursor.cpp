#include "serval/formats/forms/form_cursor.h"

#include <charconv>
#include <optional>

#include "serval/base/utf8.h"

namespace serval {
namespace {

std::optional<std::uint32_t> four_hex_digits(const char* from, const char* end) {
  std::uint32_t unit = 0;
  if (end - from < 4) return std::nullopt;
  const auto [past, error] = std::from_chars(from, from + 4, unit, 16);
  if (error != std::errc{} || past != from + 4) return std::nullopt;
  return unit;
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
    if (*from == '\\') {
      from = append_escape(from);
    } else {
      scratch_ += *from++;
    }
  }
  return scratch_;
}

const char* FormCursor::append_escape(const char* backslash) {
  constexpr std::string_view names = "ntrbf\"\\/";
  constexpr std::string_view meanings = "\n\t\r\b\f\"\\/";
  const char name = backslash[1];
  if (name == 'u') return append_unicode_escape(backslash + 2);
  const std::size_t which = names.find(name);
  if (which == std::string_view::npos) throw FormProblem{backslash, "unknown escape in a string"};
  scratch_ += meanings[which];
  return backslash + 2;
}

const char* FormCursor::append_unicode_escape(const char* digits) {
  const std::optional<std::uint32_t> unit = four_hex_digits(digits, end_);
  if (!unit) throw FormProblem{digits - 2, "expected four hexadecimal digits after \\u"};
  if (!is_surrogate(*unit)) {
    append_utf8(scratch_, *unit);
    return digits + 4;
  }
  const bool followed = end_ - digits >= 10 && digits[4] == '\\' && digits[5] == 'u';
  const std::optional<std::uint32_t> low = followed ? four_hex_digits(digits + 6, end_) : std::nullopt;
  const std::optional<std::uint32_t> pair = low ? paired_surrogates(*unit, *low) : std::nullopt;
  if (!pair) throw FormProblem{digits - 2, "half of a surrogate pair without the other"};
  append_utf8(scratch_, *pair);
  return digits + 10;
}

}  // namespace serval
