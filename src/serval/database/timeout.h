#pragma once
// Timeouts in addresses.
//
//   parse_timeout("1500ms") == 1500 ms          parse_timeout("5s") == 5 s

#include <chrono>
#include <string_view>

namespace serval {

// Throws InputError for anything but a whole number of ms, s or m, from 1 ms to a day.
std::chrono::milliseconds parse_timeout(std::string_view text);

}  // namespace serval
