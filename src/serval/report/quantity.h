#pragma once
// Numbers as people read them: 41,906   213 MiB   0.74 s. Fixed spelling, no locale.

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

// Columns that UTF-8 text takes on a terminal, counting every code point as one.
std::size_t display_width(std::string_view text);
// `text` with blanks after it up to `width` columns.
std::string padded(std::string_view text, std::size_t width);

}  // namespace serval
