#pragma once
// Appends texts and numbers to a line without temporaries or format strings. This runs between the
// requests of a client, with a cold cache.
//
//   put_all(line, "[\"r\",", key, ",", tag, "]");

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "serval/base/json_writer.h"

namespace serval {

inline void put(std::string& to, std::string_view text) { to += text; }
inline void put(std::string& to, std::int64_t number) {
  std::array<char, 24> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  to.append(digits.data(), result.ptr);
}
template <class... Parts>
void put_all(std::string& to, const Parts&... parts) {
  (put(to, parts), ...);
}

inline void put_comma(std::string& to) {
  if (!to.empty()) to += ',';
}

inline void put_quoted(std::string& to, std::string_view text) {
  const bool plain =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  plain ? put_all(to, "\"", text, "\"") : put(to, JsonWriter().text(std::string(text)).take());
}

}  // namespace serval
