#pragma once
// Parses numbers with units in flags. All throw UsageError, which names the flag and shows what it
// accepts.

#include <chrono>
#include <cstdint>
#include <string_view>

namespace serval::cli {

std::chrono::nanoseconds parse_duration(std::string_view flag, std::string_view text);  // 500ms 10s 1.5m 2h
std::uint64_t parse_size(std::string_view flag, std::string_view text);                 // 512MiB 4GiB 64KiB
std::uint64_t parse_count(std::string_view flag, std::string_view text);                // 1000 10k 1M 2G
std::uint32_t parse_threads(std::string_view text);                                     // --threads, 1 to 16.
double parse_share(std::string_view flag, std::string_view text);                       // 0.02 2%

}  // namespace serval::cli
