#pragma once
// UTF-8 (RFC 3629).
//
//   append_utf8(out, 0x20AC);                          // three bytes
//   utf8_length("\xE2\x82\xAC...")                     // 3; 0 for bytes that are not UTF-8

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace serval {

// Length of the sequence at the front of `text`, which must not be empty; 0 if it is not UTF-8.
std::size_t utf8_length(std::string_view text);
// The code point of one complete sequence.
std::uint32_t utf8_code_point(std::string_view sequence);
void append_utf8(std::string& out, std::uint32_t code_point);

// Half of a code point above U+FFFF in UTF-16. Not text by itself; it has no UTF-8.
constexpr bool is_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xE000; }

}  // namespace serval
