#include "serval/database/timeout.h"

#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval {

std::chrono::milliseconds parse_timeout(std::string_view text) {
  constexpr std::int64_t kDay = 86'400'000;
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  const std::string_view spelled(unit, static_cast<std::size_t>(end - unit));
  const std::int64_t factor = spelled == "ms" ? 1 : spelled == "s" ? 1000 : spelled == "m" ? 60'000 : 0;
  if (error != std::errc{} || factor == 0 || number <= 0 || number > kDay / factor)
    throw InputError({}, fmt::format("timeout cannot be \"{}\"", text), {}, "for example 500ms, 5s or 2m");
  return std::chrono::milliseconds(number * factor);
}

}  // namespace serval
