#pragma once
// Finds passwords in addresses, so that no message, report or process list shows one. Addresses with a
// password are rejected; this is for the error message, and for words that are not valid addresses.
//
//   without_passwords("postgres://app:secret@db1/bench") == "postgres://app:***@db1/bench"
//   without_passwords("db1?password=secret&x=1") == "db1?password=***&x=1"
//
// Anything that looks like a password counts as one.

#include <string>
#include <string_view>
#include <vector>

namespace serval {

struct PasswordPlace {
  std::size_t begin, end;  // Positions in the text.
};
// In order, not overlapping.
std::vector<PasswordPlace> find_passwords(std::string_view text);

std::string without_passwords(std::string_view text);

}  // namespace serval
