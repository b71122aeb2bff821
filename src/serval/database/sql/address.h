#pragma once
// Parses addresses, "PLACE?name=value&name=value", and network places.
//
//   parse_address("run.db?journal=delete", kOptions).options["journal"] == "delete"
//   parse_place("//app@db1:3306/bench").host == "db1"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace serval::sql {

struct Address {
  std::string place;
  std::map<std::string, std::string, std::less<>> options;

  // The value of the option; the first allowed value if absent. Throws InputError for any other value.
  std::string choose(std::string_view option, std::span<const std::string_view> allowed) const;
};

// Without the scheme. Throws InputError for an option that is not known.
[[nodiscard]] Address parse_address(std::string_view text, std::span<const std::string_view> known);

struct Place {
  std::string user, host, database;
  std::uint16_t port = 0;  // 0: not given.
};

// "//USER@HOST:PORT/DATABASE"; any part may be absent. Throws InputError, in particular for a password.
[[nodiscard]] Place parse_place(std::string_view text);

}  // namespace serval::sql
