#include "serval/predicate/decimal.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace serval {
namespace {

constexpr auto kPowers = [] {
  std::array<Int128, Decimal::kMaxDigits + 1> powers{};
  powers[0] = 1;
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();
constexpr Int128 kLimit = kPowers[Decimal::kMaxDigits];  // All numbers are strictly below it.

Int128 power(int exponent) { return kPowers[static_cast<std::size_t>(exponent)]; }
Int128 magnitude(Int128 number) { return number < 0 ? -number : number; }
bool fits(Int128 number) { return number > -kLimit && number < kLimit; }

// `number` * 10^places, if it fits.
std::optional<Int128> shifted(Int128 number, int places) {
  if (number == 0) return Int128{0};
  if (places > Decimal::kMaxDigits || magnitude(number) > (kLimit - 1) / power(places)) return std::nullopt;
  return number * power(places);
}

struct Aligned {
  Int128 a, b;
  int scale;
};
std::optional<Aligned> align(const Decimal& a, const Decimal& b) {
  const int scale = std::max(a.scale, b.scale);
  const std::optional<Int128> left = shifted(a.digits, scale - a.scale);
  const std::optional<Int128> right = shifted(b.digits, scale - b.scale);
  if (!left || !right) return std::nullopt;
  return Aligned{*left, *right, scale};
}

// The position of a number's first digit in PostgreSQL's base 10000, and that digit. Zero: 0 and 0.
struct Lead {
  int weight = 0;
  int digit = 0;
};
Lead lead_of(const Decimal& number) {
  if (number.digits == 0) return {};
  Int128 rest = magnitude(number.digits);
  // Conceptually pads the digits after the decimal point to a multiple of four: the first group may lose
  // some.
  int below = number.scale;
  const int pad = (4 - below % 4) % 4;
  int groups = -(below + pad) / 4;
  Int128 group = rest % power(4 - pad) * power(pad);
  rest /= power(4 - pad);
  for (; rest != 0; rest /= power(4)) {
    group = rest % power(4);
    ++groups;
  }
  return {groups, static_cast<int>(group)};
}

// select_div_scale of PostgreSQL's numeric.c.
int quotient_scale(const Decimal& a, const Decimal& b) {
  constexpr int kSignificant = 16, kGroupDigits = 4, kMaxScale = 1000;
  const Lead first = lead_of(a), second = lead_of(b);
  const int weight = first.weight - second.weight - (first.digit <= second.digit ? 1 : 0);
  const int scale = std::max({kSignificant - weight * kGroupDigits, a.scale, b.scale, 0});
  return std::min(scale, kMaxScale);
}

std::optional<Int128> parse_digits(std::string_view& text, int& count) {
  Int128 number = 0;
  count = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++count) {
    const int digit = text.front() - '0';
    if (number > (kLimit - 1 - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

std::optional<int> parse_exponent(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  if (text.starts_with("+-")) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return exponent;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int before = 0, behind = 0;
  const std::optional<Int128> whole = parse_digits(text, before);
  Int128 fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const std::optional<Int128> found = parse_digits(text, behind);
    if (!found) return std::nullopt;
    fraction = *found;
  }
  const std::optional<int> exponent = parse_exponent(text);
  if (!whole || before + behind == 0 || !exponent || *exponent > 1000 || *exponent < -1000)
    return std::nullopt;
  const std::optional<Int128> high = shifted(*whole, behind);
  if (!high || !fits(*high + fraction)) return std::nullopt;
  Decimal out{*high + fraction, behind - *exponent};
  if (out.scale < 0) {
    const std::optional<Int128> raised = shifted(out.digits, -out.scale);
    if (!raised) return std::nullopt;
    out = {*raised, 0};
  }
  if (negative) out.digits = -out.digits;
  return out;
}

std::string Decimal::format() const {
  std::string out;
  Int128 rest = magnitude(digits);
  for (int place = 0; rest != 0 || place <= scale; ++place, rest /= 10) {
    if (place == scale && scale > 0) out += '.';
    out += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (digits < 0) out += '-';
  std::ranges::reverse(out);
  return out;
}

Int128 Decimal::floor() const {
  if (scale > kMaxDigits) return digits < 0 ? -1 : 0;       // Between -1 and 1.
  const Int128 unit = power(scale), whole = digits / unit;  // Truncates.
  return digits % unit != 0 && digits < 0 ? whole - 1 : whole;
}

std::optional<std::int64_t> Decimal::whole() const {
  Int128 number = digits;
  if (scale > kMaxDigits) return digits == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  if (number % power(scale) != 0) return std::nullopt;
  number /= power(scale);
  if (number > INT64_MAX || number < INT64_MIN) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::strong_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const auto order = [](Int128 left, Int128 right) {
    return left < right    ? std::strong_ordering::less
           : left == right ? std::strong_ordering::equal
                           : std::strong_ordering::greater;
  };
  if ((a.digits < 0) != (b.digits < 0) || a.digits == 0 || b.digits == 0) return order(a.digits, b.digits);
  if (const std::optional<Aligned> same = align(a, b)) return order(same->a, same->b);
  // Too many digits to align them: the number with fewer decimal places is larger by far.
  const bool a_is_larger = a.scale < b.scale;
  return a_is_larger == (a.digits > 0) ? std::strong_ordering::greater : std::strong_ordering::less;
}

std::optional<Decimal> sum(const Decimal& a, const Decimal& b) {
  const std::optional<Aligned> same = align(a, b);
  Int128 out = 0;
  if (!same || __builtin_add_overflow(same->a, same->b, &out) || !fits(out)) return std::nullopt;
  return Decimal{out, same->scale};
}

std::optional<Decimal> difference(const Decimal& a, const Decimal& b) { return sum(a, {-b.digits, b.scale}); }

std::optional<Decimal> product(const Decimal& a, const Decimal& b) {
  Int128 out = 0;
  constexpr int kMaxScale = 16383;  // As in PostgreSQL.
  if (__builtin_mul_overflow(a.digits, b.digits, &out) || !fits(out)) return std::nullopt;
  if (a.scale + b.scale > kMaxScale) return std::nullopt;
  return Decimal{out, a.scale + b.scale};
}

// Rounded to its scale, half away from zero.
std::optional<Decimal> quotient(const Decimal& a, const Decimal& b) {
  if (b.digits == 0) return std::nullopt;
  const int scale = quotient_scale(a, b);
  const int places = scale + b.scale - a.scale;
  if (places < 0) return std::nullopt;  // The dividend has more decimal places than the quotient may have.
  const std::optional<Int128> dividend = shifted(a.digits, places);
  if (!dividend) return std::nullopt;
  const Int128 divisor = magnitude(b.digits), rest = magnitude(*dividend);
  Int128 out = rest / divisor;
  if (rest % divisor >= divisor - rest % divisor) ++out;
  if (!fits(out)) return std::nullopt;
  return Decimal{(a.digits < 0) != (b.digits < 0) ? -out : out, scale};
}

std::optional<Decimal> remainder(const Decimal& a, const Decimal& b) {
  if (b.digits == 0) return std::nullopt;
  const std::optional<Aligned> same = align(a, b);
  if (!same) return std::nullopt;
  return Decimal{same->a % same->b, same->scale};
}

}  // namespace serval
