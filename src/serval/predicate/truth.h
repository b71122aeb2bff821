#pragma once
// SQL's three truth values, and a fourth for conditions that have no answer: division by zero, a number
// that is too large, text compared with a number, a column that was not recorded. PostgreSQL rejects
// such a statement, and other databases have rules of their own, so Serval must not guess.
//
//   both(Truth::Unknown, Truth::False) == Truth::False        NULL AND FALSE
//   either(Truth::Undefined, Truth::True) == Truth::True      whichever side a database evaluates first
//
// A database that returned an answer did not fail on the undefined side. So False on the other side
// decides AND, and True decides OR; with Unknown the result stays undefined.

#include <array>
#include <cstdint>
#include <string_view>

namespace serval {

enum class Truth : std::uint8_t { False, Unknown, True, Undefined };

constexpr Truth truth_of(bool holds) noexcept { return holds ? Truth::True : Truth::False; }

constexpr Truth opposite(Truth truth) noexcept {
  if (truth == Truth::True) return Truth::False;
  return truth == Truth::False ? Truth::True : truth;
}

constexpr Truth both(Truth a, Truth b) noexcept {
  if (a == Truth::False || b == Truth::False) return Truth::False;
  if (a == Truth::Undefined || b == Truth::Undefined) return Truth::Undefined;
  return a == Truth::Unknown || b == Truth::Unknown ? Truth::Unknown : Truth::True;
}

constexpr Truth either(Truth a, Truth b) noexcept { return opposite(both(opposite(a), opposite(b))); }

constexpr std::string_view name_of(Truth truth) noexcept {
  constexpr std::array<std::string_view, 4> kNames{"false", "unknown", "true", "undefined"};
  return kNames[static_cast<std::size_t>(truth)];
}

}  // namespace serval
