#pragma once
// Passwords in addresses, so that no message, report or list of processes repeats one. Addresses with a
// password are refused; this is for the message that says so, and for words that are no good address at all.
//
//   without_passwords("postgres://app:secret@db1/bench") == "postgres://app:***@db1/bench"
//   without_passwords("db1?password=secret&x=1") == "db1?password=***&x=1"
//
// What looks like a password counts as one: better a star too many than a secret in a log.

#include <string>
#include <string_view>
#include <vector>

namespace serval {

struct PasswordPlace {
  std::size_t begin, end;  // Of the text, without what stands around it.
};
// In order, not overlapping.
std::vector<PasswordPlace> find_passwords(std::string_view text);

std::string without_passwords(std::string_view text);

}  // namespace serval
