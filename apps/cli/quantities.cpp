#include "quantities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "serval/base/error.h"

namespace serval::cli {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

[[noreturn]] void refuse(std::string_view flag, std::string_view text, std::string_view accepted) {
  throw UsageError(fmt::format("{} does not accept \"{}\"", flag, text),
                   fmt::format("{} takes {}", flag, accepted));
}

// A non-negative number followed by one of the units.
double parse_amount(std::string_view flag, std::string_view text, std::span<const Unit> units,
                    std::string_view accepted) {
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  const auto found = std::ranges::find(units, unit, &Unit::name);
  if (error != std::errc{} || found == units.end() || !(number >= 0)) refuse(flag, text, accepted);
  return number * found->factor;
}

std::uint64_t whole(std::string_view flag, std::string_view text, double amount, std::string_view accepted) {
  if (amount > 9e18 || std::floor(amount) != amount) refuse(flag, text, accepted);
  return static_cast<std::uint64_t>(amount);
}

}  // namespace

std::chrono::nanoseconds parse_duration(std::string_view flag, std::string_view text) {
  static constexpr std::array<Unit, 6> kUnits{Unit{"ns", 1}, {"us", 1e3}, {"ms", 1e6},
                                              {"s", 1e9},    {"m", 60e9}, {"h", 3600e9}};
  constexpr std::string_view kAccepted = "a time with its unit: 500ms, 10s, 5m or 1h, up to 10000h";
  const double amount = parse_amount(flag, text, kUnits, kAccepted);
  if (amount < 1 || amount > 10000 * 3600e9) refuse(flag, text, kAccepted);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(amount));
}

std::uint64_t parse_size(std::string_view flag, std::string_view text) {
  static constexpr std::array<Unit, 4> kUnits{
      Unit{"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0}};
  constexpr std::string_view kAccepted = "a size with its unit: 64KiB, 512MiB or 4GiB";
  const double amount = parse_amount(flag, text, kUnits, kAccepted);
  if (amount < 1) refuse(flag, text, kAccepted);
  return whole(flag, text, std::floor(amount), kAccepted);
}

std::uint64_t parse_count(std::string_view flag, std::string_view text) {
  static constexpr std::array<Unit, 5> kUnits{Unit{"", 1}, {"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}};
  constexpr std::string_view kAccepted = "a whole number: 1000, 10k, 1M or 2G";
  return whole(flag, text, parse_amount(flag, text, kUnits, kAccepted), kAccepted);
}

double parse_share(std::string_view flag, std::string_view text) {
  static constexpr std::array<Unit, 2> kUnits{Unit{"", 1}, {"%", 0.01}};
  constexpr std::string_view kAccepted = "a share of one: 0.02 or 2%";
  const double amount = parse_amount(flag, text, kUnits, kAccepted);
  if (amount > 1) refuse(flag, text, kAccepted);
  return amount;
}

std::uint32_t parse_threads(std::string_view text) {
  constexpr std::uint64_t kMost = 16;
  const std::uint64_t threads = parse_count("--threads", text);
  if (threads < 1 || threads > kMost) throw UsageError("--threads takes a number from 1 to 16");
  return static_cast<std::uint32_t>(threads);
}

}  // namespace serval::cli
