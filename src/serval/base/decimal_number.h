#pragma once
// Numbers in decimal notation.
//
//   is_decimal_number("2.50")                   // Also -7 and 1e-3: optional fraction and exponent.
//   parse_integer<std::int64_t>("-7")           // None for "+7", " 7", "7x" and what does not fit.

#include <charconv>
#include <optional>
#include <string_view>

namespace serval {

bool is_decimal_number(std::string_view text);

// The integer that the whole text spells.
template <class Integer>
std::optional<Integer> parse_integer(std::string_view text) {
  Integer number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace serval
