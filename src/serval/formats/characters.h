#pragma once
// Character classes, independent of the locale.

#include <string_view>

namespace serval {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace serval
