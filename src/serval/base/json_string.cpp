#include "serval/base/json_string.h"

#include <algorithm>
#include <optional>

#include "serval/base/printable.h"
#include "serval/base/utf8.h"

namespace serval {
namespace {

using Flaw = JsonEscapeFlaw;

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }

// Moves `at` after the fourth digit, or to the first character that is not one.
std::optional<std::uint32_t> four_hex_digits(const char*& at, const char* end) {
  std::uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    const unsigned c = at == end ? 0u : static_cast<unsigned char>(*at);
    const unsigned lower = c | 0x20u;
    if (c >= '0' && c <= '9')
      code = code * 16 + (c - '0');
    else if (lower >= 'a' && lower <= 'f')
      code = code * 16 + (lower - 'a' + 10);
    else
      return std::nullopt;
  }
  return code;
}

JsonEscape append_unicode_escape(std::string& out, const char* u, const char* end) {
  const char* at = u + 1;
  const std::optional<std::uint32_t> unit = four_hex_digits(at, end);
  if (!unit) return {at, Flaw::Digits};
  if (!is_surrogate(*unit)) {
    append_utf8(out, *unit);
    return {at};
  }
  if (!is_high_surrogate(*unit)) return {u, Flaw::LowFirst};
  for (const char wanted : {'\\', 'u'}) {
    if (at == end || *at != wanted) return {at, Flaw::NoSecondEscape};
    ++at;
  }
  const std::optional<std::uint32_t> low = four_hex_digits(at, end);
  if (!low) return {at, Flaw::Digits};
  if (!is_surrogate(*low) || is_high_surrogate(*low)) return {u, Flaw::NotLow};
  append_utf8(out, 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00));
  return {at};
}

bool is_plain(char c, JsonBytes bytes) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' &&
         (bytes == JsonBytes::Kept || static_cast<unsigned char>(c) < 0x7F);
}

// Appends the first character, which is not plain. Returns how many bytes it has.
std::size_t append_special(std::string& out, std::string_view text, JsonBytes bytes) {
  const char c = text.front();
  if (c == '"' || c == '\\') {
    out += {'\\', c};
    return 1;
  }
  if (bytes == JsonBytes::Kept) {
    out += c == '\b' ? "\\b" : c == '\f' ? "\\f" : escaped_code_point(static_cast<unsigned char>(c));
    return 1;
  }
  const std::size_t length = utf8_length(text);
  if (length == 0)
    out += "\xEF\xBF\xBD";
  else
    append_printable(out, text.substr(0, length));
  return std::max<std::size_t>(length, 1);
}

}  // namespace

JsonEscape append_json_escape(std::string& out, const char* backslash, const char* end) {
  static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  const char* const letter = backslash + 1;
  if (letter == end) return {end, Flaw::Letter};
  if (*letter == 'u') return append_unicode_escape(out, letter, end);
  const std::size_t place = kLetters.find(*letter);
  if (place == std::string_view::npos) return {letter, Flaw::Letter};
  out += kMeanings[place];
  return {letter + 1};
}

void append_json_string(std::string& out, std::string_view text, JsonBytes bytes) {
  out += '"';
  while (true) {
    const auto special = std::ranges::find_if(text, [bytes](char c) { return !is_plain(c, bytes); });
    const auto plain = static_cast<std::size_t>(special - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    text.remove_prefix(append_special(out, text, bytes));
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

}  // namespace serval
