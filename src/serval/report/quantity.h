#pragma once
// Human-readable numbers: 41,906   213 MiB   0.74 s. Independent of the locale.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace serval {

std::string format_count(std::uint64_t count);  // "41,906"
// "1 session", "8 sessions"; the plural adds an s.
std::string format_count(std::uint64_t count, std::string_view noun);
std::string format_bytes(std::uint64_t bytes);   // "512 B", "213 MiB", "1.4 GiB"
std::string format_seconds(double seconds);      // "1.5 µs", "0.4 ms", "0.74 s", "12 min 5 s"
std::string format_share(double part_of_whole);  // "12.1 %"

// Width of UTF-8 text on a terminal, counting every code point as one column.
std::size_t display_width(std::string_view text);
// `text` followed by blanks up to `width` columns.
std::string padded(std::string_view text, std::size_t width);

}  // namespace serval
