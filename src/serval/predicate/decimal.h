#pragma once
// Exact decimal numbers of up to 38 digits: an integer and the number of its digits after the decimal
// point. Arithmetic matches PostgreSQL's type numeric digit for digit, including the scale of quotients;
// results that need more digits are not represented.
//
//   Decimal::parse("1.50")->scale == 2
//   quotient(*Decimal::parse("2"), *Decimal::parse("3"))    // 0.66666666666666666667
//
// Equality and order are those of the numbers: 1.5 and 1.50 are equal.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace serval {

__extension__ using Int128 = __int128;

struct Decimal {
  static constexpr int kMaxDigits = 38;

  Int128 digits = 0;  // At most kMaxDigits of them.
  int scale = 0;      // Number of digits after the decimal point, at least 0.

  // "12", "-0.50", ".5", "1e3", "2.5E-3". Nothing if the text is not such a number or has too many
  // digits.
  static std::optional<Decimal> parse(std::string_view text);
  static Decimal integer(std::int64_t number) noexcept { return {number, 0}; }

  std::string format() const;  // "-0.50"
  Int128 floor() const;        // The largest integer that is not greater.
  // The value as 64-bit integer, if it is one.
  std::optional<std::int64_t> whole() const;

  friend std::strong_ordering operator<=>(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b) { return (a <=> b) == 0; }
};

// Nothing if the result has too many digits; quotient and remainder also if the divisor is zero.
std::optional<Decimal> sum(const Decimal& a, const Decimal& b);
std::optional<Decimal> difference(const Decimal& a, const Decimal& b);
std::optional<Decimal> product(const Decimal& a, const Decimal& b);
std::optional<Decimal> quotient(const Decimal& a, const Decimal& b);
std::optional<Decimal> remainder(const Decimal& a, const Decimal& b);  // Has the sign of `a`.

}  // namespace serval
