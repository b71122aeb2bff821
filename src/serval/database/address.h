#pragma once
// Parses addresses, "SCHEME:PLACE?name=value&name=value", network places and timeouts. Everything here throws
// InputError.
//
//   read_address("rocksdb:/tmp/x?kind=optimistic", {"kind"}).place == "/tmp/x"
//   parse_place("//app@db1:3306/bench").host == "db1"
//   parse_timeout("1500ms") == 1500 ms

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace serval {

struct Address {
  std::string place;
  std::map<std::string, std::string, std::less<>> options;

  std::string option(std::string_view name, std::string_view otherwise) const {
    const auto found = options.find(name);
    return found == options.end() ? std::string(otherwise) : found->second;
  }
  // The value of the option; the first allowed value if absent. Throws for any other value.
  std::string choose(std::string_view name, std::span<const std::string_view> allowed) const;
};

// The options after the question mark, in order; no value without an equals sign.
std::vector<std::pair<std::string_view, std::optional<std::string_view>>> options_of(
    std::string_view address);

// The place is without the scheme and a leading "//". Every option needs a value. Throws for an option that
// is not `known`, with the nearest names.
Address read_address(std::string_view address, std::initializer_list<std::string_view> known);

// A whole number of ms, s or m, from 1 ms to a day.
std::chrono::milliseconds parse_timeout(std::string_view text);

namespace sql {

// Without the scheme. Throws for an option that is not known.
[[nodiscard]] Address parse_address(std::string_view text, std::span<const std::string_view> known);

struct Place {
  std::string user, host, database;
  std::uint16_t port = 0;  // 0: not given.
};

// "//USER@HOST:PORT/DATABASE"; any part may be absent. Throws in particular for a password.
[[nodiscard]] Place parse_place(std::string_view text);

}  // namespace sql
}  // namespace serval
