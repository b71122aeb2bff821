#include "serval/predicate/scalar.h"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace serval {
namespace {

using Kind = Scalar::Kind;

bool both_whole(const Scalar& a, const Scalar& b) {
  return a.kind() == Kind::Integer && b.kind() == Kind::Integer;
}

using Whole = std::optional<std::int64_t>;
Whole narrowed(Int128 number) {
  return number < INT64_MIN || number > INT64_MAX ? Whole() : static_cast<std::int64_t>(number);
}

// NULL or Undefined if the kinds of the operands determine that; otherwise by one of the two functions,
// which return nothing for Undefined.
template <class OfIntegers>
Scalar compute(const Scalar& a, const Scalar& b,
               std::optional<Decimal> (&of_decimals)(const Decimal&, const Decimal&),
               const OfIntegers& of_integers) {
  if (both_whole(a, b)) {
    const Whole whole = of_integers(a.as_integer(), b.as_integer());
    return whole ? Scalar(*whole) : Scalar::undefined();
  }
  if (a.is_number() && b.is_number()) {
    const std::optional<Decimal> number = of_decimals(a.as_decimal(), b.as_decimal());
    return number ? Scalar(*number) : Scalar::undefined();
  }
  const bool fits = (a.is_null() || a.is_number()) && (b.is_null() || b.is_number());
  return fits ? Scalar() : Scalar::undefined();
}

Truth comparable(const Scalar& a, const Scalar& b) {
  if (a.is_undefined() || b.is_undefined()) return Truth::Undefined;
  if (a.is_null() || b.is_null()) return Truth::Unknown;
  return a.kind() == b.kind() || (a.is_number() && b.is_number()) ? Truth::True : Truth::Undefined;
}

// Number of bytes of the first character; 1 if it is not UTF-8.
std::size_t character_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length > text.size()) return 1;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 1;
  return length;
}

// Greedy, backtracking only to the last %, since no earlier one can help.
class LikeMatcher {
 public:
  LikeMatcher(std::string_view pattern, std::string_view escape) : pattern_(pattern), escape_(escape) {}

  bool ends_in_escape() const {
    if (escape_.empty()) return false;
    std::size_t at = 0;
    while (at < pattern_.size()) {
      if (!escapes(at)) {
        ++at;
        continue;
      }
      at += escape_.size();
      if (at == pattern_.size()) return true;
      at += character_length(pattern_.substr(at));
    }
    return false;
  }

  bool matches(std::string_view text) const {
    std::size_t at = 0, in_text = 0;
    std::size_t after_any = std::string_view::npos, resume = 0;
    while (in_text < text.size()) {
      std::size_t next = at, step = 0;
      if (at < pattern_.size() && !escapes(at) && pattern_[at] == '%') {
        after_any = ++at;
        resume = in_text;
      } else if (takes_one(next, text.substr(in_text), step)) {
        at = next;
        in_text += step;
      } else if (after_any != std::string_view::npos) {
        at = after_any;
        resume += character_length(text.substr(resume));
        in_text = resume;
      } else {
        return false;
      }
    }
    while (at < pattern_.size() && !escapes(at) && pattern_[at] == '%') ++at;
    return at == pattern_.size();
  }

 private:
  bool escapes(std::size_t at) const { return !escape_.empty() && pattern_.substr(at).starts_with(escape_); }

  // Whether the pattern's next character matches the text's. Advances past both.
  bool takes_one(std::size_t& at, std::string_view text, std::size_t& step) const {
    if (at == pattern_.size()) return false;
    const bool escaped = escapes(at);
    if (escaped) at += escape_.size();
    if (at == pattern_.size()) return false;
    if (!escaped && pattern_[at] == '_') {
      ++at;
      step = character_length(text);
      return true;
    }
    const std::string_view wanted = pattern_.substr(at, character_length(pattern_.substr(at)));
    if (!text.starts_with(wanted)) return false;
    at += wanted.size();
    step = wanted.size();
    return true;
  }

  std::string_view pattern_, escape_;
};

}  // namespace

Scalar Scalar::of(Truth truth) noexcept {
  if (truth == Truth::Unknown) return {};
  return truth == Truth::Undefined ? undefined() : boolean(truth == Truth::True);
}

