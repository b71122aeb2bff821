#pragma once
// The value of a column or of an expression: NULL, a boolean, a 64-bit integer, a decimal, or text; or
// Undefined, if a database would refuse to compute it. The rules are PostgreSQL's, with byte order
// instead of a collation; docs/predicates.md lists them.
//
//   add(Scalar(2), Scalar(*Decimal::parse("0.5")))     // 2.5
//   divide(Scalar(7), Scalar(2))                       // 3
//   compare(Scalar("a"), Scalar(1))                    // Undefined
//   compare(Scalar(), Scalar(1))                       // Unknown

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "serval/history/value.h"
#include "serval/predicate/decimal.h"
#include "serval/predicate/truth.h"

namespace serval {

class Scalar {
 public:
  enum class Kind : std::uint8_t { Null, Undefined, Boolean, Integer, Decimal, Text };

  Scalar() noexcept = default;  // NULL.
  static Scalar undefined() noexcept { return Scalar(State(UndefinedTag{})); }
  static Scalar boolean(bool truth) noexcept { return Scalar(State(truth)); }
  // True and False become booleans, Unknown becomes NULL.
  static Scalar of(Truth truth) noexcept;
  // From its text: 7 is an integer; 7.0, 1e3 and numbers beyond 64 bits are decimals; anything else is
  // Undefined.
  static Scalar number(std::string_view spelled);
  // Rows, lists and unknown values are Undefined; nil is NULL.
  static Scalar of(Value value, const ValuePool& pool);
  explicit Scalar(std::int64_t number) noexcept : state_(number) {}
  explicit Scalar(int number) noexcept : state_(std::int64_t{number}) {}
  explicit Scalar(Decimal number) noexcept : state_(number) {}
  explicit Scalar(std::string text) noexcept : state_(std::move(text)) {}
  explicit Scalar(const char* text) : state_(std::string(text)) {}

  Kind kind() const noexcept { return static_cast<Kind>(state_.index()); }
  bool is_null() const noexcept { return kind() == Kind::Null; }
  bool is_undefined() const noexcept { return kind() == Kind::Undefined; }
  bool is_number() const noexcept { return kind() == Kind::Integer || kind() == Kind::Decimal; }
  bool as_boolean() const { return std::get<bool>(state_); }
  std::int64_t as_integer() const { return std::get<std::int64_t>(state_); }
  const std::string& as_text() const { return std::get<std::string>(state_); }
  // Requires is_number().
  Decimal as_decimal() const {
    return kind() == Kind::Integer ? Decimal::integer(as_integer()) : std::get<Decimal>(state_);
  }
  // As the value of a condition: NULL is Unknown, other non-booleans are Undefined.
  Truth truth() const noexcept;

  // As SQL literal: NULL, TRUE, -1.50, 'it''s'. Undefined has no literal: "undefined".
  std::string format() const;

  // The same kind and value; 1.5 and 1.50 are the same.
  friend bool operator==(const Scalar&, const Scalar&) = default;

 private:
  struct UndefinedTag {
    friend bool operator==(UndefinedTag, UndefinedTag) = default;
  };
  using State = std::variant<std::monostate, UndefinedTag, bool, std::int64_t, Decimal, std::string>;
  explicit Scalar(State state) noexcept : state_(std::move(state)) {}

  State state_;
};

// Whether two values are comparable, and how they compare. Numbers compare by value, text byte by byte,
// FALSE before TRUE.
struct Comparison {
  Truth comparable = Truth::Unknown;  // True, Unknown (a NULL) or Undefined.
  std::strong_ordering order = std::strong_ordering::equal;
};
Comparison compare(const Scalar& a, const Scalar& b);

// NULL if an operand is NULL. Undefined if an operand is, if the kinds do not fit, on overflow, and on
// division by zero.
Scalar add(const Scalar& a, const Scalar& b);
Scalar subtract(const Scalar& a, const Scalar& b);
Scalar multiply(const Scalar& a, const Scalar& b);
Scalar divide(const Scalar& a, const Scalar& b);  // Integers: truncates towards zero.
Scalar modulo(const Scalar& a, const Scalar& b);  // Has the sign of `a`.
Scalar negate(const Scalar& a);
Scalar concatenate(const Scalar& a, const Scalar& b);

// `text` LIKE `pattern` ESCAPE `escape`: % matches any text, _ one character (UTF-8). The escape is one
// character, or empty for none. Undefined if the pattern ends with its escape.
Truth like(const Scalar& text, const Scalar& pattern, std::string_view escape = "\\");

}  // namespace serval
