#pragma once
// Addresses of databases, taken apart: "PLACE?name=value&name=value", and places on the network.
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

  // The option's value, the first of the allowed ones where it is absent; throws InputError for any other.
  std::string choose(std::string_view option, std::span<const std::string_view> allowed) const;
};

// Without the scheme. Throws InputError for an option that is not known.
[[nodiscard]] Address parse_address(std::string_view text, std::span<const std::string_view> known);

struct Place {
  std::string user, host, database;
  std::uint16_t port = 0;  // Not given.
};

// "//USER@HOST:PORT/DATABASE", of which any part may be absent. Throws InputError, above all for a password.
[[nodiscard]] Place parse_place(std::string_view text);

}  // namespace serval::sql