Scalar Scalar::number(std::string_view spelled) {
  std::int64_t integer = 0;
  const char* end = spelled.data() + spelled.size();
  const auto [rest, error] = std::from_chars(spelled.data(), end, integer);
  if (error == std::errc{} && rest == end) return Scalar(integer);
  const std::optional<Decimal> found = Decimal::parse(spelled);
  if (!found) return undefined();
  const bool plain = spelled.find_first_of(".eE") == std::string_view::npos;
  const std::optional<std::int64_t> whole = plain ? found->whole() : std::nullopt;
  return whole ? Scalar(*whole) : Scalar(*found);
}

Scalar Scalar::of(Value value, const ValuePool& pool) {
  switch (value.kind()) {
    case Value::Kind::Integer:
      return Scalar(value.as_integer());
    case Value::Kind::Nil:
      return {};
    case Value::Kind::Boolean:
      return boolean(value.as_boolean());
    case Value::Kind::Text:
      return Scalar(std::string(pool.characters(value)));
    case Value::Kind::Number:
      return number(pool.characters(value));
    default:
      return undefined();
  }
}

Truth Scalar::truth() const noexcept {
  if (is_null()) return Truth::Unknown;
  return kind() == Kind::Boolean ? truth_of(std::get<bool>(state_)) : Truth::Undefined;
}

std::string Scalar::format() const {
  switch (kind()) {
    case Kind::Null:
      return "NULL";
    case Kind::Undefined:
      return "undefined";
    case Kind::Boolean:
      return as_boolean() ? "TRUE" : "FALSE";
    case Kind::Integer:
      return fmt::format("{}", as_integer());
    case Kind::Decimal:
      return as_decimal().format();
    case Kind::Text:
      break;
  }
  std::string out = "'";
  for (const char c : as_text()) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

Comparison compare(const Scalar& a, const Scalar& b) {
  if (both_whole(a, b)) return {Truth::True, a.as_integer() <=> b.as_integer()};
  const Truth can = comparable(a, b);
  if (can != Truth::True) return {can, std::strong_ordering::equal};
  if (a.is_number()) return {can, a.as_decimal() <=> b.as_decimal()};
  if (a.kind() == Kind::Boolean) return {can, a.as_boolean() <=> b.as_boolean()};
  const int order = a.as_text().compare(b.as_text());
  return {can, order <=> 0};
}

Scalar add(const Scalar& a, const Scalar& b) {
  return compute(a, b, sum, [](Int128 x, Int128 y) { return narrowed(x + y); });
}

Scalar subtract(const Scalar& a, const Scalar& b) {
  return compute(a, b, difference, [](Int128 x, Int128 y) { return narrowed(x - y); });
}

Scalar multiply(const Scalar& a, const Scalar& b) {
  return compute(a, b, product, [](Int128 x, Int128 y) { return narrowed(x * y); });
}

Scalar divide(const Scalar& a, const Scalar& b) {
  return compute(a, b, quotient, [](std::int64_t x, std::int64_t y) {
    return y == 0 || (x == INT64_MIN && y == -1) ? Whole() : x / y;
  });
}

Scalar modulo(const Scalar& a, const Scalar& b) {
  return compute(a, b, remainder, [](std::int64_t x, std::int64_t y) {
    return y == 0 ? Whole() : y == -1 ? 0 : x % y;
  });
}

Scalar negate(const Scalar& a) { return subtract(Scalar(0), a); }

Scalar concatenate(const Scalar& a, const Scalar& b) {
  const auto fits = [](const Scalar& s) { return s.is_null() || s.kind() == Kind::Text; };
  if (!fits(a) || !fits(b)) return Scalar::undefined();
  return a.is_null() || b.is_null() ? Scalar() : Scalar(a.as_text() + b.as_text());
}

Truth like(const Scalar& text, const Scalar& pattern, std::string_view escape) {
  const auto fits = [](const Scalar& s) { return s.is_null() || s.kind() == Kind::Text; };
  if (!fits(text) || !fits(pattern)) return Truth::Undefined;
  if (text.is_null() || pattern.is_null()) return Truth::Unknown;
  const LikeMatcher matcher(pattern.as_text(), escape);
  if (matcher.ends_in_escape()) return Truth::Undefined;
  return truth_of(matcher.matches(text.as_text()));
}

}  // namespace serval
