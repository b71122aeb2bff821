#pragma once
// UTF-8 (RFC 3629) and the escapes of JSON and EDN that denote it.
//
//   append_utf8(out, 0x20AC);                          // three bytes
//   utf8_length("\xE2\x82\xAC...")                     // 3; 0 for bytes that are not UTF-8
//   paired_surrogates(0xD83D, 0xDE00)                  // 0x1F600

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace serval {

// Length of the sequence at the front of `text`, which must not be empty; 0 if it is not UTF-8.
std::size_t utf8_length(std::string_view text);
// The code point of one complete sequence.
std::uint32_t utf8_code_point(std::string_view sequence);
void append_utf8(std::string& out, std::uint32_t code_point);

// Halves of a code point above U+FFFF. A lone surrogate is not text: every reader rejects it.
constexpr bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
constexpr bool is_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xE000; }
// Nothing unless they are a high and a low surrogate.
std::optional<std::uint32_t> paired_surrogates(std::uint32_t high, std::uint32_t low);

}  // namespace serval
